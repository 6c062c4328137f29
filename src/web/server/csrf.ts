import type { Request, RequestHandler } from "express";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { HttpError } from "../pages/errors.ts";
import { logSecurity } from "./security-log.ts";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Refuses writes started by another site, by `Sec-Fetch-Site`, or by `Origin` of older browsers. Clients that send
 * neither are no browsers and have no victim's cookies. Needs no token, so pages stay cacheable. Source:
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
  // Without TLS, anybody on the way can pretend to be this host.
  if (protocol !== "https:" && (protocol !== "http:" || baseUrl.startsWith("https:"))) return false;
  // A page cannot set the Host header, so an equal Origin is this site under another name.
  return host !== undefined && host === req.get("host");
}
