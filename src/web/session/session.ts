import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { parse as parseCookies } from "cookie";
import type { CookieOptions, Request, RequestHandler, Response } from "express";
import session from "express-session";
import type { Knex } from "knex";
import type { Db } from "../../db/connect.ts";
import {
  endOldestSessions,
  endSession,
  findSession,
  insertSession,
  SessionEndedError,
  type SessionLimits,
  type SessionUser,
} from "../../db/sessions.ts";
import type { Language } from "../../words/i18n/languages.ts";
import { lazyText, type Translatable, translateText } from "../../words/i18n/lazy-text.ts";
import { badInput, type HttpError } from "../pages/errors.ts";
import type { PendingForm } from "../request/pending-form.ts";
import { KnownReaders, type KnownReadersOptions } from "./known-readers.ts";
import { SessionStore, serializeContent } from "./session-store.ts";
import { readToken, signToken } from "./signed-token.ts";

const ANONYMOUS_HOURS = 24;
/** How many checked tokens are cached, to avoid computing their signatures again. */
const REMEMBERED_TOKENS = 1_000;

/** The prefix of a cookie without a stored session. */
const PREFIX = "anonymous.";
const PURPOSE = "anonymous-session";

export interface UndoForm {
  action: string;
  fields: Record<string, string>;
}

/** The kind of a message: success, nothing to do, or refused. */
export type Tone = "success" | "info" | "danger";

/** One message for the next page, such as "Password changed."; a `LazyText` is translated to that page's language. */
export interface Message {
  flash: Translatable;
  /** `success` by default. */
  tone?: Tone;
  /** A form beside the message that undoes the action. */
  undo?: UndoForm;
}

/** A message from the previous page, as the layout shows it. */
export function shownMessage({ flash, tone = "success", undo }: Message, language: Language) {
  return { text: translateText(flash, language), tone, undo };
}

declare module "express-session" {
  interface SessionData extends Partial<Message> {
    /** users.id of the logged-in user; a row without it is never stored. */
    userId: number;
    /** Never stored: the row's new end, whose change makes express-session send the cookie again. */
    movedTo: string;
    /** A form that the user typed before the log-in. */
    typed: PendingForm | undefined;
  }
}

interface SessionSettings extends SessionLimits, Pick<KnownReadersOptions, "findFavorites"> {
  db: Knex;
  secret: string;
  baseUrl: string;
  /** See `KnownReadersOptions.maxAgeMs`. */
  readersMaxAgeMs?: number | undefined;
}

/** A user who has just proved who they are. */
interface LogIn {
  userId: number;
  /** See `NewSession`. */
  passwordSetAt?: string;
  message?: Message | undefined;
  typed?: PendingForm | undefined;
}

/** The app's sessions, all in one cookie, whose name and flags depend on the base URL. */
export interface Sessions {
  cookieName: string;
  /** The users of sessions that were loaded, by `cookieOf`. */
  readers: KnownReaders;
  /** The value of the session cookie, or "". */
  cookieOf(req: IncomingMessage): string;
  /** Loads the logged-in session of the cookie, if any. Creates no cookie or row for others. */
  load: RequestHandler;
  /** True if the cookie may name a stored session; false if it certainly does not. */
  isStored(req: IncomingMessage): boolean;
  /** True for a valid cookie from `issueAnonymous`. */
  isAnonymous(req: IncomingMessage): boolean;
  /** Issues a signed cookie that identifies nobody and needs no row. */
  issueAnonymous(req: Request, res: Response): void;
  /** The user of the session that `load` has loaded. */
  userOf(req: Request): SessionUser | undefined;
  /** The current state of that user; undefined if the session has ended, which also removes it from the request. */
  findUser(req: Request): Promise<SessionUser | undefined>;
  /** Whether the request's session is still valid; removes it from the request if not. */
  isLive(req: Request): Promise<boolean>;
  /**
   * Begins a session under a new id (against fixation) in a transaction, and ends the request's previous one.
   * @returns a function that sends the session's cookie, to be called after the commit
   * @throws SessionEndedError if the user is gone or the password has changed since it was checked
   */
  begin(transaction: Db, req: Request, logIn: LogIn): Promise<() => void>;
  /** Ends the session: row and cookie. */
  end(req: Request, res: Response): Promise<void>;
  /** Removes the cookie of a session whose row is gone. */
  forget(req: Request, res: Response): void;
}

/**
 * Log-in sessions are rows of `sessions` from express-session; an anonymous visitor's is a signed value, so that
 * crawlers leave no rows behind. Both use the same cookie, which logging in replaces.
 */
export function createSessions({
  db,
  secret,
  baseUrl,
  days,
  idleDays,
  ...ofReaders
}: SessionSettings): Sessions {
  const secure = baseUrl.startsWith("https:");
  const name = secure ? "__Host-almanac.sid" : "almanac.sid";
  const cookie = { httpOnly: true, sameSite: "lax", path: "/", secure } satisfies CookieOptions;
  const limits = { days, idleDays: Math.min(days, idleDays) };
  const isAnonymousToken = anonymousTokens(secret);
  const cookieOf = (req: IncomingMessage) => parseCookies(req.headers.cookie ?? "")[name] ?? "";
  const store = new SessionStore(db, limits, cookie);
  const readers = new KnownReaders({
    db,
    findSession: (sid) => findSession(db, sid, limits),
    findFavorites: ofReaders.findFavorites,
    maxAgeMs: ofReaders.readersMaxAgeMs,
  });
  const load = session({
    name,
    secret,
    store,
    resave: false,
    saveUninitialized: false,
    cookie,
    // An https base URL means that a proxy ends TLS; without this, a missing TRUST_PROXY would silently break log-ins.
    ...(secure && { proxy: true }),
  });
  const noteReader = (req: Request) => {
    const found = store.foundOf(req.session);
    if (found) readers.add(cookieOf(req), found);
  };
  const findUser = async (req: Request) => {
    const found = req.session?.userId === undefined ? undefined : await store.reload(req.session);
    if (!found) dropSession(req);
    return found?.user;
  };
  const forget = (req: Request, res: Response) => {
    dropSession(req);
    res.clearCookie(name, cookie);
  };
  return {
    cookieName: name,
    readers,
    cookieOf,
    load: (req, res, next) =>
      load(req, res, (error) => {
        const failure = error ?? missingSession(req);
        if (failure === undefined) noteReader(req);
        next(failure);
      }),
    isStored: (req) => !/^(anonymous\.|$)/.test(cookieOf(req)),
    isAnonymous: (req) => isAnonymousToken(cookieOf(req)),
    issueAnonymous: (_req, res) => {
      res.cookie(name, anonymousToken(secret), { ...cookie, maxAge: ANONYMOUS_HOURS * 3_600_000 });
    },
    userOf: (req) => store.foundOf(req.session)?.user,
    findUser,
    isLive: async (req) => (await findUser(req)) !== undefined,
    begin: async (transaction, req, { userId, passwordSetAt, message, typed }) => {
      const sid = randomBytes(24).toString("base64url");
      const content = serializeContent({ userId, ...message, typed });
      const row = await insertSession(transaction, { sid, userId, content, passwordSetAt }, limits);
      if (!row) throw new SessionEndedError();
      // After locking the user's row, because a password change also locks the user first, then the sessions.
      if (req.session?.userId !== undefined) await endSession(transaction, req.sessionID);
      await endOldestSessions(transaction, row);
      return () => store.adopt(req, row);
    },
    end: async (req, res) => {
      if (req.session?.userId !== undefined) await promisify(store.destroy.bind(store))(req.sessionID);
      forget(req, res);
    },
    forget,
  };
}

/** express-session sets no session if its cookie's path does not cover the request. */
function missingSession(req: Request): HttpError | undefined {
  return req.session ? undefined : badInput([{ param: "path", message: lazyText("input.other_site") }]);
}

/** Removes a request's session, so that its response sets no cookie. */
function dropSession(req: Request): void {
  Reflect.deleteProperty(req, "session");
}

/**
 * Stores a message for the user's next page, replacing one not yet shown. Never throws, because the action in the
 * message has already succeeded.
 * @returns false if the message could not be written or the session has ended
 */
export async function leaveFlash(
  req: Request,
  flash: Translatable,
  { tone = "success", undo }: Omit<Message, "flash"> = {},
): Promise<boolean> {
  if (req.session?.userId === undefined) return false;
  const before = { flash: req.session.flash, tone: req.session.tone, undo: req.session.undo };
  Object.assign(req.session, { flash, tone, undo });
  const isLeft = await storeOf(req)
    .keep(req.session, { ifUnchanged: false })
    .catch((error) => void failure(req)(error));
  if (isLeft === undefined) Object.assign(req.session, before);
  if (isLeft === false) dropSession(req);
  return isLeft === true;
}

/** Whether `extendSession` or `takeFlash` will write. */
export function hasSessionToWrite(req: Request): boolean {
  if (req.session?.userId === undefined) return false;
  return req.session.flash !== undefined || storeOf(req).isDue(req.session);
}

/** Takes the message for this page. If that cannot be stored, the message stays and is shown again. */
export async function takeFlash(req: Request): Promise<Message | undefined> {
  const { flash, tone, undo } = req.session ?? {};
  if (flash === undefined) return undefined;
  const shown = { flash, tone, undo };
  Object.assign(req.session, { flash: undefined, tone: undefined, undo: undefined });
  const isTaken = await storeOf(req).keep(req.session, { ifUnchanged: true }).catch(failure(req));
  if (!isTaken) Object.assign(req.session, shown);
  return shown;
}

/** Extends the session when its user opens a page, at most once an hour. The page's cookie has the new end. */
export async function extendSession(req: Request): Promise<void> {
  if (req.session?.userId !== undefined) await storeOf(req).extend(req.session).catch(failure(req));
}

/** Logs a failed write, so that the page is still sent. */
function failure(req: Request) {
  return (error: unknown) => {
    req.log.warn({ err: error }, "a session could not be written");
    return false;
  };
}

function storeOf(req: Request): SessionStore {
  return req.sessionStore as unknown as SessionStore;
}

/** A signed expiry time, which identifies nobody. */
function anonymousToken(secret: string): string {
  const expires = Math.floor(Date.now() / 1000) + ANONYMOUS_HOURS * 3600;
  return PREFIX + signToken(secret, PURPOSE, String(expires));
}

/** Checks anonymous tokens: signature and expiry. */
function anonymousTokens(secret: string): (token: string) => boolean {
  // Cached, because the search sends the cookie with each keystroke, and a valid signature stays valid.
  const expiryOf = new Map<string, number>();
  return (token) => {
    const expires = expiryOf.get(token) ?? signedExpiry(token, secret);
    if (expires === undefined || expires <= Date.now()) return false;
    if (expiryOf.size === REMEMBERED_TOKENS) expiryOf.clear();
    expiryOf.set(token, expires);
    return true;
  };
}

/** When a token expires, in milliseconds; undefined if its signature is invalid. */
function signedExpiry(token: string, secret: string): number | undefined {
  if (!token.startsWith(PREFIX)) return undefined;
  const expires = readToken(secret, PURPOSE, token.slice(PREFIX.length));
  return expires === undefined ? undefined : Number(expires) * 1000;
}
