import type { ClientRequest } from "node:http";
import type { Request, Response } from "express";
import { type Header, setHeaders } from "../server/headers.ts";
import type { AnswerScope, MadeAnswer, Source } from "./answer-scope.ts";
import {
  bodyHeaders,
  compress,
  computeDigest,
  entityTag,
  isWorthCompressing,
  preferredEncoding,
} from "./encoding.ts";
import type { PersonalPage } from "./personal-parts.ts";

interface Answer {
  /** The sources of the response. If it depends only on them and its address, it is cached. */
  dependsOn?: readonly Source[] | undefined;
  /** See `Dependencies`. */
  isTimeSensitive?: boolean | undefined;
  /** See `MadeAnswer`. */
  awayNote?: string | undefined;
  /** The body with placeholders for personal parts, to be cached instead. */
  personal?: PersonalPage | undefined;
  /** Always UTF-8. */
  type: string;
  body: string;
  cacheControl: string;
  /** Whether this request has a key, so that no shared cache may store the response. */
  isKeyed?: boolean;
  /** Request headers that the response depends on, in addition to Accept-Encoding. */
  vary?: string[];
  lastModified?: LastModified;
}

/**
 * When a response last changed. `"unsettled"` means that a change may still appear with an earlier time than others.
 */
export type LastModified = Date | "unsettled" | undefined;

/**
 * A change as recent as this gets no Last-Modified yet. Clients compare whole seconds, so they would miss the second of
 * two changes within a second. For example newsboat, by libcurl, drops a 200 that is not newer.
 */
const RECENT_MS = 2_000;

/** The header's value; undefined while another change may still get the same time. */
export function settledTime(lastModified: LastModified): string | undefined {
  if (lastModified === undefined || lastModified === "unsettled") return undefined;
  return Date.now() - lastModified.getTime() < RECENT_MS ? undefined : lastModified.toUTCString();
}

/** Sends a body in the client's encoding, with a strong ETag for each (RFC 9110, section 8.8.3.3), or 304. */
export async function sendBody(req: Request, res: Response, answer: Answer): Promise<void> {
  const plain = Buffer.from(answer.body);
  const digest = computeDigest(plain);
  const modified = settledTime(answer.lastModified);
  const wanted = isWorthCompressing(plain) ? preferredEncoding(req) : "identity";
  setHeaders(res, entityHeaders(answer, entityTag(digest, wanted), modified));
  const { answerScope: scope } = req;
  const canKeep = answer.dependsOn !== undefined && res.statusCode === 200;
  if (!(canKeep && scope?.isWanted) && req.fresh) return void res.status(304).end();
  const { encoding, body } = await compress(plain, wanted);
  // A response without the time is cached only until it gets one.
  const isTimeSensitive =
    answer.isTimeSensitive || (answer.lastModified !== undefined && modified === undefined);
  if (canKeep && scope?.isWanted)
    keep(scope, res, { ...answer, isTimeSensitive }, { plain, digest, encoded: { encoding, body } });
  if (req.fresh) return void res.status(304).end();
  setHeaders(res, bodyHeaders(body, encoding));
  // Text is sent in one piece with the headers.
  res.end(encoding === "identity" ? answer.body : body);
}

type Keepable = Pick<Answer, "dependsOn" | "isTimeSensitive" | "awayNote" | "cacheControl" | "personal">;

/** Headers that belong to one request or one encoding. */
const OWN_HEADERS = new Set([
  "x-request-id",
  "ratelimit",
  "ratelimit-policy",
  "connection",
  "content-encoding",
  "content-length",
]);

/** Caches a response whose headers are set. */
export function keep(
  scope: AnswerScope,
  res: Response,
  { dependsOn = [], isTimeSensitive = false, awayNote, cacheControl, personal }: Keepable,
  made: Pick<MadeAnswer, "plain" | "digest" | "encoded">,
): void {
  // A response that sets a cookie belongs to one client.
  if (res.hasHeader("Set-Cookie")) return;
  const own = new Map([["Cache-Control", cacheControl]]);
  const headers = rawHeaderNames(res)
    .filter((name) => !OWN_HEADERS.has(name.toLowerCase()))
    .map((name): Header => [name, own.get(name) ?? String(res.getHeader(name))]);
  scope.keep({ ...made, dependsOn, isTimeSensitive, awayNote, headers, personal });
}

/** The header names as they were set. ServerResponse has the method, but its type does not. */
function rawHeaderNames(res: Response): string[] {
  return (res as Response & Pick<ClientRequest, "getRawHeaderNames">).getRawHeaderNames();
}

/** Makes the Cache-Control of a response to a known client private. */
export function toPrivate(cacheControl: string): string {
  return cacheControl === "no-store" ? cacheControl : "private, no-cache";
}

function entityHeaders(answer: Answer, tag: string, modified: string | undefined): Header[] {
  const headers: Header[] = [
    ["Vary", ["Accept-Encoding", ...(answer.vary ?? [])].join(", ")],
    ["Cache-Control", answer.isKeyed ? toPrivate(answer.cacheControl) : answer.cacheControl],
    ["ETag", tag],
    ["Content-Type", answer.type.includes(";") ? answer.type : `${answer.type}; charset=utf-8`],
  ];
  if (modified !== undefined) headers.push(["Last-Modified", modified]);
  return headers;
}
