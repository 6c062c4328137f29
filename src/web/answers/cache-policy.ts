import type { Request, Response } from "express";
import { isRead } from "../server/methods.ts";

/** The caches that may keep a page; see `PageHead`. */
export interface CachePolicy {
  /** For a page with a secret: no copy may be stored. A secret address needs `canonical` (see `keepAddressSecret`). */
  neverStore?: boolean;
  /** For a step of a long form: cached although it answers a POST, so that Back shows the typed values. */
  keepForBack?: boolean;
  /** Whether this visitor's page differs from that of others, so that no shared cache may store it. */
  isPersonal?: boolean;
  /** Keeps the page out of search engines. */
  noindex?: boolean;
}

/**
 * Browsers revalidate each time. A shared cache may serve it for a few seconds, or for longer while it requests a new
 * page or the site does not answer (RFC 5861). See docs/operate.md for the set-up.
 */
export const SHARED = "public, max-age=0, s-maxage=5, stale-while-revalidate=30, stale-if-error=86400";

/**
 * Pages that need a log-in, show a secret or answer a form are not stored, so that the next person at the computer finds
 * no copy. Other pages of a logged-in user stay in the browser, which revalidates them.
 */
export function buildCacheControl(req: Request, res: Response, head: CachePolicy): string {
  if (head.keepForBack && !isRead(req)) return "private, no-cache";
  if (head.neverStore || req.needsLogin || !isRead(req)) return "no-store";
  const isShared =
    !req.viewer && !head.isPersonal && !head.noindex && res.statusCode === 200 && !req.target.hadKey;
  return isShared ? SHARED : "private, no-cache";
}
