import type { Request, Response } from "express";
import { withoutKey } from "../urls.ts";

/** Who may keep a copy of a page; see `PageHead`. */
export interface CachePolicy {
  /**
   * For a page that shows a secret: no copy of it may stay anywhere. Where its own address holds one (see
   * `keepAddressSecret`), `canonical` says what links may call the page instead.
   */
  neverStore?: boolean;
  /** For a step of a long form: the browser keeps it although it answers a form, so that Back leads to what was typed. */
  keepForBack?: boolean;
  /** Keeps the page out of search engines. */
  noindex?: boolean;
}

/**
 * What needs a log-in, shows a secret or answers a form stays nowhere: whoever sits down at the same computer after a
 * log-out finds no copy of it. Other pages of who is logged in stay with the browser, which asks before it shows them.
 */
export function cacheControlOf(req: Request, res: Response, head: CachePolicy): string {
  if (head.keepForBack && !isRead(req)) return "private, no-cache";
  if (head.neverStore || req.needsLogin || !isRead(req)) return "no-store";
  const isShared = !req.viewer && !head.noindex && res.statusCode === 200 && !hasKey(req);
  return isShared ? "public, no-cache" : "private, no-cache";
}

/** True where the address holds what stands for an API key: it is in no shared cache then, and in no Referer. */
export function hasKey({ originalUrl }: Request): boolean {
  return withoutKey(originalUrl) !== originalUrl;
}

/** False for what sends something, such as a form. */
export function isRead({ method }: Request): boolean {
  return method === "GET" || method === "HEAD";
}
