import type { IncomingMessage } from "node:http";
import { LRUCache } from "lru-cache";
import { clientAddress, type Trust } from "../http/client-address.ts";
import { networkOf } from "../http/network.ts";
import type { Sessions } from "../http/session.ts";
import type { TargetedRequest } from "../http/target.ts";
import { paths } from "../urls.ts";
import type { Policy } from "./limit-window.ts";
import { type Policies, SESSION_COST } from "./policies.ts";

/** The API keys, see src/api-keys/known-keys.ts. */
export interface LimitedKeys {
  /** The owner of a key that this process knows to be live. */
  peek(key: string): number | undefined;
  /** The owner of a live key. */
  find(key: string): Promise<number | undefined>;
  /** Counts a request with a live key that was refused. */
  noteRefused(key: string): void;
}

export interface WhoCallsSettings {
  readonly policies: Policies;
  readonly keys: LimitedKeys;
  readonly sessions: Pick<Sessions, "isStored" | "isAnonymous" | "cookieOf" | "readers">;
  readonly trust: Trust;
  /** What a call costs; undefined: there is no such operation. */
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
  /** To be counted in this order: the caller, then all readers behind their address. */
  readonly counted: readonly Counted[];
  /** Its answer says how many calls are left. */
  readonly isApi: boolean;
  /** The live key that it has. */
  readonly key?: string | undefined;
}

/** What costs no quota: what pages are made of, and what load balancers ask. */
const FREE =
  /^\/(assets|pictures)\/|^\/(healthz|readyz|favicon\.ico|manifest\.webmanifest|service-worker\.js)$/;

/**
 * Finds by whose limits a request counts; undefined: by none. All keys of one user count together, or else another key
 * would be another budget. A promise where the key is not known yet; a wrong one counts as none. Rejects while the
 * database cannot be asked for it.
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

/** Reading an address takes longer than all the rest. */
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
 * A call of the API without a key. What the site's own pages ask counts with the pages: by their session, and where they
 * have none, by what the browser says. Whoever pretends that has no more than the pages' limit either.
 */
function apiCall(
  req: IncomingMessage,
  { network, cost }: { network: string; cost: number },
  { policies, sessions }: WhoCallsSettings,
): Calling {
  const site = [policies.site, network, 1] as const;
  // Browsers send preflights by themselves and without the key, up to one for each call that has one.
  if (isPreflight(req)) return calling([site], true);
  if (req.headers.cookie !== undefined) {
    const cookie = sessions.cookieOf(req);
    const user = sessions.readers.last(cookie);
    if (user) return calling([[policies.user, String(user.id), cost]], true);
    // Sessions that were handed out in the same second look the same.
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
  // Browsers leave that out over plain HTTP.
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
