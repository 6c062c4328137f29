import type { Request, RequestHandler } from "express";
import { said } from "../i18n/said.ts";
import { HttpError } from "./errors.ts";
import { logSecurity } from "./security-log.ts";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Refuses writes that another site started. Browsers say so in `Sec-Fetch-Site`; older ones send `Origin`. A client
 * that sends neither is no browser, so it carries no victim's cookies. Needs no token, so pages stay cacheable.
 * Source: https://www.w3.org/TR/fetch-metadata/ and RFC 6454.
 * @throws HttpError 403
 */
export function refuseCrossSiteWrites(baseUrl: string): RequestHandler {
  return (req, _res, next) => {
    if (SAFE_METHODS.has(req.method) || isOwnWrite(req, baseUrl)) return next();
    logSecurity(req, "access.refused", { reason: "origin" });
    next(new HttpError("forbidden", said("errors.detail.other_site")));
  };
}

function isOwnWrite(req: Request, baseUrl: string): boolean {
  const site = req.get("sec-fetch-site");
  if (site !== undefined) return site === "same-origin" || site === "none";
  const origin = req.get("origin");
  if (origin === undefined || origin === baseUrl) return true;
  const { protocol, host } = URL.parse(origin) ?? {};
  // Without TLS, anybody on the way can pose as this host.
  if (protocol !== "https:" && (protocol !== "http:" || baseUrl.startsWith("https:"))) return false;
  // A page cannot choose the Host header, so an Origin of the same host is this site under another of its names.
  return host !== undefined && host === req.get("host");
}
