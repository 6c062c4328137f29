import { Agent, type IncomingMessage, request } from "node:http";
import type { DemoLogin } from "../../src/commands/demo/load.ts";

interface TrafficOptions {
  readonly port: number;
  readonly key: string;
  /** How many `bulk-` items there are. */
  readonly items: number;
  readonly login: DemoLogin;
}

interface Asked {
  readonly path: string;
  readonly form?: Record<string, string>;
  readonly headers?: Record<string, string>;
}

const TICK_MS = 25;
const WORDS = [
  "golden",
  "iron",
  "silvr",
  "old",
  "haevy",
  "rusty",
  "infernus",
  "police",
  "gold",
  "меч",
  "pistl",
];

/** Visitors, programs and users at a steady pace, whatever they are answered. */
export class Traffic {
  readonly #options: TrafficOptions;
  /** Browsers keep a connection; programs open one for each call. */
  readonly #kept = new Agent({ keepAlive: true, maxSockets: 32 });
  readonly #byStatus = new Map<number, number>();
  readonly #byKind = new Map<string, number[]>();
  readonly #underWay = new Set<Promise<void>>();
  #times: number[] = [];
  #failed = 0;
  #number = 0;
  #cookie = "";
  #timer: NodeJS.Timeout | undefined;

  constructor(options: TrafficOptions) {
    this.#options = options;
  }

  /** @param rate requests a second */
  start(rate: number): void {
    const began = performance.now();
    this.#timer = setInterval(() => {
      while (this.#number < ((performance.now() - began) / 1000) * rate) this.#next();
    }, TICK_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#underWay);
    this.#kept.destroy();
  }

  /** Answers, their 99th percentile and failures since the last call. */
  countsSinceLast(): { answers: number; p99Ms: number; failed: number } {
    const counts = { answers: this.#times.length, p99Ms: p99(this.#times), failed: this.#failed };
    this.#times = [];
    this.#failed = 0;
    return counts;
  }

  /** By status, and the 99th percentile by kind of request, slowest first. */
  summary(): string {
    const counts = [...this.#byStatus].toSorted(([one], [other]) => one - other);
    const statuses = counts.map(([status, count]) => `${count} × ${status || "no answer"}`).join(", ");
    const slow = [...this.#byKind].map(([kind, times]) => [kind, p99(times)] as const);
    const rows = slow.toSorted(([, one], [, other]) => other - one);
    return `${statuses}\n\n${rows.map(([kind, ms]) => `${ms.toFixed(0).padStart(6)} ms  ${kind}`).join("\n")}`;
  }

  #next(): void {
    const number = this.#number++;
    const asked = this.#pick(number);
    const done = this.#ask(asked, number).finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }

  #pick(number: number): Asked {
    const { items, key, login } = this.#options;
    const any = (count: number) => Math.floor(Math.random() * count);
    const item = `bulk-${1 + any(items)}`;
    const word = `${WORDS[any(WORDS.length)]} ${any(1_000)}`;
    const headers = { "X-API-Key": key };
    const cookie = { cookie: this.#cookie };
    // A log-in costs as much as all the rest of five seconds.
    if (number % 200 === 0) return { path: "/login", form: { name: login.name, password: login.password } };
    const kinds: readonly (() => Asked)[] = [
      () => ({ path: `/items/${item}` }),
      () => ({ path: `/ru/items/${item}` }),
      () => ({ path: `/items?q=${encodeURIComponent(word)}` }),
      () => ({ path: `/items?page=${1 + any(20)}` }),
      () => ({ path: "/" }),
      () => ({ path: "/servers" }),
      () => ({ path: "/donate" }),
      () => ({ path: "/items.rss" }),
      () => ({ path: `/search?q=${encodeURIComponent(word)}` }),
      () => ({ path: `/api/search/all?q=${encodeURIComponent(word)}` }),
      () => ({ path: `/api/items/search?q=${encodeURIComponent(word)}`, headers }),
      () => ({ path: "/api/online", headers }),
      () => ({ path: `/api/items/${item}`, headers }),
      () => ({ path: "/api/nickname-generator?country=us&count=10" }),
      () => ({ path: "/favorites", headers: cookie }),
      () => ({ path: `/items/${item}`, headers: cookie }),
      () => ({
        path: "/api/entity_favorites/toggle",
        form: { kind: "item", entity_id: `bulk-${1 + any(200)}` },
        headers: cookie,
      }),
      () => ({ path: "/healthz" }),
    ];
    return kinds[number % kinds.length]?.() ?? { path: "/" };
  }

  async #ask({ path, form, headers }: Asked, number: number): Promise<void> {
    const began = performance.now();
    const status = await new Promise<number>((resolve) => {
      const options = {
        port: this.#options.port,
        path,
        method: form ? "POST" : "GET",
        agent: number % 4 === 0 ? false : this.#kept,
        headers: {
          "accept-encoding": "gzip, br",
          ...headers,
          ...(form && {
            "content-type": "application/x-www-form-urlencoded",
            "sec-fetch-site": "same-origin",
          }),
        },
      } as const;
      const sent = request(options, (answer) => {
        if (path === "/login") this.#keepCookie(answer);
        answer.resume().on("end", () => resolve(answer.statusCode ?? 0));
        answer.on("error", () => resolve(0));
      });
      sent.on("error", () => resolve(0));
      sent.end(form && new URLSearchParams(form).toString());
    });
    const took = performance.now() - began;
    this.#times.push(took);
    const kind = `${path.replace(/(\d|%20).*/, "…")}${headers?.cookie === undefined ? "" : ", logged in"}`;
    const ofKind = this.#byKind.get(kind) ?? [];
    ofKind.push(took);
    this.#byKind.set(kind, ofKind);
    this.#byStatus.set(status, (this.#byStatus.get(status) ?? 0) + 1);
    if (status === 0 || status >= 500) this.#failed++;
  }

  #keepCookie({ headers }: IncomingMessage): void {
    const cookie = headers["set-cookie"]?.[0]?.split(";")[0];
    if (cookie !== undefined) this.#cookie = cookie;
  }
}

function p99(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
}
