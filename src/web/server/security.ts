import { Socket } from "node:net";
import type { RequestHandler } from "express";
import helmet from "helmet";
import { type Header, setHeaders } from "./headers.ts";
import { http } from "./node-http.ts";

/** Sets the security headers of every response. */
export function securityHeaders(baseUrl: string, imageHosts: readonly string[]): RequestHandler {
  const headers = listSecurityHeaders(baseUrl, imageHosts);
  return (_req, res, next) => {
    setHeaders(res, headers);
    next();
  };
}

/**
 * For paths with a secret: limits Referer to the origin. Not `no-referrer`, which makes `Origin` null on our own forms.
 * Without Sec-Fetch-Site (plain HTTP on a local network) the site would refuse them as another site's. Source:
 * https://www.w3.org/TR/referrer-policy/ and https://fetch.spec.whatwg.org/#append-a-request-origin-header
 */
export const keepAddressSecret: RequestHandler = (req, res, next) => {
  req.hasSecretPath = true;
  res.setHeader("Referrer-Policy", "strict-origin");
  next();
};

/** Runs helmet once for its headers: nothing in the policy depends on the request. */
export function listSecurityHeaders(baseUrl: string, imageHosts: readonly string[]): Header[] {
  const headers: Header[] = [];
  const response = new http.ServerResponse(new http.IncomingMessage(new Socket()));
  response.setHeader = (name, value) => {
    headers.push([name, String(value)]);
    return response;
  };
  policy(baseUrl, imageHosts)(response.req, response, (error) => {
    if (error) throw error;
  });
  return headers;
}

/**
 * Pages run only scripts and styles of this origin; nothing may frame them.
 * `strict-origin-when-cross-origin` rather than `no-referrer`, which would make `Origin` null on our own forms.
 */
function policy(baseUrl: string, imageHosts: readonly string[]) {
  const https = baseUrl.startsWith("https:");
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        "default-src": ["'self'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:", ...imageHosts.map((host) => `https://${host}`)],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        ...(https && { "upgrade-insecure-requests": [] }),
      },
    },
    // Equals frame-ancestors, for browsers that do not know it.
    xFrameOptions: { action: "deny" },
    referrerPolicy: { policy: "strict-origin-when-cross-origin" },
    strictTransportSecurity: https ? { maxAge: 31_536_000, includeSubDomains: false } : false,
    // Other origins may read the API (see cross-origin.ts); the default same-origin policy would contradict that.
    crossOriginResourcePolicy: { policy: "cross-origin" },
  });
}
