import { createHash, timingSafeEqual } from "node:crypto";
import type { RequestListener } from "node:http";
import { Router } from "express";
import type { Knex } from "knex";
import type { Config } from "../../settings/config.ts";
import { paths } from "../../words/urls.ts";
import type { RememberedSizes } from "../answers/remembered-answers.ts";
import { drain, openPort } from "../server/listen.ts";
import { isRead, mountReadOnly } from "../server/methods.ts";
import { http } from "../server/node-http.ts";
import { routeNameOf } from "../server/route-name.ts";
import type { Metrics } from "./metrics.ts";

/** The metrics of this process, if a setting exposes them. */
export async function createMetrics({ metrics }: Pick<Config, "metrics">): Promise<Metrics | undefined> {
  if (metrics.port === undefined && metrics.token === undefined) return undefined;
  const { Metrics } = await import("./metrics.ts");
  return new Metrics();
}

/**
 * Answers `GET /metrics` on METRICS_PORT, to anyone who reaches it; does nothing without one.
 * @throws ConfigError if the port is in use or may not be used
 */
export async function serveMetrics(
  metrics: Metrics | undefined,
  { port, host }: Config["metrics"],
): Promise<{ stop(): Promise<void> }> {
  if (!metrics || port === undefined) return { stop: async () => undefined };
  const server = http.createServer(answerMetrics(metrics));
  await openPort(server, { port, host, prefix: "METRICS_" });
  return {
    stop: async () => {
      server.closeIdleConnections();
      await drain(server);
    },
  };
}

/** The address of the metrics of one of several processes: the second one a port above the first, and so on. */
export function forProcess({ port, ...rest }: Config["metrics"], number: number): Config["metrics"] {
  return { ...rest, port: port === undefined ? undefined : port + number - 1 };
}

function answerMetrics(metrics: Metrics): RequestListener {
  return async (req, res) => {
    const isAsked = req.url?.split("?", 1)[0] === paths.metrics();
    if (!isAsked || !isRead(req)) {
      res.writeHead(404, { "Content-Type": "text/plain" }).end(`GET ${paths.metrics()}\n`);
      return;
    }
    const text = await metrics.read();
    res.writeHead(200, { "Content-Type": metrics.registry.contentType, "Cache-Control": "no-store" });
    res.end(req.method === "HEAD" ? undefined : text);
  };
}

/** `GET /metrics` with the token (`Authorization: Bearer …`, RFC 6750, section 2.1), else 401. */
export function metricsRoute(metrics: Metrics, token: string): Router {
  const router = Router();
  mountReadOnly(router, "/", async (req, res) => {
    res.set("Cache-Control", "no-store");
    if (isToken(req.get("authorization"), token)) {
      res.type(metrics.registry.contentType).send(await metrics.read());
      return;
    }
    res.set("WWW-Authenticate", 'Bearer realm="metrics"').status(401).type("text/plain");
    res.send("Send the token of METRICS_TOKEN: Authorization: Bearer …\n");
  });
  return router;
}

function isToken(header: string | undefined, token: string): boolean {
  const sent = /^bearer +(\S+) *$/i.exec(header ?? "")?.[1];
  return sent !== undefined && timingSafeEqual(digest(sent), digest(token));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
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
