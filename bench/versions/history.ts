/** What changes together; every change writes one number everywhere. */
export type Stream = "items" | "imported" | "servers" | "shop" | "sale";

/** Milliseconds after which an answer must know of a change. */
const KNOWN_AFTER_MS = 1_000;

/** When which number was committed, and what is wrong with answers. */
export class History {
  readonly #replacedAt = new Map<string, number>();
  readonly #current = new Map<Stream, number>();
  readonly #answers = new Map<string, number>();
  readonly #failures: string[] = [];
  #oldestMs = 0;

  /** From `at` on, by `performance.now()`, a stream has this number. */
  note(stream: Stream, number: number, at = performance.now()): void {
    const before = this.#current.get(stream);
    if (before !== undefined) this.#replacedAt.set(`${stream} ${before}`, at);
    this.#current.set(stream, number);
  }

  /** Checks the numbers of one stream in an answer to a request of `began`. */
  judge(stream: Stream, path: string, numbers: readonly number[], began: number): void {
    this.count(path);
    const different = [...new Set(numbers)];
    if (different.length > 1) this.fail(`${path} is of versions ${different.join(", ")} of ${stream}`);
    for (const number of different) {
      const replacedAt = this.#replacedAt.get(`${stream} ${number}`);
      if (replacedAt === undefined) continue;
      const age = began - replacedAt;
      this.#oldestMs = Math.max(this.#oldestMs, age);
      if (age > KNOWN_AFTER_MS)
        this.fail(`${path} has ${stream} ${number}, replaced ${age.toFixed(0)} ms before`);
    }
  }

  count(path: string): void {
    const kind = path.replace(/\d+/g, "N");
    this.#answers.set(kind, (this.#answers.get(kind) ?? 0) + 1);
  }

  fail(what: string): void {
    this.#failures.push(what);
  }

  get failed(): boolean {
    return this.#failures.length > 0;
  }

  report(): string {
    const answers = [...this.#answers].sort().map(([path, count]) => `${String(count).padStart(8)}  ${path}`);
    const age = `the most outdated answer was asked for ${this.#oldestMs.toFixed(0)} ms after its change`;
    const failures = [...new Set(this.#failures)].slice(0, 20);
    return [...answers, age, `${this.#failures.length} failures`, ...failures].join("\n");
  }
}
