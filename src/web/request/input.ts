import express, { type Request, type RequestHandler } from "express";
import type { z } from "zod";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { safeReturnPath } from "../../words/safe-urls.ts";
import { isObject, isTooDeep, LEVELS_AT_MOST, parseJson } from "../../words/text/json.ts";
import { badInput, HttpError } from "../pages/errors.ts";
import { isRead } from "../server/methods.ts";

const BODY_LIMIT = 64 * 1024;
const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

const readRaw = express.raw({ limit: BODY_LIMIT, type: JSON_TYPE });
/** Not by `express.json`, which rounds long numbers. */
const readJsonBody: RequestHandler = (req, res, next) => {
  readRaw(req, res, (error?: unknown) => {
    if (error !== undefined || !Buffer.isBuffer(req.body)) return next(error);
    try {
      req.body = req.body.length === 0 ? {} : readJson(readText(req.body), "body");
    } catch (wrong) {
      return next(wrong);
    }
    next();
  });
};
const parseForm = formParser(BODY_LIMIT, 1_000);

function formParser(limit: number, fields: number): RequestHandler {
  return express.urlencoded({ limit, type: FORM_TYPE, extended: false, parameterLimit: fields });
}

/** The text of a body, which must be UTF-8; a byte order mark is left out. @throws HttpError 400 */
export function readText(bytes: Buffer | undefined): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw wrongBody("body", lazyText("input.utf8"));
  }
}

/** Parses JSON of `param`, as `parseJson` does. @throws HttpError 400 if it is not JSON, or has too many levels */
export function readJson(text: string, param: string): unknown {
  const value = parsed(text, param);
  if (isTooDeep(value)) throw wrongBody(param, lazyText("input.too_deep", { max: LEVELS_AT_MOST }));
  return value;
}

function parsed(text: string, param: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw wrongBody(param, lazyText("input.json"));
  }
}

/** An error of the body, or of a part of it. */
export function wrongBody(param: string, message: ReturnType<typeof lazyText>): HttpError {
  return badInput([{ param, message }]);
}

/** An error of a parameter, for `badInput`. */
type InputError = Parameters<typeof badInput>[0][number];

/**
 * Looks the caller up again once a body is read, because a slow one may outlast a session, a key or an operator's role.
 * All readers of bodies use this; the access check is then repeated.
 */
export function recheckAfter(read: RequestHandler): RequestHandler {
  return (req, res, next) =>
    read(req, res, (error?: unknown) => {
      if (error || !hasBody(req) || !req.recheckCaller) return next(error);
      req.recheckCaller().then(() => next(), next);
    });
}

function hasBody({ headers }: Request): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"]) > 0;
}

/**
 * Reads a JSON or form body of at most 64 KiB into `req.body` (see `recheckAfter`).
 * @throws HttpError 415 for any other type, 413 past the limit, 400 if it is malformed
 */
export const readBody = recheckAfter((req, res, next) => {
  readAs([JSON_TYPE, FORM_TYPE], [readJsonBody, parseForm], req, res, next);
});

/** The same for the forms of a page that needs more than 64 KiB, or more than 1,000 fields. */
export function readLargeForm(limit: { bytes: number; fields: number }): RequestHandler {
  const parsers = [formParser(limit.bytes, limit.fields)];
  return recheckAfter((req, res, next) => readAs([FORM_TYPE], parsers, req, res, next));
}

/**
 * Reads the raw body, of some types, into `req.body` (see `recheckAfter`).
 * @throws HttpError 415 for any other type or none, 413 past the limit
 */
export function readBytes({
  types,
  bytesAtMost,
}: {
  types: readonly string[];
  bytesAtMost: number;
}): RequestHandler {
  const parse = express.raw({ limit: bytesAtMost, type: () => true });
  const wrongType = lazyText("errors.detail.types", { types: types.join(", ") });
  return recheckAfter((req, res, next) => {
    if (!req.is([...types])) return next(new HttpError("unsupportedMediaType", wrongType));
    parse(req, res, next);
  });
}

/** Passes a request to parsers, one after the other. */
function readAs(
  types: string[],
  parsers: readonly RequestHandler[],
  ...[req, res, next]: Parameters<RequestHandler>
): void {
  const parse = ([parser, ...others]: readonly RequestHandler[]): void => {
    if (parser) parser(req, res, (error?: unknown) => (error ? next(error) : parse(others)));
    else next();
  };
  const detail = lazyText("errors.detail.body_types", { json: JSON_TYPE, form: FORM_TYPE });
  if (hasBody(req) && !req.is(types)) next(new HttpError("unsupportedMediaType", detail));
  else parse(parsers);
}

/** Whether this is a plain HTML form, whose response has to be a page instead of JSON. */
export function isHtmlForm(req: Request): boolean {
  return Boolean(req.is(FORM_TYPE)) && req.accepts(["application/json", "text/html"]) === "text/html";
}

/** The path of the page with the form, if it is on this site; a proxy may have rewritten Host. */
export function refererPath(req: Request, baseUrl: string): string | undefined {
  const referer = URL.parse(req.get("referer") ?? "");
  if (!referer || (referer.host !== req.get("host") && referer.origin !== baseUrl)) return undefined;
  return safeReturnPath(referer.pathname + referer.search);
}

/**
 * Reads a schema's parameters from query string and body, and those in `inPath` from the path. A blank value counts
 * as missing, except for `q`; unknown parameters are ignored.
 * @throws HttpError 400 naming every parameter that is wrong, repeated, or given twice with different values
 */
export function parseInput<Schema extends z.ZodObject>(
  schema: Schema,
  req: Request,
  inPath: readonly string[] = [],
): z.output<Schema> {
  return parseFrom(schema, req, { inPath, sources: collectSources(req) });
}

/** The same for a request whose body has no parameters. */
export function parseParameters<Schema extends z.ZodObject>(
  schema: Schema,
  req: Request,
  inPath: readonly string[],
): z.output<Schema> {
  return parseFrom(schema, req, { inPath, sources: [req.query] });
}

function parseFrom<Schema extends z.ZodObject>(
  schema: Schema,
  req: Request,
  { inPath, sources }: { inPath: readonly string[]; sources: Record<string, unknown>[] },
): z.output<Schema> {
  const errors: InputError[] = [];
  const values: Record<string, string> = {};
  for (const param of Object.keys(schema.shape)) {
    const value = collect(param, inPath.includes(param) ? [req.params] : sources, errors);
    if (value !== undefined) values[param] = value;
  }
  const parsed = schema.safeParse(values);
  const refused = new Set(errors.map((error) => error.param));
  for (const issue of parsed.error?.issues ?? []) {
    const param = String(issue.path[0]);
    if (!refused.has(param)) errors.push({ param, message: issue.message });
    refused.add(param);
  }
  if (errors.length > 0 || !parsed.success) throw badInput(errors);
  return parsed.data;
}

function collectSources(req: Request): Record<string, unknown>[] {
  if (isRead(req)) return [req.query];
  const body: unknown = req.body === undefined ? {} : req.body;
  if (!isObject(body)) {
    throw badInput([{ param: "body", message: lazyText("input.json_object") }]);
  }
  return [body as Record<string, unknown>, req.query];
}

function collect(
  param: string,
  sources: Record<string, unknown>[],
  errors: InputError[],
): string | undefined {
  const found: string[] = [];
  for (const source of sources) {
    if (!Object.hasOwn(source, param)) continue;
    const value = asText(param, source[param], errors);
    if (value !== undefined) found.push(value);
  }
  const [first, second] = found;
  if (second !== undefined && second !== first) errors.push({ param, message: lazyText("input.two_values") });
  return first;
}

function asText(param: string, value: unknown, errors: InputError[]): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number") return String(value);
  if (typeof value === "string")
    return value.trim() === "" && param !== "q" ? undefined : value.normalize("NFC");
  const repeated = Array.isArray(value);
  errors.push({ param, message: repeated ? lazyText("input.repeated") : lazyText("input.text_or_number") });
  return undefined;
}
