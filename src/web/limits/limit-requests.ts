import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type RequestHandler, Router } from "express";
import type { Logger } from "pino";
import type { Config } from "../../settings/config.ts";
import { memoize } from "../../settings/memoize.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { paths } from "../../words/urls.ts";
import { closedPaths, type Endpoint, lookUpByPath } from "../api/endpoint.ts";
import type { BaseContext } from "../pages/context.ts";
import { pageErrorHandler } from "../pages/error-page.ts";
import { HttpError, problemBody, tooManyPages } from "../pages/errors.ts";
import { readerLanguage, readPathLanguage } from "../request/locale.ts";
import { clientAddress, networkOf, type Trust } from "../server/client-address.ts";
import { OPEN_TO_ANY_ORIGIN } from "../server/cross-origin.ts";
import { addOwnHeaders, type Header, setHeaders } from "../server/headers.ts";
import { listSecurityHeaders } from "../server/security.ts";
import type { TargetedRequest } from "../server/target.ts";
import type { Sessions } from "../session/session.ts";
import type { CallLimits, Verdict } from "./call-limits.ts";
import type { Policy, PolicyName } from "./limit-window.ts";

/** The API keys, see src/accounts/keys/known-keys.ts. */
interface LimitedKeys {
  /** The owner of an active key, if it is cached. */
  cached(key: string): number | undefined;
  /** Looks up the owner of an active key. */
  find(key: string): Promise<number | undefined>;
  /** Counts a refused request with an active key. */
  noteRefused(key: string): void;
}

interface WhoCallsSettings {
  readonly policies: Policies;
  readonly keys: LimitedKeys;
  readonly sessions: Pick<Sessions, "isStored" | "isAnonymous" | "cookieOf" | "readers">;
  readonly trust: Trust;
  /** The cost of a call; undefined if there is no such operation. */
  readonly costOf: (method: string, path: string) => number | undefined;
}

interface Counted {
  readonly policy: Policy;
  readonly client: string;
  readonly cost: number;
}

/** Who makes a request, for the limits. */
interface Calling {
  /** The counts in order: the caller, then all clients behind their address. */
  readonly counted: readonly Counted[];
  /** True if the response shows how many calls are left. */
  readonly isApi: boolean;
  /** The request's active key. */
  readonly key?: string | undefined;
}

/** Paths that cost no quota: assets of pages, and health probes of load balancers. */
const FREE =
  /^\/(assets|pictures)\/|^\/(healthz|readyz|favicon\.ico|manifest\.webmanifest|service-worker\.js)$/;

/** Feeds, the sitemap and robots.txt, which programs read, in any language. */
const FILES =
  /^\/(?:[a-z]{2}(?:-[^/]+)?\/)?(?:notifications\/feed\/)?[^/]+\.(?:rss|atom|feed\.json|xml|txt)$/;

/** The limits that are on. */
type Policies = Readonly<Record<PolicyName, Policy | undefined>>;

/** A new session costs as much as ten pages, so that collecting sessions does not get around the limit of one. */
const SESSION_COST = 10;

/** Dependencies that are not in the context of pages. */
interface LimitParts {
  readonly limits: CallLimits;
  readonly endpoints: readonly Endpoint[];
  readonly trust: Trust;
}

/** The response to refused calls. */
interface Refusals {
  readonly baseUrl: string;
  /** Headers of every response. */
  readonly headers: readonly Header[];
  /** Paths that other origins may not read. */
  readonly closed: ReadonlySet<string>;
}

/** How to continue with a request. */
interface Ways {
  readonly req: TargetedRequest;
  readonly res: ServerResponse;
  /** It is within its limits. */
  pass(): void;
  /** It is over a limit, and the app shows `refusal` as a page. */
  showRefusal(): void;
}

/** How much later a window may end in one process than in another. */
const SLACK_MS = 100;
const TOLD_EVERY_MS = 60_000;

/**
 * Counts a request before any other work. API responses show the remaining quota, and refusals when to retry
 * (draft-ietf-httpapi-ratelimit-headers; RFC 9110, section 10.2.3).
 */
export function limitRequests(
  { config, keys, log, sessions }: Pick<BaseContext, "config" | "log" | "sessions"> & { keys: LimitedKeys },
  { endpoints, limits, trust }: LimitParts,
): (ways: Ways) => void {
  const policies = createPolicies(config.limits);
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
    if (verdict && call.isApi) addOwnHeaders(ways.req, limitHeaders(verdict).flat());
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
    // Without the database no key can be looked up, and the app reports that.
    else call.then((found) => judge(ways, found), ways.pass);
  };
}

/** Refuses API calls and files directly, so that refusing is cheap; pages and forms get a page. */
function refuse(
  ways: Ways,
  { isApi }: Calling,
  { verdict, ...refusals }: Refusals & { verdict: Verdict },
): void {
  const isProblem = isApi ? !isForm(ways.req) : FILES.test(pathOf(ways.req));
  if (isProblem) answerRefusal(ways, verdict, refusals);
  else {
    Object.assign(ways.req, { refusal: tooManyPages(retryAfterS(verdict)) });
    ways.showRefusal();
  }
}

/** Counts a call towards all of its limits, or towards none: the first refusal undoes the earlier counts. */
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
function limitHeaders({ policy, left, endsInMs }: Verdict): Header[] {
  const { name, quota, windowMs } = policy;
  return [
    ["RateLimit-Policy", `"${name}";q=${quota};w=${windowMs / 1000}`],
    ["RateLimit", `"${name}";r=${left};t=${Math.ceil(endsInMs / 1000)}`],
  ];
}

/** Whole seconds after which a call succeeds in every process. */
function retryAfterS({ endsInMs }: Verdict): number {
  return Math.ceil((endsInMs + SLACK_MS) / 1000);
}

function pathOf({ url = "" }: IncomingMessage): string {
  return url.split("?", 1)[0] ?? "";
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
  if (!closed.has(pathOf(req))) setHeaders(res, OPEN_TO_ANY_ORIGIN);
  setHeaders(res, [
    ["X-Request-Id", randomUUID()],
    ["Retry-After", String(wait)],
    ["Cache-Control", "no-store"],
    ["Content-Language", language],
    ["Content-Type", "application/problem+json; charset=utf-8"],
    ["Vary", "Accept-Language"],
  ]);
  setHeaders(res, limitHeaders(verdict));
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

/**
 * Finds whose limits a request counts towards; undefined for none. All keys of one user count together, so that more
 * keys are no more quota. Returns a promise if the key is not cached yet; a wrong key counts as none. The promise
 * rejects while the database is down.
 */
function whoCalls(req: TargetedRequest, settings: WhoCallsSettings): Calling | undefined | Promise<Calling> {
  const path = pathOf(req);
  if (FREE.test(path)) return undefined;
  const network = knownNetworkOf(clientAddress(req, settings.trust));
  if (path !== "/api" && !path.startsWith("/api/")) return pageCall(req, path, network, settings);
  const cost = settings.costOf(req.method ?? "", path.replace(/\/$/, "")) ?? 1;
  const { sentKey: key } = req.target;
  if (key === undefined) return apiCall(req, { network, cost }, settings);
  const { keys, policies } = settings;
  const byOwner = (userId: number | undefined): Calling =>
    userId === undefined
      ? calling([[policies.address, network, cost]], true)
      : calling([[policies.key, `owner ${userId}`, cost]], true, key);
  const known = keys.cached(key);
  return known === undefined ? keys.find(key).then(byOwner) : byOwner(known);
}

/** Cached, because parsing an address takes longer than all the rest. */
const knownNetworkOf = memoize(networkOf, 10_000);

function pageCall(
  req: IncomingMessage,
  path: string,
  network: string,
  { policies, sessions }: WhoCallsSettings,
): Calling {
  const user = req.headers.cookie && sessions.readers.lastKnown(sessions.cookieOf(req));
  const cost = path === paths.session() ? SESSION_COST : 1;
  return calling([[policies.site, user ? `user ${user.id}` : network, cost]], false);
}

/**
 * An API call without a key. Calls of the site's own pages count as page views: they are recognized by their session, or
 * without one by the browser's headers. Faking these headers gains nothing: the page limit still applies.
 */
function apiCall(
  req: IncomingMessage,
  { network, cost }: { network: string; cost: number },
  { policies, sessions }: WhoCallsSettings,
): Calling {
  const site = [policies.site, network, 1] as const;
  // Browsers send preflights without the key, up to one for each call with a key.
  if (isPreflight(req)) return calling([site], true);
  if (req.headers.cookie !== undefined) {
    const cookie = sessions.cookieOf(req);
    const user = sessions.readers.lastKnown(cookie);
    if (user) return calling([[policies.user, String(user.id), cost]], true);
    // Sessions issued in the same second look the same.
    if (sessions.isAnonymous(req))
      return calling([[policies.session, `${cookie} ${network}`, cost], site], true);
    if (sessions.isStored(req)) return calling([site], true);
  }
  return calling(isOwnPage(req) ? [site] : [[policies.address, network, cost]], true);
}

function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
}

function isOwnPage({ headers }: IncomingMessage): boolean {
  const from = headers["sec-fetch-site"];
  if (from !== undefined) return from === "same-origin";
  // Browsers omit Sec-Fetch-Site over plain HTTP.
  return headers.referer !== undefined && URL.parse(headers.referer)?.host === headers.host;
}

function calling(
  counted: readonly (readonly [policy: Policy | undefined, client: string, cost: number])[],
  isApi: boolean,
  key?: string,
): Calling {
  const on = counted.flatMap(([policy, client, cost]) => (policy ? [{ policy, client, cost }] : []));
  return { counted: on, isApi, key };
}

/** The limits of a site by its settings; undefined if all of them are off. */
function createPolicies({ key, address, session, pages, windowS }: Config["limits"]): Policies | undefined {
  const policy = (name: PolicyName, quota: number): Policy | undefined =>
    quota === 0 ? undefined : { name, quota, windowMs: windowS * 1000, isQuiet: name === "site" };
  if (key + address + session + pages === 0) return undefined;
  return {
    key: policy("key", key),
    address: policy("address", address),
    user: policy("user", session),
    session: policy("session", session),
    site: policy("site", pages),
  };
}

/** Shows an error page for requests over a limit. Mount it before all routes. */
export function showRefusals(siteData: RequestHandler): Router {
  const router = Router();
  router.use((req, _res, next) => next(req.refusal === undefined ? "router" : undefined));
  router.use(readPathLanguage, siteData);
  router.use((req, _res, next) => next(req.refusal));
  router.use(pageErrorHandler);
  return router;
}
