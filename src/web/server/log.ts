import { randomUUID } from "node:crypto";
import type { Request, RequestHandler, Response } from "express";
import { type DestinationStream, type Logger, type LoggerOptions, pino } from "pino";
import { callAs } from "../../db/work.ts";
import type { Config } from "../../settings/config.ts";
import { paths } from "../../words/urls.ts";
import { withoutPort } from "./client-address.ts";
import { routeNameOf } from "./route-name.ts";

/** The maximum number of characters in a line, so that long addresses do not fill the disk. */
const LINE = 4_000;
/** The maximum number of characters of a text in a line that is too long; fewer if that is not enough. */
const TEXT = 1_200;
const TEXT_AT_LEAST = 20;
/** How many elements of a list and fields of an object are kept. */
const PARTS = 40;

/**
 * Logs each request, with an id (`X-Request-Id`) that error responses repeat. Leaves out headers, and cuts keys and
 * tokens from the address.
 *
 * It creates a request's logger only when needed. pino-http creates one for each request, at half the cost of a whole
 * request of a bare Express app.
 */
export function requestLog(log: Logger): RequestHandler {
  const requestLogger = { configurable: true, get: makeLogger(log) };
  const security = securityLog(log);
  return (req, res, next) => {
    const started = Date.now();
    req.id = randomUUID();
    res.setHeader("X-Request-Id", req.id);
    // Reads the address now, because it is lost if the client disconnects early.
    req.address = withoutPort(req.ip ?? "unknown");
    req.securityLog = security;
    Object.defineProperty(req, "log", requestLogger);
    // Without a listener, a connection's error would end the process.
    res.on("error", (error) => req.log.error({ err: error }, "request errored"));
    res.on("close", () => {
      const level = res.statusCode >= 500 && !isExpected(req) ? "error" : "debug";
      if (log.isLevelEnabled(level)) logAnswer(req, res, level, Date.now() - started);
    });
    callAs(() => ({ request: req.id, route: routeNameOf(req) }), next);
  };
}

/** Whether a 503 is no failure: one under load (see `logShed`), or for a load balancer's check. */
function isExpected(req: Request): boolean {
  return req.isShed === true || req.originalUrl === paths.readiness();
}

/** The properties of an HttpError for the log. */
interface Failure {
  readonly message: string;
  readonly cause?: unknown;
  readonly isShed: boolean;
  readonly problem: { readonly status: number };
}

/** Logs errors of 5xx in full; the client's errors are in the access log. */
export function logFailure(req: Request, error: Failure): void {
  if (error.isShed && error.problem.status === 503) logShed(req);
  else if (error.problem.status >= 500) req.log.error({ err: error.cause ?? error }, error.message);
}

/** One line a minute with the number of refused requests, so that a flood does not fill the log. */
function logShed(req: Request): void {
  req.isShed = true;
  shed.count += 1;
  if (Date.now() - shed.toldAt < SHED_TOLD_MS) return;
  req.log.warn({ refused: shed.count }, "too much is asked at once: requests were refused with 503");
  Object.assign(shed, { count: 0, toldAt: Date.now() });
}

const SHED_TOLD_MS = 60_000;
const shed = { count: 0, toldAt: Number.NEGATIVE_INFINITY };

/** The log of security events, which writes at any LOG_LEVEL except `silent`. */
export function securityLog(log: Logger): Logger {
  return log.child({}, { level: log.level === "silent" ? "silent" : "info" });
}

/** A getter that replaces itself by the logger that it creates. */
function makeLogger(log: Logger) {
  return function get(this: Request): Logger {
    const logger = log.child({ req: describeRequest(this) });
    Object.defineProperty(this, "log", { value: logger });
    return logger;
  };
}

function describeRequest({ id, method, originalUrl, address }: Request) {
  return { id, method, url: withoutSecrets(originalUrl), ip: address };
}

/** Logs the outcome of a request; `logFailure` logs the error itself. */
function logAnswer(req: Request, res: Response, level: "error" | "debug", responseTime: number): void {
  const ending = res.writableFinished ? "completed" : "aborted";
  const message = level === "error" ? "request errored" : `request ${ending}`;
  req.log[level]({ res: { status: res.statusCode }, responseTime }, message);
}

/** Paths before a token that gives its owner's rights to anyone. */
const BEFORE_TOKENS = [
  paths.newPassword(""),
  paths.confirmEmail(""),
  paths.unsubscribe(""),
  paths.notificationFeed("").replace(/\.rss$/, ""),
];

/**
 * A token and the rest of the address, at any position, because `//unsubscribe/…` and `http://host/unsubscribe/…`
 * occur, too.
 */
const TOKEN = new RegExp(`(${BEFORE_TOKENS.join("|")}).+`, "is");

/** The same in a parameter's value, and keys. */
const SECRET = new RegExp(`(${BEFORE_TOKENS.join("|")}|[?&]api_key=).+`, "is");

/** How deep the site nests addresses in parameters of addresses. */
const TIMES_ENCODED = 3;

/**
 * The address without secrets: tokens of mailed links and private feeds, also within `next`, and values of `api_key`,
 * also under a percent-encoded name.
 */
export function withoutSecrets(url: string): string {
  const [path = "", ...rest] = url.split("?");
  const shown = cut(path, TOKEN, decodeOnce(path));
  if (rest.length === 0) return shown;
  const parameters = rest.join("?").split("&");
  return `${shown}?${parameters.map(hideSecret).join("&")}`;
}

function hideSecret(parameter: string): string {
  const [name = "", ...value] = parameter.split("=");
  if (decodeOnce(name).toLowerCase() === "api_key") return `${name}=***`;
  let plain = value.join("=");
  for (let times = 0; times < TIMES_ENCODED; times += 1) plain = decodeOnce(plain);
  return cut(parameter, SECRET, `${name}=${plain}`);
}

/** Cuts the decoded text if it contains a secret; otherwise returns the text unchanged. */
function cut(text: string, secret: RegExp, plain: string): string {
  return secret.test(plain) ? plain.replace(secret, "$1***") : text;
}

/** Decodes ASCII only, which is all that paths have; unlike `decodeURIComponent` it never throws. */
function decodeOnce(text: string): string {
  return text.replace(/%([0-7][\da-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** A process's log, by default to standard error: one line of bounded length per event, for people or as JSON. */
export function createLog(
  level: LoggerOptions["level"],
  format: Config["logFormat"],
  destination?: DestinationStream,
): Logger {
  const streamWrite = format === "json" ? boundLine : writeAsText;
  const options: LoggerOptions = { hooks: { streamWrite }, ...(level !== undefined && { level }) };
  return pino(options, destination ?? pino.destination(2));
}

/** A line of JSON, shortened if it is too long. Secrets are already hidden, so cutting a text cannot reveal one. */
function boundLine(line: string): string {
  if (line.length <= LINE) return line;
  const whole: unknown = JSON.parse(line);
  for (let length = TEXT; length >= TEXT_AT_LEAST; length /= 2) {
    const shorter = `${JSON.stringify(shorten(whole, length))}\n`;
    if (shorter.length <= LINE) return shorter;
  }
  const { level, time, msg } = whole as Record<string, unknown>;
  return `${JSON.stringify({ level, time, msg: shorten(msg, TEXT) })}\n`;
}

function shorten(value: unknown, length: number): unknown {
  if (typeof value === "string") {
    return value.length <= length ? value : `${value.slice(0, length)}… (${value.length} characters)`;
  }
  if (Array.isArray(value)) return value.slice(0, PARTS).map((part) => shorten(part, length));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).slice(0, PARTS);
  return Object.fromEntries(fields.map(([name, part]) => [name, shorten(part, length)]));
}

/** The fields that pino writes for an event. */
interface LogEvent {
  readonly level: number;
  readonly time: number;
  readonly pid?: number;
  readonly hostname?: string;
  readonly msg?: string;
  readonly security?: string;
  readonly err?: { readonly message: string; readonly stack: string };
  readonly req?: { readonly id: string; readonly method: string; readonly url: string };
}

const LEVELS: Readonly<Record<number, string>> = { 40: "warning: ", 50: "error: ", 60: "fatal: " };
/** From this level on, an event is a bug, and its error's stack is useful. */
const BUG = 50;
const FRAMES = 8;

/** The same event as a line for people: time, message, error and the other fields. */
function writeAsText(line: string): string {
  const event: LogEvent = JSON.parse(line);
  const { level, time, pid: _pid, hostname: _host, msg, security, err, req, ...rest } = event;
  const when = new Date(time).toISOString().replace(/\.\d+/, "");
  const what = msg ?? (security === undefined ? "" : `security: ${security}`);
  const why = err === undefined || what.includes(err.message) ? "" : `: ${err.message}`;
  const more = Object.entries({ ...(req && { request: `${req.method} ${req.url}`, id: req.id }), ...rest });
  const details = more.map(([name, value]) => `${name}=${plain(value)}`).join(", ");
  const text = `${when} ${LEVELS[level] ?? ""}${what}${why}${details && ` (${details})`}`;
  const frames = level >= BUG ? (err?.stack.match(/^ +at .+$/gm) ?? []).slice(0, FRAMES) : [];
  return `${[text, ...frames].map(onOneLine).join("\n")}\n`;
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Removes line breaks and terminal control sequences, because part of the text may come from a client. */
function onOneLine(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ");
  return line.length <= LINE ? line : `${line.slice(0, LINE)}…`;
}
