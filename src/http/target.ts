import type { RequestHandler } from "express";
import { said } from "../i18n/said.ts";
import { badInput } from "./errors.ts";
import { READ_METHODS } from "./read-only.ts";

/**
 * Answers requests whose target is no path: `OPTIONS *` asks what the server as a whole can do (RFC 9110, section
 * 9.3.7), and `*` means nothing to any other method. No route and no session exists for such a target.
 */
export const answerWholeServer: RequestHandler = (req, res, next) => {
  if (req.path.startsWith("/")) return next();
  if (req.method !== "OPTIONS") return next(badInput([{ param: "path", message: said("input.slash") }]));
  res
    .set("Allow", [...READ_METHODS, "POST"].join(", "))
    .status(204)
    .end();
};
