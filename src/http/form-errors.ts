import type { ErrorRequestHandler, RequestHandler } from "express";
import { isHtmlForm, refererPath } from "./input.ts";
import { splitLanguage } from "./locale.ts";
import { showError } from "./page.ts";

/**
 * Shows whoever sent a plain HTML form to /api what could not be told on the form's own page, as where the database
 * that holds sessions is away: a page with a way back, in that page's language. Other clients are left to the next
 * handler. `siteData` gives a request what pages need to know of the site.
 */
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
