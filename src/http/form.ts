import type { Request, RequestHandler } from "express";
import type { z } from "zod";
import { said } from "../i18n/said.ts";
import { HttpError, messageIn, type ParameterError } from "./errors.ts";
import { parseInput, readBody } from "./input.ts";
import { localeOf } from "./locale.ts";
import { requireLogin } from "./page.ts";
import { logSecurity } from "./security-log.ts";

/** What is wrong with each field of a form, in the reader's language; a message completes `input.sentence`. */
export type FieldErrors = Record<string, string>;

/** A form that a page received: its values, or what is wrong with them. */
export type Form<Values> =
  | { values: Values; errors?: undefined }
  | { values?: undefined; errors: FieldErrors };

/**
 * Lets in who is logged in, and reads the form that they send. A body may be held back for minutes: what has become of
 * the session meanwhile is looked at again before anything is done.
 */
export const readOwnForm: RequestHandler[] = [requireLogin, readBody, requireLogin];

/**
 * Reads a page's form by its schema. What is wrong comes back by field instead of being thrown, because the page is
 * shown again with every message beside its field.
 * @throws HttpError for a body that is no form at all
 */
export function readForm<Schema extends z.ZodObject>(schema: Schema, req: Request): Form<z.output<Schema>> {
  try {
    return { values: parseInput(schema, req) };
  } catch (error) {
    if (!(error instanceof HttpError) || !error.errors) throw error;
    if (error.errors.some(({ param }) => !Object.hasOwn(schema.shape, param))) throw error;
    return { errors: fieldErrors(req, error.errors) };
  }
}

/** What is wrong with parameters, by their names, in the language of whoever sent them. */
function fieldErrors(req: Request, errors: readonly ParameterError[]): FieldErrors {
  const { language } = localeOf(req);
  return Object.fromEntries(errors.map((error) => [error.param, messageIn(language, error)]));
}

/** What was typed into the named fields, to be shown again. Never name a password's field here. */
export function typedText(req: Request, fields: readonly string[]): Record<string, string> {
  const body: Record<string, unknown> = req.body ?? {};
  return Object.fromEntries(
    fields.map((field) => [field, typeof body[field] === "string" ? body[field] : ""]),
  );
}

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
