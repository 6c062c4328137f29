import { Agent } from "node:http";
import { type Asked, ask, keepPace } from "../traffic.ts";

/** Who reads and writes, and where. */
export interface LoadOptions {
  /** The ports of the processes; who is refused by one asks another, as behind a load balancer. */
  readonly ports: readonly number[];
  readonly key: string;
  readonly cookie: string;
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

/** Requests a second. */
const READS = 50;
const WRITES = 5;

/** Each item is marked once in all loads: a second time would take the mark back. */
let marked = 0;

/**
 * Reads and writes at a steady pace, whatever it is answered; the result ends that.
 * @param prefix of what is written, different for each load
 */
export function startLoad({ ports, key, cookie }: LoadOptions, prefix: string): () => Promise<Told> {
  const told: Told = {
    ...{ requests: 0, good: 0, refused: 0, longestOutageMs: 0 },
    ...{ failed: new Map(), records: [], marks: [] },
  };
  const agent = new Agent({ keepAlive: true });
  let lastGood = performance.now();

  async function send(asked: Asked, number: number): Promise<boolean> {
    let answer = await ask(ports[number % ports.length] ?? 0, asked, agent);
    if (answer.error === "ECONNREFUSED")
      answer = await ask(ports[(number + 1) % ports.length] ?? 0, asked, agent);
    const { status, error, headers } = answer;
    told.requests += 1;
    const isGood = status > 0 && status < 400;
    if (isGood) {
      const now = performance.now();
      told.good += 1;
      told.longestOutageMs = Math.max(told.longestOutageMs, now - lastGood);
      lastGood = now;
    } else if (status === 503 && headers["retry-after"] !== undefined) {
      told.refused += 1;
    } else {
      const what = `${error ?? status} at ${asked.path.replace(/\d.*/, "…")}`;
      told.failed.set(what, (told.failed.get(what) ?? 0) + 1);
    }
    return isGood;
  }

  function read(number: number): Promise<boolean> {
    const item = `weapon-${22 + (number % 12)}`;
    const kinds: readonly Asked[] = [
      { path: "/" },
      { path: `/items/${item}` },
      { path: "/servers" },
      { path: `/api/search?q=gold${number % 100}` },
      { path: "/api/online", headers: { "X-API-Key": key } },
      { path: "/favorites", headers: { cookie } },
      { path: "/donate" },
      { path: `/search?q=gold${number % 100}` },
      { path: `/api/items/${item}`, headers: { "X-API-Key": key } },
      { path: "/vehicles" },
      // A list whose records change all the time is rebuilt each time, a few at once.
      { path: number % 2 === 0 ? "/items" : "/items?page=2" },
    ];
    return send(kinds[number % kinds.length] ?? { path: "/" }, number);
  }

  async function write(number: number): Promise<void> {
    if (number % 2 === 0) {
      const name = `${prefix}-${number}`;
      const headers = { "X-API-Key": key, "Idempotency-Key": name };
      if (await send({ path: `/api/items/${name}`, json: { name }, headers }, number))
        told.records.push(name);
    } else {
      const item = `bulk-${++marked}`;
      const form = { kind: "item", entity_id: item };
      if (await send({ path: "/api/entity_favorites/toggle", form, headers: { cookie } }, number))
        told.marks.push(item);
    }
  }

  const stops = [keepPace(READS, read), keepPace(WRITES, write)];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
    agent.destroy();
    return told;
  };
}
