import type { Request, RequestHandler } from "express";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { HttpError } from "../pages/errors.ts";
import { type Header, setHeaders } from "./headers.ts";
import { logSecurity } from "./security-log.ts";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** Headers that let any origin read a response, without cookies. */
export const OPEN_TO_ANY_ORIGIN: readonly Header[] = [
  ["Access-Control-Allow-Origin", "*"],
  [
    "Access-Control-Expose-Headers",
    "ETag, Age, Content-Disposition, Deprecation, Link, RateLimit, RateLimit-Policy, " +
      "Retry-After, Sunset, WWW-Authenticate, X-Request-Id",
  ],
];

/**
 * Headers that a preflight allows. Many programs set the first ones on every request. `*` stands for all others
 * (https://fetch.spec.whatwg.org/#http-access-control-allow-headers), because none lets a read without cookies do more.
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
 * Lets any origin read a feed, a file or an endpoint, and answers its preflight, which has no credentials. Never use it
 * for `/session`, because that sets a cookie.
 */
export const openToAnyOrigin: RequestHandler = (req, res, next) => {
  setHeaders(res, OPEN_TO_ANY_ORIGIN);
  if (req.method !== "OPTIONS") return next();
  res.set("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS");
  res.set("Access-Control-Allow-Headers", ALLOWED_HEADERS);
  res.set("Access-Control-Max-Age", "86400");
  res.set("Allow", "GET, HEAD, OPTIONS").status(204).end();
};

/**
 * Refuses writes started by another site, by `Sec-Fetch-Site`, or by `Origin` of older browsers. Clients that send
 * neither are not browsers and have no victim's cookies. It needs no token, so pages stay cacheable. Source:
 * https://www.w3.org/TR/fetch-metadata/ and RFC 6454.
 * @throws HttpError 403
 */
export function refuseCrossSiteWrites(baseUrl: string): RequestHandler {
  return (req, _res, next) => {
    if (SAFE_METHODS.has(req.method) || isOwnWrite(req, baseUrl)) return next();
    logSecurity(req, "access.refused", { reason: "origin" });
    next(new HttpError("forbidden", lazyText("errors.detail.other_site")));
  };
}

function isOwnWrite(req: Request, baseUrl: string): boolean {
  const site = req.get("sec-fetch-site");
  if (site !== undefined) return site === "same-origin" || site === "none";
  const origin = req.get("origin");
  if (origin === undefined || origin === baseUrl) return true;
  const { protocol, host } = URL.parse(origin) ?? {};
  // Without TLS, anyone on the network path can pretend to be this host.
  if (protocol !== "https:" && (protocol !== "http:" || baseUrl.startsWith("https:"))) return false;
  // A page cannot set the Host header, so an equal Origin is this site under another name.
  return host !== undefined && host === req.get("host");
}
