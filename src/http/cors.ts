import type { RequestHandler } from "express";
import { type Header, setHeaders } from "./headers.ts";

/** Headers that let any origin read an answer. */
export const OPEN_TO_ANY_ORIGIN: readonly Header[] = [
  ["Access-Control-Allow-Origin", "*"],
  ["Access-Control-Expose-Headers", "ETag, Retry-After, WWW-Authenticate, X-Request-Id"],
];

/** Lets any origin read /api without cookies. `closedPaths` need a session. Preflights have no credentials to check. */
export function allowCrossOriginReads(closedPaths: string[]): RequestHandler {
  const closed = new Set(closedPaths);
  return (req, res, next) => {
    if (closed.has(req.path.replace(/\/$/, ""))) return next();
    setHeaders(res, OPEN_TO_ANY_ORIGIN);
    if (req.method !== "OPTIONS") return next();
    res.set("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS");
    res.set("Access-Control-Allow-Headers", "X-API-Key, If-None-Match, If-Modified-Since");
    res.set("Access-Control-Max-Age", "86400");
    res.set("Allow", "GET, HEAD, OPTIONS").status(204).end();
  };
}
