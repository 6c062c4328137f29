import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { parse as parseCookies } from "cookie";
import type { CookieOptions, Request, RequestHandler, Response } from "express";
import session from "express-session";
import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import {
  endOldestSessions,
  endSession,
  insertSession,
  SessionEndedError,
  type SessionLimits,
} from "../db/sessions.ts";
import { type Sayable, said } from "../i18n/said.ts";
import { ANONYMOUS_HOURS, anonymousToken, anonymousTokens } from "./anonymous-session.ts";
import { badInput, type HttpError } from "./errors.ts";
import { contentOf, SessionStore } from "./session-store.ts";

/** What a form sends to take something back. */
export interface UndoForm {
  action: string;
  fields: Record<string, string>;
}

/** How a message is meant: something was done; nothing had to be; it was refused. */
export type Tone = "success" | "info" | "danger";

/** One message for the next page, such as "Password changed."; one of `said` is told in that page's language. */
export interface Message {
  flash: Sayable;
  /** By default, something was done. */
  tone?: Tone;
  /** A form beside the message that takes back what it tells of. */
  undo?: UndoForm;
}

declare module "express-session" {
  interface SessionData extends Partial<Message> {
    /** users.id of who is logged in; a row without it is never stored. */
    userId: number;
    /** Never stored: the row's new end, by which express-session sees that the browser is to hear of it. */
    movedTo: string;
  }
}

declare module "express-serve-static-core" {
  interface Request {
    /** Checks again who sent the request, after a body that may have taken long; undefined: nobody was logged in. */
    recheckLogin?: () => Promise<void>;
  }
}

interface SessionSettings extends SessionLimits {
  db: Knex;
  secret: string;
  baseUrl: string;
}

/** A user who has just proved who they are. */
export interface LogIn {
  userId: number;
  /** See `NewSession`. */
  passwordSetAt?: string;
  message?: Message | undefined;
}

/** What the app needs of sessions; all of it shares one cookie, whose name and flags depend on the base URL. */
export interface Sessions {
  cookieName: string;
  /** Loads the logged-in session that the cookie names, if any. Sets no cookie and no row for anybody else. */
  load: RequestHandler;
  /** True for a cookie that may name a stored session; false is certain. */
  isStored(req: Request): boolean;
  /** True for a cookie that `issueAnonymous` made and that is still valid. */
  isAnonymous(req: Request): boolean;
  /** Hands out a signed cookie that identifies nobody and needs no row. */
  issueAnonymous(req: Request, res: Response): void;
  /** Whether the session that a request came with is still good; one that is not is the request's no more. */
  isLive(req: Request): Promise<boolean>;
  /**
   * Begins a session under a new id (against fixation) in a transaction, and ends the one that the request came with.
   * @returns what gives the session to the browser, to be called once the transaction is committed
   * @throws SessionEndedError where the user has gone, or has another password than the one that was checked
   */
  begin(transaction: Db, req: Request, logIn: LogIn): Promise<() => void>;
  /** Ends the session: row and cookie. */
  end(req: Request, res: Response): Promise<void>;
  /** Takes the cookie of a session whose row is gone. */
  forget(req: Request, res: Response): void;
}

/**
 * Log-in sessions are rows of `sessions` by express-session; an anonymous visitor's is a signed value, so that crawlers
 * leave no rows behind. Both live in one cookie: logging in replaces it.
 */
export function createSessions({ db, secret, baseUrl, days, idleDays }: SessionSettings): Sessions {
  const secure = baseUrl.startsWith("https:");
  const name = secure ? "__Host-almanac.sid" : "almanac.sid";
  const cookie = { httpOnly: true, sameSite: "lax", path: "/", secure } satisfies CookieOptions;
  const limits = { days, idleDays: Math.min(days, idleDays) };
  const isAnonymousToken = anonymousTokens(secret);
  const cookieOf = (req: Request) => parseCookies(req.headers.cookie ?? "")[name] ?? "";
  const store = new SessionStore(db, limits, cookie);
  const load = session({
    name,
    secret,
    store,
    resave: false,
    saveUninitialized: false,
    cookie,
    // The base URL says that a proxy ends TLS; without this a missing TRUST_PROXY would silently lose every log-in.
    ...(secure && { proxy: true }),
  });
  const forget = (req: Request, res: Response) => {
    dropSession(req);
    res.clearCookie(name, cookie);
  };
  return {
    cookieName: name,
    load: (req, res, next) => load(req, res, (error) => next(error ?? missingSession(req))),
    isStored: (req) => !/^(anonymous\.|$)/.test(cookieOf(req)),
    isAnonymous: (req) => isAnonymousToken(cookieOf(req)),
    issueAnonymous: (_req, res) => {
      res.cookie(name, anonymousToken(secret), { ...cookie, maxAge: ANONYMOUS_HOURS * 3_600_000 });
    },
    isLive: async (req) => {
      const isLive = req.session?.userId !== undefined && (await store.reload(req.session)) !== undefined;
      if (!isLive) dropSession(req);
      return isLive;
    },
    begin: async (transaction, req, { userId, passwordSetAt, message }) => {
      const sid = randomBytes(24).toString("base64url");
      const content = contentOf({ userId, ...message });
      const row = await insertSession(transaction, { sid, userId, content, passwordSetAt }, limits);
      if (!row) throw new SessionEndedError();
      // Only now that the user's row is held: a change of password locks the user first, then the sessions.
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

/** express-session passes without a session where its cookie's path does not cover the request. */
function missingSession(req: Request): HttpError | undefined {
  return req.session ? undefined : badInput([{ param: "path", message: said("input.other_site") }]);
}

/** Leaves a request without a session: its answer sets no cookie. */
function dropSession(req: Request): void {
  Reflect.deleteProperty(req, "session");
}

/**
 * Leaves a message for the next page of whoever sent a request, in place of one that no page has shown yet. What it tells
 * of is done: that it cannot be told is no reason to answer that it failed.
 * @returns false where it was not left: it could not be written, or the session has ended
 */
export async function leaveFlash(
  req: Request,
  flash: Sayable,
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

/** The message that was left for this page, once. It stays where that cannot be noted, and is shown again. */
export async function takeFlash(req: Request): Promise<Message | undefined> {
  const { flash, tone, undo } = req.session ?? {};
  if (flash === undefined) return undefined;
  const shown = { flash, tone, undo };
  Object.assign(req.session, { flash: undefined, tone: undefined, undo: undefined });
  const isTaken = await storeOf(req).keep(req.session, { ifUnchanged: true }).catch(failure(req));
  if (!isTaken) Object.assign(req.session, shown);
  return shown;
}

/** Moves the end of the session on as its user reads a page, at most once an hour; the page tells the browser. */
export async function extendSession(req: Request): Promise<void> {
  if (req.session?.userId !== undefined) await storeOf(req).extend(req.session).catch(failure(req));
}

/** A page is answered also where nothing can be written. */
function failure(req: Request) {
  return (error: unknown) => {
    req.log.warn({ err: error }, "a session could not be written");
    return false;
  };
}

function storeOf(req: Request): SessionStore {
  return req.sessionStore as unknown as SessionStore;
}
