import type { IncomingMessage } from "node:http";
import type { RequestHandler, Router } from "express";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { badInput, methodNotAllowed } from "../pages/errors.ts";

const READ_METHODS = ["GET", "HEAD", "OPTIONS"];

export function isRead({ method }: Pick<IncomingMessage, "method">): boolean {
  return method === "GET" || method === "HEAD";
}

/** Answers 405 to all methods but these. */
export function only(...methods: string[]): RequestHandler {
  return (_req, _res, next) => next(methodNotAllowed(methods));
}

/** Mounts a read-only resource, such as a feed: GET, HEAD and OPTIONS; 405 for all others. */
export function mountReadOnly(router: Router, path: string, show: RequestHandler): void {
  const route = router.route(path).get(show);
  route.options((_req, res) => void res.set("Allow", READ_METHODS.join(", ")).status(204).end());
  route.all(only(...READ_METHODS));
}

/**
 * Answers requests whose target is `*` instead of a path: `OPTIONS *` concerns the whole server (RFC 9110, section
 * 9.3.7), and no other method may use it.
 */
export const answerWholeServer: RequestHandler = (req, res, next) => {
  if (req.path.startsWith("/")) return next();
  if (req.method !== "OPTIONS") return next(badInput([{ param: "path", message: lazyText("input.slash") }]));
  res.set("Allow", [...READ_METHODS, "POST"].join(", "));
  res.status(204).end();
};
