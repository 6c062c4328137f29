import type { IncomingMessage } from "node:http";
import type { Request, RequestHandler, Router } from "express";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { badInput, methodNotAllowed } from "../pages/errors.ts";

export function isRead({ method }: Pick<IncomingMessage, "method">): boolean {
  return method === "GET" || method === "HEAD";
}

/** Answers 405 to a method that the route does not have. Mount it last, by `all`. */
export const refuseOthers: RequestHandler = (req, _res, next) => next(methodNotAllowed(listMethods(req)));

/** Answers OPTIONS with the methods of the route. */
export const answerOptions: RequestHandler = (req, res) => {
  res.set("Allow", listMethods(req).join(", ")).status(204).end();
};

/** The methods of a request's route. Express lists its handlers for all methods as `_all`. */
function listMethods({ route }: Request): string[] {
  const { _all, get, ...others } = route.methods as Record<string, boolean>;
  const written = Object.keys(others).map((method) => method.toUpperCase());
  return get ? ["GET", "HEAD", ...written] : written;
}

/** Mounts a read-only resource, such as a feed: GET, HEAD and OPTIONS; 405 for all others. */
export function mountReadOnly(router: Router, path: string, show: RequestHandler): void {
  router.route(path).get(show).options(answerOptions).all(refuseOthers);
}

/**
 * Answers requests whose target is `*` instead of a path: `OPTIONS *` concerns the whole server (RFC 9110, section
 * 9.3.7), and no other method may use it.
 */
export const answerWholeServer: RequestHandler = (req, res, next) => {
  if (req.path.startsWith("/")) return next();
  if (req.method !== "OPTIONS") return next(badInput([{ param: "path", message: lazyText("input.slash") }]));
  res.set("Allow", "GET, HEAD, OPTIONS, POST");
  res.status(204).end();
};
