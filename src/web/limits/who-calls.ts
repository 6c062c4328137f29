import type { IncomingMessage } from "node:http";
import { LRUCache } from "lru-cache";
import { paths } from "../../words/urls.ts";
import { clientAddress, type Trust } from "../server/client-address.ts";
import { networkOf } from "../server/network.ts";
import type { TargetedRequest } from "../server/target.ts";
import type { Sessions } from "../session/session.ts";
import type { Policy } from "./limit-window.ts";
import { type Policies, SESSION_COST } from "./policies.ts";

/** The API keys, see src/accounts/keys/known-keys.ts. */
export interface LimitedKeys {
  /** The owner of an active key, if it is cached. */
  peek(key: string): number | undefined;
  /** Looks up the owner of an active key. */
  find(key: string): Promise<number | undefined>;
  /** Counts a refused request with an active key. */
  noteRefused(key: string): void;
}

export interface WhoCallsSettings {
  readonly policies: Policies;
  readonly keys: LimitedKeys;
  readonly sessions: Pick<Sessions, "isStored" | "isAnonymous" | "cookieOf" | "readers">;
  readonly trust: Trust;
  /** The cost of a call; undefined if there is no such operation. */
  readonly costOf: (method: string, path: string) => number | undefined;
}

/** One count of a request. */
export interface Counted {
  readonly policy: Policy;
  readonly client: string;
  readonly cost: number;
}

/** Who makes a request, for the limits. */
export interface Calling {
  /** The counts in order: the caller, then all readers behind their address. */
  readonly counted: readonly Counted[];
  /** True if the response shows how many calls are left. */
  readonly isApi: boolean;
  /** The request's active key. */
  readonly key?: string | undefined;
}

/** Paths that cost no quota: assets of pages, and health probes of load balancers. */
const FREE =
  /^\/(assets|pictures)\/|^\/(healthz|readyz|favicon\.ico|manifest\.webmanifest|service-worker\.js)$/;

/**
 * Finds whose limits a request counts towards; undefined for none. All keys of one user count together, so that another
 * key is not another budget. Returns a promise if the key is not cached yet; a wrong key counts as none. The promise
 * rejects while the database is down.
 */
export function whoCalls(
  req: TargetedRequest,
  settings: WhoCallsSettings,
): Calling | undefined | Promise<Calling> {
  const path = req.url?.split("?", 1)[0] ?? "";
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
  const known = keys.peek(key);
  return known === undefined ? keys.find(key).then(byOwner) : byOwner(known);
}

/** Parsed addresses, as parsing takes longer than all the rest. */
const networks = new LRUCache<string, string>({ max: 10_000 });

function knownNetworkOf(address: string): string {
  const known = networks.get(address) ?? networkOf(address);
  networks.set(address, known);
  return known;
}

function pageCall(
  req: IncomingMessage,
  path: string,
  network: string,
  { policies, sessions }: WhoCallsSettings,
): Calling {
  const user = req.headers.cookie && sessions.readers.last(sessions.cookieOf(req));
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
    const user = sessions.readers.last(cookie);
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
