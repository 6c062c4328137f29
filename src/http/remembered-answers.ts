import { randomUUID } from "node:crypto";
import type { Request, RequestHandler, Response } from "express";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import type { Access } from "./auth.ts";
import { OPEN_TO_ANY_ORIGIN } from "./cors.ts";
import { listSecurityHeaders } from "./security.ts";
import { type Header, preferredEncoding, setHeaders, type WholeAnswer } from "./send.ts";
import type { Sessions } from "./session.ts";

interface Settings {
  /** Access of the paths below /api whose answers depend only on their address. */
  readonly accessOf: ReadonlyMap<string, Access>;
  readonly sessions: Pick<Sessions, "isStored" | "isAnonymous">;
  /** A number that changes whenever an answer may change. */
  readonly epoch: () => number;
  /** A number that changes when an answer may have been cut short; such an answer is not kept. */
  readonly cutShort: () => number;
  readonly baseUrl: string;
  readonly imageHosts: readonly string[];
  readonly log: Logger;
}

/**
 * Repeats an answer that was given twice before, while nothing has changed: the same bytes, status and headers that the
 * app would send. It comes first, even before the request log and security headers, which cost most of such an answer.
 *
 * Requests with an API key or a stored session are never answered from here, nor any request while the log has a line
 * for each.
 */
export function rememberAnswers({
  accessOf,
  sessions,
  epoch,
  cutShort,
  baseUrl,
  imageHosts,
  log,
}: Settings): RequestHandler {
  const memory = new AnswerMemory<RememberedAnswer>();
  const common = [...listSecurityHeaders(baseUrl, imageHosts), ...OPEN_TO_ANY_ORIGIN];
  return (req, res, next) => {
    const access = accessOf.get(req.url.split("?", 1)[0] ?? "");
    if (access === undefined || !isForAnybody(req, access, sessions) || log.isLevelEnabled("debug"))
      return next();
    const key = `${preferredEncoding(req)} ${req.url}`;
    const began = epoch();
    const answer = memory.get(key, began);
    if (answer) return giveAgain(req, res, answer);
    if (!memory.wants(key)) return next();
    const cutBefore = cutShort();
    res.remember = (whole) => {
      if (res.statusCode !== 200 || cutShort() !== cutBefore) return;
      memory.set(key, toRemember(common, whole), began);
    };
    next();
  };
}

/** Whether everybody with access would get the same answer to this request. */
function isForAnybody(req: Request, access: Access, sessions: Settings["sessions"]): boolean {
  if (req.method !== "GET" && req.method !== "HEAD") return false;
  if (req.headers["x-api-key"] !== undefined || mayHoldKey(req.url)) return false;
  if (access === "none") return !sessions.isStored(req);
  return access === "session-or-key" && sessions.isAnonymous(req);
}

/** Whether a parameter is or may be `api_key`: percent-encoded names are not decoded here. */
function mayHoldKey(url: string): boolean {
  return /[?&](api_key\b|[^=&]*%)/.test(url);
}

interface RememberedAnswer {
  /** Those that a 304 has as well. */
  readonly headers: readonly Header[];
  /** Names and values of all headers in one list, the fastest form for `writeHead`. */
  readonly head: readonly string[];
  readonly body: Buffer;
}

function toRemember(
  common: readonly Header[],
  { headers, bodyHeaders, body }: WholeAnswer,
): RememberedAnswer {
  const withCommon = [...common, ...headers];
  return { headers: withCommon, head: [...withCommon, ...bodyHeaders].flat(), body };
}

function giveAgain(req: Request, res: Response, { headers, head, body }: RememberedAnswer): void {
  const id = ["X-Request-Id", randomUUID()] as const;
  if (mayBeFresh(req)) {
    setHeaders(res, [id, ...headers]);
    if (req.fresh) return void res.status(304).end();
  }
  res.writeHead(200, [...id, ...head]).end(body);
}

function mayBeFresh({ headers }: Request): boolean {
  return headers["if-none-match"] !== undefined || headers["if-modified-since"] !== undefined;
}

/** One number for each recent key, at the index of its upper 16 bits. */
const SIGHTINGS = 1 << 16;
/** Ten times the few hundred queries that autocompletes repeat. */
const LIMITS = { entries: 5_000, bytes: 16 * 1024 * 1024 };

/** Answers of the latest epoch; the least recently used make room for others. */
export class AnswerMemory<Answer extends { readonly body: Buffer }> {
  readonly #answers: LRUCache<string, Answer>;
  readonly #sightings = new Uint32Array(SIGHTINGS);
  #epoch: number | undefined;

  constructor(limits = LIMITS) {
    this.#answers = new LRUCache({
      max: limits.entries,
      maxSize: limits.bytes,
      sizeCalculation: ({ body }, key) => sizeOf(key, body),
    });
  }

  get(key: string, epoch: number): Answer | undefined {
    if (epoch !== this.#epoch) this.#enter(epoch);
    return this.#answers.get(key);
  }

  /** True from the second time on that a key is asked for (nearly always): most queries never come again. */
  wants(key: string): boolean {
    const hash = hashOf(key);
    const slot = hash >>> 16;
    const isKnown = this.#sightings[slot] === hash;
    this.#sightings[slot] = hash;
    return isKnown;
  }

  /** `epoch` is that of the start of the answer: a later one may mix old and new data. */
  set(key: string, answer: Answer, epoch: number): void {
    if (epoch !== this.#epoch) return;
    // A copy, because a small buffer would keep the larger one that it is part of.
    const body = Buffer.allocUnsafeSlow(answer.body.length);
    answer.body.copy(body);
    this.#answers.set(key, { ...answer, body });
  }

  #enter(epoch: number): void {
    this.#answers.clear();
    this.#epoch = epoch;
  }
}

/** Bytes, with some for headers and map. */
function sizeOf(key: string, body: Buffer): number {
  return body.length + 2 * key.length + 1_000;
}

/** FNV-1a, of 16-bit units: http://www.isthe.com/chongo/tech/comp/fnv/ */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
