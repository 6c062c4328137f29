import type { RequestHandler } from "express";
import { type Header, setHeaders } from "./headers.ts";

/** Headers that let any origin read an answer, without cookies. */
export const OPEN_TO_ANY_ORIGIN: readonly Header[] = [
  ["Access-Control-Allow-Origin", "*"],
  [
    "Access-Control-Expose-Headers",
    "ETag, Age, Content-Disposition, Deprecation, Link, RateLimit, RateLimit-Policy, " +
      "Retry-After, Sunset, WWW-Authenticate, X-Request-Id",
  ],
];

/**
 * Headers that a preflight allows. Many programs set the first ones on every request. `*` is any other one
 * (https://fetch.spec.whatwg.org/#http-access-control-allow-headers): none makes a read without cookies do more.
 */
const ALLOWED_HEADERS =
  "Content-Type, Cache-Control, Pragma, X-API-Key, If-None-Match, If-Modified-Since, X-Requested-With, *";

/** Lets any origin read /api without cookies. `closedPaths` need a session. */
export function allowCrossOriginReads(closedPaths: string[]): RequestHandler {
  const closed = new Set(closedPaths);
  return (req, res, next) => {
    if (closed.has(req.path.replace(/\/$/, ""))) return next();
    const isPreflight = req.get("access-control-request-method") !== undefined;
    if (req.method !== "OPTIONS" || isPreflight) return openToAnyOrigin(req, res, next);
    // A preflight or OPTIONS request for a path, which its own route answers.
    setHeaders(res, OPEN_TO_ANY_ORIGIN);
    next();
  };
}

/**
 * Lets any origin read a feed, a file or an endpoint, and answers its preflight, which has no credentials. Never use
 * it for `/session`, because that sets a cookie.
 */
export const openToAnyOrigin: RequestHandler = (req, res, next) => {
  setHeaders(res, OPEN_TO_ANY_ORIGIN);
  if (req.method !== "OPTIONS") return next();
  res.set("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS");
  res.set("Access-Control-Allow-Headers", ALLOWED_HEADERS);
  res.set("Access-Control-Max-Age", "86400");
  res.set("Allow", "GET, HEAD, OPTIONS").status(204).end();
};
