import type { ErrorRequestHandler, Request } from "express";
import { isDatabaseAway } from "../db/connect.ts";

/** One thing that is wrong with one parameter; `message` completes the sentence "<param> …". */
export interface ParameterError {
  param: string;
  message: string;
}

interface Problem {
  status: number;
  /** Last part of the problem's `type` URI, and the anchor of its description on /docs/errors. */
  slug: string;
  title: string;
  meaning: string;
}

/** The whole error vocabulary: what every answer that is not a success may say. */
export const PROBLEMS = {
  badInput: problem(
    400,
    "bad-input",
    "Bad input",
    "A parameter or the body is wrong; `errors` names every one.",
  ),
  unauthorized: problem(
    401,
    "unauthorized",
    "Credentials needed",
    "No live session or API key was sent, or the key that was sent is unknown, revoked or expired.",
  ),
  forbidden: problem(
    403,
    "forbidden",
    "Not allowed",
    "The caller is known and may not do this, or another site asked.",
  ),
  notFound: problem(
    404,
    "not-found",
    "Not found",
    "There is nothing at this path, or no thing with this id.",
  ),
  methodNotAllowed: problem(
    405,
    "method-not-allowed",
    "Method not allowed",
    "`Allow` lists the methods that work here.",
  ),
  payloadTooLarge: problem(413, "payload-too-large", "Body too large", "A request body may hold 64 KiB."),
  unsupportedMediaType: problem(
    415,
    "unsupported-media-type",
    "Unsupported body",
    "Bodies are application/json or application/x-www-form-urlencoded, in UTF-8.",
  ),
  tooManyRequests: problem(
    429,
    "too-many-requests",
    "Too many requests",
    "Wait for the seconds in `Retry-After`.",
  ),
  internal: problem(
    500,
    "internal",
    "Something broke here",
    "The fault is the site's; quote `request_id` to its operator.",
  ),
  unavailable: problem(
    503,
    "unavailable",
    "Not available now",
    "The site is busy or its database is away; try again later.",
  ),
} as const satisfies Record<string, Problem>;

export type ProblemName = keyof typeof PROBLEMS;

function problem(status: number, slug: string, title: string, meaning: string): Problem {
  return { status, slug, title, meaning };
}

/** An error that may be told to the client as it is. Everything else becomes `internal`, without its message. */
export class HttpError extends Error {
  override name = "HttpError";
  readonly problem: Problem;
  readonly errors: ParameterError[] | undefined;
  readonly headers: Record<string, string>;

  constructor(
    name: ProblemName,
    detail: string,
    more: { errors?: ParameterError[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(detail, { cause: more.cause });
    this.problem = PROBLEMS[name];
    this.errors = more.errors;
    this.headers = more.headers ?? {};
  }
}

/** 400 that names every wrong parameter at once. */
export function badInput(errors: ParameterError[]): HttpError {
  const detail = errors.map((error) => `${error.param} ${error.message}`).join("; ");
  return new HttpError("badInput", `${detail}.`, { errors });
}

/** 404 for a thing that does not exist: `notFound("server")` says "There is no such server." */
export function notFound(thing: string): HttpError {
  return new HttpError("notFound", `There is no such ${thing}.`);
}

/** 401 with the challenge that RFC 9110, section 11.6.1, asks for. */
export function unauthorized(detail: string): HttpError {
  return new HttpError("unauthorized", detail, { headers: { "WWW-Authenticate": 'ApiKey realm="api"' } });
}

/** 405 with `Allow`. HEAD comes with GET; OPTIONS is always answered. */
export function methodNotAllowed(methods: readonly string[]): HttpError {
  return new HttpError("methodNotAllowed", `Only ${methods.join(", ")} work here.`, {
    headers: { Allow: methods.join(", ") },
  });
}

/** Turns whatever was thrown into an error that may be shown: known failures by name, the rest as `internal`. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (isDatabaseAway(error)) {
    const headers = { "Retry-After": "5" };
    return new HttpError("unavailable", "The database does not answer; try again in a few seconds.", {
      headers,
      cause: error,
    });
  }
  return (
    fromBodyParser(error) ?? new HttpError("internal", "The request failed on this side.", { cause: error })
  );
}

/** body-parser and Express's router mark what the client did wrong with a `status` and, mostly, a `type`. */
function fromBodyParser(error: unknown): HttpError | undefined {
  if (!(error instanceof Error) || !("status" in error)) return undefined;
  const type = "type" in error ? error.type : undefined;
  if (error.status === 413) {
    return new HttpError("payloadTooLarge", "The body is larger than 64 KiB or has too many fields.");
  }
  if (error.status === 415) {
    return new HttpError("unsupportedMediaType", "The body's character set or encoding is not supported.");
  }
  if (error instanceof URIError)
    return badInput([{ param: "path", message: "is not valid percent-encoding" }]);
  if (type === "entity.parse.failed")
    return badInput([{ param: "body", message: "is not well-formed JSON" }]);
  if (error.status === 400) return badInput([{ param: "request", message: "could not be read to its end" }]);
  return undefined;
}

/** RFC 9457 problem details. `type` resolves to the problem's description on this site. */
function problemBody(error: HttpError, baseUrl: string, requestId: string): Record<string, unknown> {
  const { slug, title, status } = error.problem;
  return {
    type: `${baseUrl}/docs/errors#${slug}`,
    title,
    status,
    detail: error.message,
    ...(error.errors && { errors: error.errors }),
    ...(status >= 500 && { request_id: requestId }),
  };
}

/** Answers errors as problem details: for /api, feeds and all else that is not a page. */
export function problemHandler(baseUrl: string): ErrorRequestHandler {
  return (thrown, req, res, next) => {
    const error = toHttpError(thrown);
    logFailure(req, error);
    if (res.headersSent) return next(thrown);
    dropEntityHeaders(res);
    res.set(error.headers).set("Cache-Control", "no-store").status(error.problem.status);
    res.type("application/problem+json").send(JSON.stringify(problemBody(error, baseUrl, String(req.id))));
  };
}

/** Headers that a handler set for the answer it then failed to give. */
export function dropEntityHeaders(res: { removeHeader(name: string): void }): void {
  for (const name of ["ETag", "Last-Modified", "Content-Encoding", "Content-Type"]) res.removeHeader(name);
}

/** 5xx go to the log whole; what the client did wrong is in the access log already. */
export function logFailure(req: Request, error: HttpError): void {
  if (error.problem.status >= 500) req.log.error({ err: error.cause ?? error }, error.message);
}
