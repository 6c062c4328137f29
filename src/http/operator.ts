import type { RequestHandler } from "express";
import { HttpError } from "./errors.ts";
import { requireLogin } from "./page.ts";

/** Lets only operators pass: a visitor is sent to the log-in page and back, any other user is refused. */
export const requireOperator: RequestHandler = (req, res, next) => {
  if (!req.viewer) return requireLogin(req, res, next);
  if (req.viewer.role === "operator") return next();
  next(new HttpError("forbidden", "This page is for the operators of the site."));
};
