/** Which records a search has seen, as a number per record, so that nothing is cleared between searches. */
export class Marks {
  readonly #marks: Uint32Array;
  /** The marks of changed records, whose numbers follow the others. */
  #changed = new Uint32Array(0);
  #last = 0;

  constructor(size: number) {
    this.#marks = new Uint32Array(size);
  }

  /** Makes room for so many changed records, which have no mark. */
  extend(count: number): void {
    this.#changed = new Uint32Array(count);
  }

  /** A mark that no record has. */
  next(): number {
    if (this.#last === 0xffffffff) {
      this.#marks.fill(0);
      this.#changed.fill(0);
      this.#last = 0;
    }
    return ++this.#last;
  }

  set(record: number, mark: number): void {
    const size = this.#marks.length;
    if (record < size) this.#marks[record] = mark;
    else this.#changed[record - size] = mark;
  }

  of(record: number): number {
    const size = this.#marks.length;
    return (record < size ? this.#marks[record] : this.#changed[record - size]) ?? 0;
  }
}
