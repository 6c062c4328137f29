import type { RequestHandler, Router } from "express";
import { methodNotAllowed } from "./errors.ts";

/** What works where nothing can be written. */
export const READ_METHODS = ["GET", "HEAD", "OPTIONS"];

/** Mounts something that can only be read, such as a feed: GET and HEAD, OPTIONS, and 405 for all else. */
export function mountReadOnly(router: Router, path: string, show: RequestHandler): void {
  const route = router.route(path).get(show);
  route.options((_req, res) => void res.set("Allow", READ_METHODS.join(", ")).status(204).end());
  route.all((_req, _res, next) => next(methodNotAllowed(READ_METHODS)));
}
