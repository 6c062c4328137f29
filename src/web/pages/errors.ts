import type { ErrorRequestHandler } from "express";
import type { ParseKeys } from "i18next";
import { type DatabaseFailure, databaseFailure } from "../../db/failures.ts";
import { isSessionOver } from "../../db/sessions.ts";
import { FALLBACK, type Language } from "../../words/i18n/languages.ts";
import { type LazyText, lazyText, parseZodMessage, translateText } from "../../words/i18n/lazy-text.ts";
import { TEXTS, translate } from "../../words/i18n/translate.ts";
import { type EntityKind, kindBySingular } from "../../words/kinds/kinds.ts";
import { sentStale } from "../answers/answer-scope.ts";
import { languageVary, localeOf } from "../request/locale.ts";
import { logFailure } from "../server/log.ts";

/** An error of one parameter; `message` completes "<param> …" in English, `said` in any language. */
export interface ParameterError {
  param: string;
  message: string;
  said?: LazyText;
}

interface Problem {
  status: number;
  /** Last part of the problem's `type` URI, and the anchor of its description on /docs/errors. */
  slug: string;
  title: ParseKeys;
  meaning: ParseKeys;
}

/** All problem types of error responses. */
export const PROBLEMS = {
  badInput: problem(400, "bad_input"),
  unauthorized: problem(401, "unauthorized"),
  forbidden: problem(403, "forbidden"),
  notFound: problem(404, "not_found"),
  moved: problem(308, "moved"),
  gone: problem(410, "gone"),
  methodNotAllowed: problem(405, "method_not_allowed"),
  conflict: problem(409, "conflict"),
  preconditionFailed: problem(412, "precondition_failed"),
  payloadTooLarge: problem(413, "payload_too_large"),
  unsupportedMediaType: problem(415, "unsupported_media_type"),
  keyReused: problem(422, "idempotency_key_reused"),
  tooManyRequests: problem(429, "too_many_requests"),
  internal: problem(500, "internal"),
  unavailable: problem(503, "unavailable"),
} as const satisfies Record<string, Problem>;

/** The problem type of a slug, or undefined for an unknown or former one. */
export function findProblem(slug: string | null): Problem | undefined {
  return Object.values(PROBLEMS).find((each) => each.slug === slug);
}

export type ProblemName = keyof typeof PROBLEMS;

function problem<const Name extends string>(status: number, name: Name) {
  return {
    status,
    slug: name.replaceAll("_", "-"),
    title: `errors.${name}.title`,
    meaning: `errors.${name}.meaning`,
  } as const;
}

/** Texts of 404 responses, by what is missing. */
const NO_SUCH = TEXTS.errors.no_such;

export type Missing = keyof typeof NO_SUCH | EntityKind;

/**
 * An error that the client may see; any other becomes `internal`, without its message. The `detail` is a sentence, or
 * one of `said` for any language. The `message` is the English one.
 */
export class HttpError extends Error {
  override name = "HttpError";
  readonly problem: Problem;
  readonly said: LazyText | undefined;
  readonly errors: ParameterError[] | undefined;
  readonly headers: Record<string, string>;
  /** Members of the response in addition to those of RFC 9457. */
  readonly members: Record<string, unknown>;
  /** Refused under load: the response must be cheap, and the log gets no line for it. */
  readonly isShed: boolean;

  constructor(
    name: ProblemName,
    detail: string | LazyText,
    more: {
      errors?: ParameterError[];
      headers?: Record<string, string>;
      members?: Record<string, unknown>;
      cause?: unknown;
      isShed?: boolean;
    } = {},
  ) {
    super(translateText(detail), { cause: more.cause });
    this.problem = PROBLEMS[name];
    this.said = typeof detail === "string" ? undefined : detail;
    this.errors = more.errors;
    this.headers = more.headers ?? {};
    this.members = more.members ?? {};
    this.isShed = more.isShed ?? false;
  }
}

/**
 * 400 that names every wrong parameter. A message may be one of `said`, for any language.
 * @param members further members of the response
 */
export function badInput(
  wrong: readonly { param: string; message: string | LazyText }[],
  members?: Record<string, unknown>,
): HttpError {
  const errors = wrong.map(({ param, message }) => {
    const text = typeof message === "string" ? parseZodMessage(message) : message;
    return { param, message: translateText(text), ...(typeof text === "object" && { said: text }) };
  });
  return new HttpError("badInput", listErrors(errors, FALLBACK), { errors, ...(members && { members }) });
}

/** The message of a parameter's error in a language; it completes `input.sentence`. */
export function messageIn(language: Language, { message, said }: ParameterError): string {
  return said ? translateText(said, language) : message;
}

/** The detail of an error in a language. */
export function detailIn(language: Language, { message, said, errors }: HttpError): string {
  if (errors) return listErrors(errors, language);
  return said ? translateText(said, language) : message;
}

function listErrors(errors: ParameterError[], language: Language): string {
  const t = translate(language);
  const lines = errors.map((error) =>
    t("input.line", { label: error.param, message: messageIn(language, error) }),
  );
  return `${lines.join("; ")}.`;
}

/** 404 for a missing resource: `notFound("server")` says "There is no such server." */
export function notFound(missing: Missing): HttpError {
  const key = isNamed(missing)
    ? (`errors.no_such.${missing}` as const)
    : (`kinds.${kindBySingular(missing)}.no_such` as const);
  return new HttpError("notFound", lazyText(key));
}

/** 410 for a removed record; the response has the time of its removal. */
export function gone(removedAt: Date): HttpError {
  const members = { removed_at: removedAt.toISOString() };
  return new HttpError("gone", lazyText("errors.detail.removed"), { members });
}

/** 308 to the record that another one was merged into. Nothing caches it, because a merge can be undone. */
export function moved(location: string): HttpError {
  return new HttpError("moved", lazyText("errors.detail.moved"), { headers: { Location: location } });
}

function isNamed(missing: Missing): missing is keyof typeof NO_SUCH {
  return Object.hasOwn(NO_SUCH, missing);
}

/** 401 with the challenge that RFC 9110, section 11.6.1, requires. */
export function unauthorized(detail: string | LazyText): HttpError {
  return new HttpError("unauthorized", detail, { headers: { "WWW-Authenticate": 'ApiKey realm="api"' } });
}

/** 405 with exactly these methods in `Allow`. */
export function methodNotAllowed(methods: readonly string[]): HttpError {
  const listed = methods.join(", ");
  return new HttpError("methodNotAllowed", lazyText("errors.detail.methods", { methods: listed }), {
    headers: { Allow: listed },
  });
}

/** 503 while a search has no index yet. The real time is unknown, so clients retry after 5 seconds. */
export function searchNotReady(): HttpError {
  const headers = { "Retry-After": "5" };
  return new HttpError("unavailable", lazyText("errors.detail.search_not_ready"), { headers });
}

/** 503 for a request refused under load. */
export function siteIsBusy(): HttpError {
  const headers = { "Retry-After": "3" };
  return new HttpError("unavailable", lazyText("errors.detail.busy"), { headers, isShed: true });
}

/** 429 for a page, for a client that has opened very many. */
export function tooManyPages(retryAfterS: number): HttpError {
  const headers = { "Retry-After": `${retryAfterS}` };
  return new HttpError("tooManyRequests", lazyText("errors.detail.many_pages"), { headers, isShed: true });
}

const DATABASE_FAILURES = {
  away: { detail: "errors.detail.database_away", retryAfter: "5" },
  "read-only": { detail: "errors.detail.database_read_only", retryAfter: "60" },
  overloaded: { detail: "errors.detail.database_overloaded", retryAfter: "5" },
} as const satisfies Record<DatabaseFailure, { detail: ParseKeys; retryAfter: string }>;

/** Converts anything thrown to an error that may be shown: known failures by name, the rest as `internal`. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (isSessionOver(error)) return unauthorized(lazyText("errors.detail.login_needed"));
  const failure = databaseFailure(error);
  if (failure) {
    const { detail, retryAfter } = DATABASE_FAILURES[failure];
    return new HttpError("unavailable", lazyText(detail), {
      headers: { "Retry-After": retryAfter },
      cause: error,
    });
  }
  return (
    fromBodyParser(error) ?? new HttpError("internal", lazyText("errors.detail.internal"), { cause: error })
  );
}

/** body-parser and Express's router mark the client's errors with a `status`. */
function fromBodyParser(error: unknown): HttpError | undefined {
  if (!(error instanceof Error) || !("status" in error)) return undefined;
  if (error.status === 413) {
    const kilobytes = "limit" in error ? Number(error.limit) / 1024 : undefined;
    const detail =
      kilobytes === undefined
        ? lazyText("errors.detail.too_many_fields")
        : lazyText("errors.detail.too_many_bytes", { kilobytes });
    return new HttpError("payloadTooLarge", detail);
  }
  if (error.status === 415) return new HttpError("unsupportedMediaType", lazyText("errors.detail.charset"));
  if (error instanceof URIError)
    return badInput([{ param: "path", message: lazyText("input.percent_encoding") }]);
  // An error of decompression comes from Node, with `errno` and without `type`.
  if (error.status === 400 && "errno" in error && !("type" in error))
    return badInput([{ param: "body", message: lazyText("input.compressed") }]);
  if (error.status === 400) return badInput([{ param: "request", message: lazyText("input.cut_short") }]);
  return undefined;
}

/** A problem's `type`, which programs compare, so it is the same in every language. */
export function problemType(baseUrl: string, slug: string): string {
  return `${baseUrl}/docs/errors#${slug}`;
}

/** RFC 9457 problem details. `type` resolves to the problem's description on this site. */
export function problemBody(
  error: HttpError,
  language: Language,
  baseUrl: string,
  requestId: string,
): Record<string, unknown> {
  const { slug, title, status } = error.problem;
  const errors = error.errors?.map((each) => ({ param: each.param, message: messageIn(language, each) }));
  return {
    type: problemType(baseUrl, slug),
    title: translate(language)(title),
    status,
    detail: detailIn(language, error),
    ...(errors && { errors }),
    ...error.members,
    ...(status >= 500 && { request_id: requestId }),
  };
}

/** Sends errors as problem details in the client's language, for everything but pages. */
export function problemHandler(baseUrl: string): ErrorRequestHandler {
  return (thrown, req, res, next) => {
    if (sentStale(req, thrown)) return;
    const error = toHttpError(thrown);
    req.failure = error;
    logFailure(req, error);
    if (res.writableEnded) return;
    if (res.headersSent) return next(thrown);
    dropEntityHeaders(res);
    const { language } = localeOf(req);
    for (const header of languageVary(req)) res.vary(header);
    res.set(error.headers).set("Cache-Control", "no-store").set("Content-Language", language);
    res.status(error.problem.status).type("application/problem+json");
    res.send(JSON.stringify(problemBody(error, language, baseUrl, String(req.id))));
  };
}

/** Removes headers that a handler set before it failed. */
export function dropEntityHeaders(res: { removeHeader(name: string): void }): void {
  for (const name of ["ETag", "Last-Modified", "Content-Encoding", "Content-Type"]) res.removeHeader(name);
}
