import { Agent } from "node:http";
import type { DemoLogin } from "../../src/commands/demo/load.ts";
import { percentile } from "../report.ts";
import { type Asked, ask, keepPace } from "../traffic.ts";

interface TrafficOptions {
  readonly port: number;
  readonly key: string;
  /** How many `bulk-` items there are. */
  readonly items: number;
  readonly login: DemoLogin;
}

const WORDS = "golden iron silvr old haevy rusty infernus police gold меч pistl".split(" ");

/** Visitors, programs and users at a steady pace, whatever they are answered. */
export class SoakTraffic {
  readonly #options: TrafficOptions;
  /** Browsers keep a connection; programs open one for each call. */
  readonly #kept = new Agent({ keepAlive: true, maxSockets: 32 });
  readonly #answers: { kind: string; status: number; ms: number }[] = [];
  #counted = 0;
  #cookie = "";

  constructor(options: TrafficOptions) {
    this.#options = options;
  }

  /** Begins with so many requests a second; the result ends them. */
  start(rate: number): () => Promise<void> {
    const stop = keepPace(rate, (number) => this.#send(number));
    return () => stop().finally(() => this.#kept.destroy());
  }

  /** Answers, their 99th percentile in milliseconds and failures since the last call. */
  countsSinceLast(): [answers: number, p99Ms: string, failed: number] {
    const recent = this.#answers.slice(this.#counted);
    this.#counted += recent.length;
    const failed = recent.filter(({ status }) => status === 0 || status >= 500);
    return [recent.length, p99(recent).toFixed(0), failed.length];
  }

  /** By status, and the 99th percentile by kind of request, slowest first. */
  summary(): string {
    const byStatus = [...Map.groupBy(this.#answers, ({ status }) => status || "no answer")];
    const byKind = [...Map.groupBy(this.#answers, ({ kind }) => kind)].map(
      ([kind, answers]) => [p99(answers), kind] as const,
    );
    return [
      `${byStatus.map(([status, { length }]) => `${length} × ${status}`).join(", ")}\n`,
      ...byKind
        .toSorted(([one], [other]) => other - one)
        .map(([ms, kind]) => `${ms.toFixed(0).padStart(6)} ms  ${kind}`),
    ].join("\n");
  }

  async #send(number: number): Promise<void> {
    const asked = this.#pick(number);
    const { path, headers: sent } = asked;
    const { status, headers, ms } = await ask(
      this.#options.port,
      asked,
      number % 4 === 0 ? false : this.#kept,
    );
    if (path === "/login") this.#cookie = headers["set-cookie"]?.[0]?.split(";")[0] ?? this.#cookie;
    const kind = `${path.replace(/(\d|%20).*/, "…")}${sent?.cookie === undefined ? "" : ", logged in"}`;
    this.#answers.push({ kind, status, ms });
  }

  #pick(number: number): Asked {
    const { items, key, login } = this.#options;
    const any = (count: number) => Math.floor(Math.random() * count);
    const item = `bulk-${1 + any(items)}`;
    const query = encodeURIComponent(`${WORDS[any(WORDS.length)]} ${any(1_000)}`);
    const headers = { "X-API-Key": key };
    const cookie = { cookie: this.#cookie };
    // A log-in costs as much as all the rest of five seconds.
    if (number % 200 === 0) return { path: "/login", form: { ...login } };
    const kinds: readonly Asked[] = [
      { path: `/items/${item}` },
      { path: `/ru/items/${item}` },
      { path: `/items?q=${query}` },
      { path: `/items?page=${1 + any(20)}` },
      { path: "/" },
      { path: "/servers" },
      { path: "/donate" },
      { path: "/items.rss" },
      { path: `/search?q=${query}` },
      { path: `/api/search/all?q=${query}` },
      { path: `/api/items/search?q=${query}`, headers },
      { path: "/api/online", headers },
      { path: `/api/items/${item}`, headers },
      { path: "/api/nickname-generator?country=us&count=10" },
      { path: "/favorites", headers: cookie },
      { path: `/items/${item}`, headers: cookie },
      {
        path: "/api/entity_favorites/toggle",
        form: { kind: "item", entity_id: `bulk-${1 + any(200)}` },
        headers: cookie,
      },
      { path: "/healthz" },
    ];
    return kinds[number % kinds.length] ?? { path: "/" };
  }
}

function p99(answers: readonly { ms: number }[]): number {
  return percentile(
    answers.map(({ ms }) => ms),
    0.99,
  );
}
