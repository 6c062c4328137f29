import type { RequestHandler } from "express";
import { said } from "../i18n/said.ts";
import { HttpError } from "./errors.ts";
import { readBody } from "./input.ts";
import { requireLogin } from "./page.ts";
import { logSecurity } from "./security-log.ts";

/** Lets only operators pass: a visitor is sent to the log-in page and back, any other user is refused. */
export const requireOperator: RequestHandler = (req, res, next) => {
  requireLogin(req, res, (error) => {
    if (error || req.viewer?.role === "operator") return next(error);
    logSecurity(req, "access.refused", { reason: "role" });
    next(new HttpError("forbidden", said("errors.detail.operators_only")));
  });
};

/** What `readOwnForm` is for users; whoever has ceased to be an operator by then is refused as well. */
export const readOperatorForm: RequestHandler[] = [requireOperator, readBody, requireOperator];
