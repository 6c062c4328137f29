import type { RequestListener } from "node:http";
import type { Knex } from "knex";
import { routeNameOf } from "../server/route-name.ts";
import type { Metrics } from "./metrics.ts";

/** The sizes that the cache reports. */
interface RememberedSizes {
  readonly answers: number;
  readonly bytes: number;
  /** Responses from the cache since the start. */
  readonly given: number;
}

/** Other methods would let a client create any number of series. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Counts and times all requests, including cached and refused ones. */
export function measureRequests({ requests, durations }: Metrics, answer: RequestListener): RequestListener {
  return (req, res) => {
    const began = performance.now();
    res.once("close", () => {
      const method = METHODS.has(req.method ?? "") ? (req.method as string) : "other";
      const route = routeNameOf(req) || "none";
      const status = res.writableFinished ? String(res.statusCode) : "aborted";
      requests.inc({ method, route, status });
      durations.observe({ method, route }, (performance.now() - began) / 1000);
    });
    answer(req, res);
  };
}

/** Reads the sizes of the cache, and which kinds can be searched. */
export function measureSite(
  metrics: Metrics,
  { remembered, searchReady }: { remembered(): RememberedSizes; searchReady(): Record<string, boolean> },
): void {
  const answers = metrics.gauge("almanac_remembered_answers", "Answers in memory");
  const bytes = metrics.gauge("almanac_remembered_answers_bytes", "What they take");
  const given = metrics.gauge(
    "almanac_remembered_answers_given",
    "Requests answered from memory since the start",
  );
  const ready = metrics.gauge("almanac_search_ready", "1 where the kind can be searched", ["kind"]);
  metrics.onRead(() => {
    const sizes = remembered();
    answers.set(sizes.answers);
    bytes.set(sizes.bytes);
    given.set(sizes.given);
    for (const [kind, isReady] of Object.entries(searchReady())) ready.set({ kind }, isReady ? 1 : 0);
  });
}

/** Reads how many connections of each pool are in use, and how many queries wait for one. */
export function measurePools(metrics: Metrics, pools: Readonly<Record<string, Knex>>): void {
  const connections = metrics.gauge("almanac_database_connections", "Open connections; state: used or free", [
    "pool",
    "state",
  ]);
  const waiting = metrics.gauge("almanac_database_waiting", "Queries that wait for a connection", ["pool"]);
  metrics.onRead(() => {
    for (const [pool, { client }] of Object.entries(pools)) {
      connections.set({ pool, state: "used" }, client.pool.numUsed());
      connections.set({ pool, state: "free" }, client.pool.numFree());
      waiting.set({ pool }, client.pool.numPendingAcquires());
    }
  });
}
