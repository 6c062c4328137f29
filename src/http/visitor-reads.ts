import type { IncomingMessage, RequestListener } from "node:http";
import { paths } from "../urls.ts";

/** The cookie of a session that is stored; its name may have a prefix. */
const SESSION = /almanac\.sid=(?!anonymous\.)/;

/** A parameter that is or may be `api_key`: percent-encoded names are not decoded here. */
const MAYBE_KEY = /[?&](api_key\b|[^=&]*%)/;

/** Passes requests on, those of visitors that only read by way of `serve`. */
export function visitorReads(answer: RequestListener, serve: (call: () => void) => void): RequestListener {
  return (req, res) => {
    if (isVisitorRead(req)) serve(() => answer(req, res));
    else answer(req, res);
  };
}

/** Whoever can write reads what was written: a user, and who has a key. */
function isVisitorRead({ method, headers, url = "" }: IncomingMessage): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  if (headers["x-api-key"] !== undefined || MAYBE_KEY.test(url) || SESSION.test(headers.cookie ?? ""))
    return false;
  // It tells of the primary.
  return url !== paths.readiness();
}
