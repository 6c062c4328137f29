import type { IncomingMessage } from "node:http";
import type { SessionUser } from "../../db/sessions.ts";
import { type ReadEndpoint, representationFor } from "../api/endpoint.ts";
import { readerLanguage, splitLanguage } from "../request/locale.ts";
import type { TargetedRequest } from "../server/target.ts";
import type { KnownReader } from "../session/known-readers.ts";
import type { Sessions } from "../session/session.ts";
import { type Encoding, preferredEncoding } from "./encoding.ts";

/** A request that the cache may answer. */
export interface CacheLookup {
  /** The cache key. Requests with the same key get the same response, except for personal parts. */
  readonly key: string;
  readonly encoding: Encoding;
  /** Request headers covered by the key, in lower case. A response that varies by another one can't be shared. */
  readonly covers: ReadonlySet<string>;
  readonly apiKey?: string | undefined;
  readonly session?: LookupSession;
}

export interface LookupSession {
  readonly cookie: string;
  /** The user's part of the key, see `audienceOf`; undefined without one. */
  readonly audience: string | undefined;
  /** The user, once looked up. */
  readonly reader?: KnownReader | undefined;
}

/** The properties of an endpoint that decide how it answers a read. */
export type CachedEndpoint = Pick<ReadEndpoint, "access" | "csv">;

export interface LookupSettings {
  /** The endpoint of a path below /api that answers reads; other paths are open to all. */
  readonly endpointAt: (path: string) => CachedEndpoint | undefined;
  readonly sessions: Pick<Sessions, "isStored" | "isAnonymous" | "cookieOf" | "readers">;
  /** What decides which announcements pages show. */
  readonly announcementsKey: (req: IncomingMessage) => string;
}

const OF_API = new Set(["accept-encoding", "accept", "cookie", "x-api-key"]);
const OF_PAGES = new Set(["accept-encoding", "accept-language", "cookie"]);

/** The cache key of a request whose target was parsed; undefined if its response may depend on more than its key. */
export function readCacheLookup(
  req: TargetedRequest,
  { endpointAt, sessions, announcementsKey }: LookupSettings,
): CacheLookup | undefined {
  const { url = "", target } = req;
  const endpoint = endpointAt(url.split("?", 1)[0] ?? "");
  const encoding = preferredEncoding(req);
  if (endpoint !== undefined) return readApi(req, endpoint, { url, encoding }, sessions);
  if (url.startsWith("/api/")) return undefined;
  // The page is the same, but its headers keep an address with a key out of shared caches and Referer.
  const address = [announcementsKey(req), url, ...(target.hadKey ? ["key"] : [])].join(" ");
  if (req.headers.cookie === undefined || !sessions.isStored(req))
    return { key: `${resolveLanguage(req)} ${address}`, encoding, covers: OF_PAGES };
  const cookie = sessions.cookieOf(req);
  const user = sessions.readers.lastKnown(cookie);
  if (!user) return undefined;
  const audience = audienceOf(user);
  const key = `${audience} ${resolveLanguage(req, user)} ${address}`;
  return { key, encoding, covers: OF_PAGES, session: { cookie, audience } };
}

/** The dependencies of a user's page in addition to its personal parts. */
export function audienceOf({
  role,
  timeZone,
  language,
}: Pick<SessionUser, "role" | "timeZone" | "language">): string {
  return [role, timeZone ?? "-", language ?? "-"].join(" ");
}

function readApi(
  req: TargetedRequest,
  endpoint: CachedEndpoint,
  { url, encoding }: { url: string; encoding: Encoding },
  sessions: LookupSettings["sessions"],
): CacheLookup | undefined {
  const { access } = endpoint;
  if (access !== "none" && access !== "session-or-key") return undefined;
  const asked = { key: `${representationFor(endpoint, req)} ${url}`, encoding, covers: OF_API };
  const { sentKey } = req.target;
  if (sentKey !== undefined) return { ...asked, apiKey: sentKey };
  if (sessions.isStored(req)) {
    const cookie = sessions.cookieOf(req);
    const isKnown = sessions.readers.lastKnown(cookie) !== undefined;
    return isKnown ? { ...asked, session: { cookie, audience: undefined } } : undefined;
  }
  return access === "none" || sessions.isAnonymous(req) ? asked : undefined;
}

/** The language of a response, if the path leaves that to the account or the browser; otherwise "". */
function resolveLanguage(req: IncomingMessage, user?: SessionUser): string {
  if (splitLanguage(req.url ?? "").language !== undefined) return "";
  return readerLanguage(req, user?.language);
}
