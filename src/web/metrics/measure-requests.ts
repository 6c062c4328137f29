import type { RequestListener } from "node:http";
import { routeNameOf } from "../server/route-name.ts";
import type { Metrics } from "./metrics.ts";

/** Others would let a client make any number of series. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Counts and times all requests, those answered from memory or refused too. */
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
