import type { Request } from "express";
import { safeReturnPath } from "../urls.ts";

/** The path of the page that a form was on, when that page is ours; a proxy in front may have rewritten Host. */
export function refererPath(req: Request, baseUrl: string): string | undefined {
  const referer = URL.parse(req.get("referer") ?? "");
  if (!referer || (referer.host !== req.get("host") && referer.origin !== baseUrl)) return undefined;
  return safeReturnPath(referer.pathname + referer.search);
}
