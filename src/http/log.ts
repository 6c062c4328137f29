import { randomUUID } from "node:crypto";
import type { Request, RequestHandler, Response } from "express";
import { type DestinationStream, type Logger, type LoggerOptions, pino } from "pino";
import { paths } from "../urls.ts";
import { withoutPort } from "./network.ts";

declare module "express-serve-static-core" {
  interface Request {
    /** What `X-Request-Id` says. */
    id: string;
    /** Who sent it: behind a proxy the client, where TRUST_PROXY says so. Known also once the connection is gone. */
    address: string;
    /** The site's log, each line with this request. */
    readonly log: Logger;
    /** It was refused because much was asked at once. */
    isShed?: boolean;
    /** What `logSecurity` writes to. */
    securityLog: Logger;
  }
}

/**
 * One log line a request, and an id for it (`X-Request-Id`) that error answers repeat. Credentials never reach the
 * log: headers are left out, and keys and tokens are cut out of the address.
 *
 * A request's own logger is made when something is logged. pino-http makes it each time, which costs half of what a
 * bare Express app takes for a whole request, for lines of a level that nobody asked for.
 */
export function requestLog(log: Logger): RequestHandler {
  const requestLogger = { configurable: true, get: makeLogger(log) };
  const security = securityLog(log);
  return (req, res, next) => {
    const started = Date.now();
    req.id = randomUUID();
    res.setHeader("X-Request-Id", req.id);
    // Now, because it is gone with the connection: who leaves early would have none.
    req.address = withoutPort(req.ip ?? "unknown");
    req.securityLog = security;
    Object.defineProperty(req, "log", requestLogger);
    // Without a listener an error of the connection would end the process.
    res.on("error", (error) => req.log.error({ err: error }, "request errored"));
    res.on("close", () => {
      const level = res.statusCode >= 500 && !isExpected(req) ? "error" : "debug";
      if (log.isLevelEnabled(level)) logAnswer(req, res, level, Date.now() - started);
    });
    next();
  };
}

/** A 503 that is no failure: load was shed (see `logShed`), or a load balancer, which asks each second, was told to wait. */
function isExpected(req: Request): boolean {
  return req.isShed === true || req.originalUrl === paths.readiness();
}

/** What the log needs of an HttpError. */
interface Failure {
  readonly message: string;
  readonly cause?: unknown;
  readonly isShed: boolean;
  readonly problem: { readonly status: number };
}

/** 5xx go to the log whole; what the client did wrong is in the access log already. */
export function logFailure(req: Request, error: Failure): void {
  if (error.isShed) logShed(req);
  else if (error.problem.status >= 500) req.log.error({ err: error.cause ?? error }, error.message);
}

/** Who floods the site must not flood its log, too: one line a minute tells how many requests were refused. */
function logShed(req: Request): void {
  req.isShed = true;
  shed.count += 1;
  if (Date.now() - shed.toldAt < SHED_TOLD_MS) return;
  req.log.warn({ refused: shed.count }, "too much is asked at once: requests were refused with 503");
  Object.assign(shed, { count: 0, toldAt: Date.now() });
}

const SHED_TOLD_MS = 60_000;
/** Of this process, since the last line. */
const shed = { count: 0, toldAt: Number.NEGATIVE_INFINITY };

/**
 * The log that security events go to: the site's, but at the level `info` whatever LOG_LEVEL says, so that who wants to
 * hear of warnings only does not lose it. `silent` is meant.
 */
export function securityLog(log: Logger): Logger {
  return log.child({}, { level: log.level === "silent" ? "silent" : "info" });
}

/** A getter that puts the logger it makes in its own place. */
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

/** What failed is logged whole where it was caught (logFailure); this line says how the request ended. */
function logAnswer(req: Request, res: Response, level: "error" | "debug", responseTime: number): void {
  const ending = res.writableFinished ? "completed" : "aborted";
  const message = level === "error" ? "request errored" : `request ${ending}`;
  req.log[level]({ res: { status: res.statusCode }, responseTime }, message);
}

/** Below these paths stands a token that does by itself what only its owner may do. */
const BEFORE_TOKENS = [
  paths.newPassword(""),
  paths.confirmEmail(""),
  paths.unsubscribe(""),
  paths.notificationFeed("").replace(/\.rss$/, ""),
];

/** A token with all that follows it; not only at the start: `//unsubscribe/…` and `http://host/unsubscribe/…` come, too. */
const TOKEN = new RegExp(`(${BEFORE_TOKENS.join("|")}).+`, "is");

/** The same in a parameter's value, where an address may have a key as well. */
const SECRET = new RegExp(`(${BEFORE_TOKENS.join("|")}|[?&]api_key=).+`, "is");

/** An address in a parameter of an address in a parameter: nothing on the site nests them deeper. */
const TIMES_ENCODED = 3;

/**
 * The address without what would open a door: the token of a mailed link or of a private feed, also in an address to
 * come back to (`next`), and every value of `api_key`, also where the parameter's name is percent-encoded.
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

/** What stands there as it is, unless a secret stands in what it means. */
function cut(text: string, secret: RegExp, plain: string): string {
  return secret.test(plain) ? plain.replace(secret, "$1***") : text;
}

/** ASCII alone, which is all that paths are made of: unlike `decodeURIComponent` it takes anything. */
function decodeOnce(text: string): string {
  return text.replace(/%([0-7][\da-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Characters of a line. Whoever makes the site fail with 16 KB of address must not fill its disk sixteen times as fast. */
const LINE = 4_000;
/** Characters that a text keeps in a line that is too long; fewer where that does not do. */
const TEXT = 1_200;
const TEXT_AT_LEAST = 20;
/** Elements that a list, and fields that an object keeps. */
const PARTS = 40;

/** A process's log: JSON, a line of bounded length for each event, by default to standard error. */
export function createLog(level: LoggerOptions["level"], destination?: DestinationStream): Logger {
  const options: LoggerOptions = { hooks: { streamWrite: boundLine }, ...(level !== undefined && { level }) };
  return pino(options, destination ?? pino.destination(2));
}

/** What hides secrets has been at work by then: a shorter text tells nothing that the longer one did not. */
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
