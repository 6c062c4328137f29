import type { IncomingMessage } from "node:http";
import type { SessionUser } from "../db/sessions.ts";
import { withoutKey } from "../safe-urls.ts";
import type { Access } from "./auth.ts";
import { type Encoding, preferredEncoding } from "./encoding.ts";
import type { KnownReader } from "./known-readers.ts";
import { readerLanguage, splitLanguage } from "./locale.ts";
import type { Sessions } from "./session.ts";

/** A request that may be answered from memory. */
export interface Asked {
  /** What the answer is kept under: requests with the same key are answered the same, but for what is personal. */
  readonly key: string;
  readonly encoding: Encoding;
  /** The API key that it has, if any. */
  readonly apiKey?: string | undefined;
  /** The session that it has, if any. */
  readonly session?: AskedSession;
}

export interface AskedSession {
  readonly cookie: string;
  /** What of the user the key holds, see `audienceOf`; undefined where it holds nothing. */
  readonly audience: string | undefined;
  /** Who it is, once that is looked up. */
  readonly reader?: KnownReader | undefined;
}

export interface AskedSettings {
  /** Access of a path below /api that has an endpoint; other paths are open to anybody. */
  readonly accessOf: (path: string) => Access | undefined;
  readonly sessions: Pick<Sessions, "isStored" | "isAnonymous" | "cookieOf" | "readers">;
}

/** What a request asks for; undefined if its answer may depend on more than its key. */
export function readAsked(req: IncomingMessage, settings: AskedSettings): Asked | undefined {
  const { url = "" } = req;
  const access = settings.accessOf(url.split("?", 1)[0] ?? "");
  const encoding = preferredEncoding(req);
  // An endpoint may have another form for it.
  if (access !== undefined && /\btext\/(csv|\*)/i.test(req.headers.accept ?? "")) return undefined;
  if (access !== undefined) return readApi(req, { url, encoding, access }, settings.sessions);
  if (url.startsWith("/api/") || mayHoldKey(url)) return undefined;
  if (req.headers.cookie === undefined || !settings.sessions.isStored(req))
    return { key: `${languageOf(req)} ${url}`, encoding };
  const cookie = settings.sessions.cookieOf(req);
  const user = settings.sessions.readers.last(cookie);
  if (!user) return undefined;
  const audience = audienceOf(user);
  return { key: `${audience} ${languageOf(req, user)} ${url}`, encoding, session: { cookie, audience } };
}

/** What a user's page depends on beside its personal parts. */
export function audienceOf({
  role,
  timeZone,
  language,
}: Pick<SessionUser, "role" | "timeZone" | "language">): string {
  return [role, timeZone ?? "-", language ?? "-"].join(" ");
}

interface ApiRequest {
  readonly url: string;
  readonly encoding: Encoding;
  readonly access: Access;
}

function readApi(
  req: IncomingMessage,
  { url, encoding, access }: ApiRequest,
  sessions: AskedSettings["sessions"],
): Asked | undefined {
  const apiKey = req.headers["x-api-key"] ?? keyIn(url);
  if (access !== "none" && access !== "session-or-key") return undefined;
  if (apiKey !== undefined)
    return typeof apiKey === "string" ? { key: withoutKey(url), encoding, apiKey } : undefined;
  if (mayHoldKey(url)) return undefined;
  if (sessions.isStored(req)) {
    const cookie = sessions.cookieOf(req);
    const isKnown = sessions.readers.last(cookie) !== undefined;
    return isKnown ? { key: url, encoding, session: { cookie, audience: undefined } } : undefined;
  }
  return access === "none" || sessions.isAnonymous(req) ? { key: url, encoding } : undefined;
}

/** The key in an address; undefined if none or several may be there. */
function keyIn(url: string): string | undefined {
  if (url.match(/[?&]api_key\b/g)?.length !== 1 || /[?&][^=&]*%/.test(url)) return undefined;
  return /[?&]api_key=([\w-]+)(?=&|$)/.exec(url)?.[1];
}

/** Whether a parameter is or may be `api_key`: percent-encoded names are not decoded here. */
export function mayHoldKey(url: string): boolean {
  return url.includes("?") && /[?&](api_key\b|[^=&]*%)/.test(url);
}

/** The language of an answer, where the path leaves that to the account or the browser; else "". */
function languageOf(req: IncomingMessage, user?: SessionUser): string {
  if (splitLanguage(req.url ?? "").language !== undefined) return "";
  return readerLanguage(req, user?.language);
}
