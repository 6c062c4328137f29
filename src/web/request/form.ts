import type { ErrorRequestHandler, Request, RequestHandler } from "express";
import type { z } from "zod";
import { type Role, SessionEndedError } from "../../db/sessions.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { showError } from "../pages/error-page.ts";
import { HttpError, messageIn, type ParameterError } from "../pages/errors.ts";
import { requireLogin } from "../pages/page.ts";
import { logSecurity } from "../server/security-log.ts";
import { isHtmlForm, parseInput, readBody, refererPath } from "./input.ts";
import { localeOf, splitLanguage } from "./locale.ts";
import { keepPendingForm } from "./pending-form.ts";

/** Errors by field of a form, in the user's language; a message completes `input.sentence`. */
export type FieldErrors = Record<string, string>;

type Form<Values> = { values: Values; errors?: undefined } | { values?: undefined; errors: FieldErrors };

/**
 * Requires a log-in, reads the form, and checks the log-in again, because a slow body may take minutes. Stores nothing.
 */
export const readOwnForm: RequestHandler[] = [requireLogin, readBody, requireLogin];

/** The same for a form with text fields, which are kept if the session has ended (see `keepPendingForm`). */
export function readTypedForm(names: readonly string[]): RequestHandler[] {
  return [keepPendingForm(names), ...readOwnForm];
}

/**
 * Reads a page's form; returns its errors by field, none if it is only shown again. Throws HttpError for a body that is
 * not a form.
 */
export function readForm<Schema extends z.ZodObject>(schema: Schema, req: Request): Form<z.output<Schema>> {
  if (req.isReplay) return { errors: {} };
  try {
    return { values: parseInput(schema, req) };
  } catch (error) {
    if (!(error instanceof HttpError) || !error.errors) throw error;
    if (error.errors.some(({ param }) => !Object.hasOwn(schema.shape, param))) throw error;
    return { errors: fieldErrors(req, error.errors) };
  }
}

function fieldErrors(req: Request, errors: readonly ParameterError[]): FieldErrors {
  const { language } = localeOf(req);
  return Object.fromEntries(errors.map((error) => [error.param, messageIn(language, error)]));
}

/** The text typed into some fields, to show it again. Never use it for a password. */
export function typedText(req: Request, fields: readonly string[]): Record<string, string> {
  const body: Record<string, unknown> = req.body ?? {};
  return Object.fromEntries(
    fields.map((field) => [field, typeof body[field] === "string" ? body[field] : ""]),
  );
}

/** Requires an operator: sends a visitor to the log-in page and back, refuses any other user. */
export const requireOperator: RequestHandler = (req, res, next) => {
  requireLogin(req, res, (error) => next(error ?? roleError(req)));
};

/** The same for pages that editors may use, too. */
export const requireEditor: RequestHandler = (req, res, next) => {
  requireLogin(req, res, (error) => next(error ?? roleError(req, ["editor", "operator"])));
};

function roleError(req: Request, roles: readonly Role[] = ["operator"]): HttpError | undefined {
  if (req.viewer && roles.includes(req.viewer.role)) return undefined;
  logSecurity(req, "access.refused", { reason: "role" });
  return new HttpError("forbidden", lazyText("errors.detail.operators_only"));
}

/**
 * Checks before a change, after slow work, that its operator still is one.
 * @throws SessionEndedError, HttpError 403
 */
export async function confirmOperator(req: Request): Promise<void> {
  await req.recheckCaller?.();
  if (!req.viewer) throw new SessionEndedError();
  const error = roleError(req);
  if (error) throw error;
}

/** Like `readOwnForm`, for operators. */
export const readOperatorForm: RequestHandler[] = [requireOperator, readBody, requireOperator];

/** Sends an error page with a link back to a plain HTML form to /api, if the form's own page cannot show the error. */
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
