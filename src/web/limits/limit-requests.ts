import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "pino";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import type { Endpoint } from "../api/endpoint.ts";
import { closedPaths, lookUpByPath } from "../api/endpoint-paths.ts";
import type { BaseContext } from "../pages/context.ts";
import { HttpError, problemBody, tooManyPages } from "../pages/errors.ts";
import { readerLanguage } from "../request/locale.ts";
import type { Trust } from "../server/client-address.ts";
import { OPEN_TO_ANY_ORIGIN } from "../server/cors.ts";
import { type Header, setHeaders } from "../server/headers.ts";
import { addOwnHeaders } from "../server/own-headers.ts";
import { listSecurityHeaders } from "../server/security.ts";
import type { TargetedRequest } from "../server/target.ts";
import type { CallLimits, Verdict } from "./call-limits.ts";
import { policiesOf } from "./policies.ts";
import {
  type Calling,
  type Counted,
  type LimitedKeys,
  type WhoCallsSettings,
  whoCalls,
} from "./who-calls.ts";

/** Parts that the context of pages has not. */
export interface LimitParts {
  readonly limits: CallLimits;
  readonly endpoints: readonly Endpoint[];
  readonly trust: Trust;
}

/** What every refused call is answered with. */
interface Refusals {
  readonly baseUrl: string;
  /** Headers of every answer. */
  readonly headers: readonly Header[];
  /** Paths that other origins may not read. */
  readonly closed: ReadonlySet<string>;
}

/** How a request goes on. */
export interface Ways {
  readonly req: TargetedRequest;
  readonly res: ServerResponse;
  /** It is within its limits. */
  pass(): void;
  /** It is over a limit, and the app is to show `refusal` as a page. */
  showRefusal(): void;
}

/** A window of one process may end so much later than that of another. */
const SLACK_MS = 100;
const TOLD_EVERY_MS = 60_000;

/**
 * Counts a request before anything else is done for it. Answers of the API say what is left, and refusals when to come
 * back (draft-ietf-httpapi-ratelimit-headers; RFC 9110, section 10.2.3).
 */
export function limitRequests(
  { config, keys, log, sessions }: Pick<BaseContext, "config" | "log" | "sessions"> & { keys: LimitedKeys },
  { endpoints, limits, trust }: LimitParts,
): (ways: Ways) => void {
  const policies = policiesOf(config.limits);
  if (!policies) return ({ pass }) => pass();
  const byMethod = Map.groupBy(endpoints, ({ method }) => method);
  const costs = new Map(
    [...byMethod].map(([method, ofIt]) => [method as string, lookUpByPath(ofIt, ({ cost = 1 }) => cost)]),
  );
  const costOf = (method: string, path: string) => costs.get(method === "HEAD" ? "GET" : method)?.(path);
  const settings: WhoCallsSettings = { policies, keys, sessions, trust, costOf };
  const refusals: Refusals = {
    baseUrl: config.baseUrl,
    headers: listSecurityHeaders(config.baseUrl, config.imageHosts),
    closed: new Set(closedPaths(endpoints)),
  };
  const noteRefusal = logRefusals(log);
  const decide = (ways: Ways, call: Calling, verdict: Verdict | undefined): void => {
    // The client may have left while the request waited.
    if (ways.res.closed) return;
    if (verdict && call.isApi) addOwnHeaders(ways.req, limitHeaders(verdict));
    if (!verdict || verdict.isAllowed) ways.pass();
    else {
      noteRefusal();
      if (call.key !== undefined) keys.noteRefused(call.key);
      refuse(ways, call, { ...refusals, verdict });
    }
  };
  const judge = (ways: Ways, call: Calling): void => {
    const verdict = countAll(limits, call.counted);
    if (verdict instanceof Promise) verdict.then((found) => decide(ways, call, found), ways.pass);
    else decide(ways, call, verdict);
  };
  return (ways) => {
    const call = whoCalls(ways.req, settings);
    if (call === undefined) ways.pass();
    else if (!(call instanceof Promise)) judge(ways, call);
    // Without the database no key can be looked up; the app says so.
    else call.then((found) => judge(ways, found), ways.pass);
  };
}

/** The API answers by itself, so that refusing is cheap; pages and forms of people get a page. */
function refuse(
  ways: Ways,
  { isApi }: Calling,
  { verdict, ...refusals }: Refusals & { verdict: Verdict },
): void {
  if (isApi && !isForm(ways.req)) answerRefusal(ways, verdict, refusals);
  else {
    Object.assign(ways.req, { refusal: tooManyPages(retryAfterS(verdict)) });
    ways.showRefusal();
  }
}

/** Counts a call by all of its limits, or by none: the first refusal takes back what was counted before. */
function countAll(
  limits: CallLimits,
  [first, ...others]: readonly Counted[],
): Verdict | undefined | Promise<Verdict | undefined> {
  if (!first) return undefined;
  const verdict = limits.count(first.policy, first.client, first.cost);
  const goOn = (own: Verdict): Verdict | Promise<Verdict> => {
    if (!own.isAllowed || others.length === 0) return own;
    const rest = countAll(limits, others);
    const settle = (other: Verdict | undefined): Verdict => {
      if (!other || other.isAllowed) return own;
      limits.takeBack(first.policy, first.client, first.cost);
      return other;
    };
    return rest instanceof Promise ? rest.then(settle) : settle(rest);
  };
  return verdict instanceof Promise ? verdict.then(goOn) : goOn(verdict);
}

/** `RateLimit-Policy: "key";q=300;w=60` and `RateLimit: "key";r=299;t=34`. */
function limitHeaders({ policy, left, endsInMs }: Verdict): string[] {
  const { name, quota, windowMs } = policy;
  return [
    "RateLimit-Policy",
    `"${name}";q=${quota};w=${windowMs / 1000}`,
    "RateLimit",
    `"${name}";r=${left};t=${Math.ceil(endsInMs / 1000)}`,
  ];
}

/** Whole seconds after which a call succeeds in every process. */
function retryAfterS({ endsInMs }: Verdict): number {
  return Math.ceil((endsInMs + SLACK_MS) / 1000);
}

function isForm({ headers }: IncomingMessage): boolean {
  return headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true;
}

/** Answers 429 without the app. */
function answerRefusal({ req, res }: Ways, verdict: Verdict, { baseUrl, headers, closed }: Refusals): void {
  const { policy } = verdict;
  const wait = retryAfterS(verdict);
  const values = { quota: policy.quota, window: policy.windowMs / 1000, wait };
  const language = readerLanguage(req, undefined);
  const error = new HttpError("tooManyRequests", lazyText("errors.detail.many_calls", values));
  const body = problemBody(error, language, baseUrl, "");
  setHeaders(res, headers);
  if (!closed.has(req.url?.split("?", 1)[0] ?? "")) setHeaders(res, OPEN_TO_ANY_ORIGIN);
  setHeaders(res, [
    ["X-Request-Id", randomUUID()],
    ["Retry-After", String(wait)],
    ["Cache-Control", "no-store"],
    ["Content-Language", language],
    ["Content-Type", "application/problem+json; charset=utf-8"],
    ["Vary", "Accept-Language"],
  ]);
  const [policyName = "", policyValue = "", leftName = "", leftValue = ""] = limitHeaders(verdict);
  setHeaders(res, [
    [policyName, policyValue],
    [leftName, leftValue],
  ]);
  res.writeHead(429).end(JSON.stringify({ ...body, "violated-policies": [policy.name] }));
}

/** One line a minute with the number of refused requests, so that a flood does not fill the log. */
function logRefusals(log: Logger): () => void {
  let refused = 0;
  let toldAt = Number.NEGATIVE_INFINITY;
  return () => {
    refused += 1;
    if (performance.now() - toldAt < TOLD_EVERY_MS) return;
    log.info({ refused }, "limits were reached: requests were refused with 429");
    refused = 0;
    toldAt = performance.now();
  };
}
