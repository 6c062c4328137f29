import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

/** Who reads and writes, and where. */
export interface LoadOptions {
  /** The ports of the processes; who is refused by one asks another, as behind a load balancer. */
  readonly ports: readonly number[];
  readonly key: string;
  readonly cookie: string;
  /** Requests a second. */
  readonly reads: number;
  readonly writes: number;
}

/** The requests and their answers. */
export interface Told {
  requests: number;
  good: number;
  /** 503 with Retry-After. */
  refused: number;
  readonly failed: Map<string, number>;
  /** The longest time without a good answer, in milliseconds. */
  longestOutageMs: number;
  /** Records and marks whose writing was answered with success. */
  readonly records: string[];
  readonly marks: string[];
}

interface Asked {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const GIVE_UP_MS = 10_000;
const TICK_MS = 10;

/** Each item is marked once in all loads: a second time would take the mark back. */
let marked = 0;

/** Reads and writes at a steady pace, whatever it is answered. */
export class Load {
  readonly told: Told = newTold();
  readonly #options: LoadOptions;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #prefix: string;
  readonly #underWay = new Set<Promise<void>>();
  #isOver = false;
  #lastGood = performance.now();
  #running: Promise<void> | undefined;

  /** @param prefix of what is written, different for each load */
  constructor(options: LoadOptions, prefix: string) {
    this.#options = options;
    this.#prefix = prefix;
  }

  start(): void {
    this.#lastGood = performance.now();
    this.#running = this.#run();
  }

  async stop(): Promise<Told> {
    this.#isOver = true;
    await this.#running;
    await Promise.all(this.#underWay);
    this.#agent.destroy();
    return this.told;
  }

  async #run(): Promise<void> {
    const began = performance.now();
    let [reads, writes] = [0, 0];
    while (!this.#isOver) {
      const seconds = (performance.now() - began) / 1000;
      while (reads < seconds * this.#options.reads) this.#begin(this.#read(reads++));
      while (writes < seconds * this.#options.writes) this.#begin(this.#write(writes++));
      await pause(TICK_MS);
    }
  }

  #begin(work: Promise<void>): void {
    const done = work.finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }

  async #read(number: number): Promise<void> {
    const { key, cookie } = this.#options;
    const kinds: readonly Asked[] = [
      { path: "/" },
      { path: `/items/weapon-${22 + (number % 12)}` },
      { path: "/servers" },
      { path: `/api/search?q=gold${number % 100}` },
      { path: "/api/online", headers: { "X-API-Key": key } },
      { path: "/favorites", headers: { cookie } },
      { path: "/donate" },
      { path: `/search?q=gold${number % 100}` },
      { path: `/api/items/weapon-${22 + (number % 12)}`, headers: { "X-API-Key": key } },
      { path: "/vehicles" },
      // A list whose records change all the time is rebuilt each time, a few at once.
      { path: number % 2 === 0 ? "/items" : "/items?page=2" },
    ];
    await this.#ask(kinds[number % kinds.length] ?? { path: "/" }, number);
  }

  async #write(number: number): Promise<void> {
    const { key, cookie } = this.#options;
    if (number % 2 === 0) {
      const name = `${this.#prefix}-${number}`;
      const headers = { "X-API-Key": key, "Content-Type": "application/json", "Idempotency-Key": name };
      const body = JSON.stringify({ name });
      if (await this.#ask({ path: `/api/items/${name}`, method: "PUT", headers, body }, number))
        this.told.records.push(name);
    } else {
      const item = `bulk-${++marked}`;
      const headers = {
        cookie,
        "Content-Type": "application/x-www-form-urlencoded",
        "Sec-Fetch-Site": "same-origin",
      };
      const body = new URLSearchParams({ kind: "item", entity_id: item }).toString();
      if (await this.#ask({ path: "/api/entity_favorites/toggle", method: "POST", headers, body }, number))
        this.told.marks.push(item);
    }
  }

  async #ask(asked: Asked, number: number): Promise<boolean> {
    const { ports } = this.#options;
    let answer = await this.#send(asked, ports[number % ports.length] ?? 0);
    if (answer === "ECONNREFUSED") answer = await this.#send(asked, ports[(number + 1) % ports.length] ?? 0);
    const { told } = this;
    told.requests += 1;
    const now = performance.now();
    if (answer === "good") {
      told.good += 1;
      told.longestOutageMs = Math.max(told.longestOutageMs, now - this.#lastGood);
      this.#lastGood = now;
    } else if (answer === "refused") {
      told.refused += 1;
    } else {
      const what = `${answer} at ${asked.path.replace(/\d.*/, "…")}`;
      told.failed.set(what, (told.failed.get(what) ?? 0) + 1);
    }
    return answer === "good";
  }

  #send({ path, method = "GET", headers, body }: Asked, port: number): Promise<string> {
    return new Promise((resolve) => {
      const options = {
        port,
        path,
        method,
        agent: this.#agent,
        timeout: GIVE_UP_MS,
        headers: { ...headers },
      };
      const sent = request(options, (answer) => {
        const { statusCode = 0 } = answer;
        const isRefused = statusCode === 503 && answer.headers["retry-after"] !== undefined;
        answer
          .resume()
          .on("end", () => resolve(statusCode < 400 ? "good" : isRefused ? "refused" : String(statusCode)));
        answer.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "cut off"));
      });
      sent.on("timeout", () => sent.destroy(Object.assign(new Error("slow"), { code: "no answer in 10 s" })));
      sent.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "cut off"));
      sent.end(body);
    });
  }
}

function newTold(): Told {
  return { requests: 0, good: 0, refused: 0, failed: new Map(), longestOutageMs: 0, records: [], marks: [] };
}
