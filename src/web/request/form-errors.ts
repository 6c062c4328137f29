import type { ErrorRequestHandler, RequestHandler } from "express";
import { showError } from "../pages/error-page.ts";
import { isHtmlForm, refererPath } from "./input.ts";
import { splitLanguage } from "./locale.ts";

/** Answers a plain HTML form to /api, whose own page cannot show the error, with an error page and a link back. */
export function formErrorHandler(baseUrl: string, siteData: RequestHandler): ErrorRequestHandler {
  return (thrown, req, res, next) => {
    if (!isHtmlForm(req)) return next(thrown);
    const from = refererPath(req, baseUrl) ?? "/";
    req.pathLanguage = splitLanguage(from).language;
    siteData(req, res, (failure) => {
      if (failure) return next(failure);
      showError(thrown, req, res, { next, insteadOf: from });
    });
  };
}
