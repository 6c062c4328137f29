import type { RequestHandler } from "express";
import helmet from "helmet";

/**
 * Headers of every answer. Pages run only scripts and styles of this origin; nothing may frame them.
 * `strict-origin-when-cross-origin` rather than `no-referrer`, which would make `Origin` null on our own forms.
 */
export function securityHeaders(baseUrl: string): RequestHandler {
  const https = baseUrl.startsWith("https:");
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        "default-src": ["'self'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "https:", "data:"],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        ...(https && { "upgrade-insecure-requests": [] }),
      },
    },
    // The same as frame-ancestors, for browsers that do not know it.
    xFrameOptions: { action: "deny" },
    referrerPolicy: { policy: "strict-origin-when-cross-origin" },
    strictTransportSecurity: https ? { maxAge: 31_536_000, includeSubDomains: false } : false,
    // Other origins may read the API (see cors.ts); the default same-origin policy would contradict that.
    crossOriginResourcePolicy: { policy: "cross-origin" },
  });
}
