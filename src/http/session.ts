import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import connectPgSimple from "connect-pg-simple";
import type { CookieOptions, Request, RequestHandler, Response } from "express";
import session from "express-session";
import type { Knex } from "knex";
import type pg from "pg";
import type { Db } from "../db/connect.ts";
import { said } from "../i18n/said.ts";
import { badInput, type HttpError } from "./errors.ts";

/** What a form sends to take something back. */
export interface UndoForm {
  action: string;
  fields: Record<string, string>;
}

/** How a message is meant: something was done; nothing had to be; it was refused. */
export type Tone = "success" | "info" | "danger";

declare module "express-session" {
  interface SessionData {
    /** users.id of who is logged in; a row without it is never stored. */
    userId: number;
    /** One message for the next page, such as "Password changed."; one of `said` is told in that page's language. */
    flash: string;
    /** How that is meant; without it something was done. */
    tone: Tone;
    /** A form beside the message that takes back what it tells of. */
    undo: UndoForm;
  }
}

const ANONYMOUS_HOURS = 24;
/** So many visitors' signatures are not computed anew with each request. */
const REMEMBERED_TOKENS = 1_000;

interface SessionSettings {
  db: Knex;
  secret: string;
  baseUrl: string;
  days: number;
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
  /** Begins a session under a new id (against fixation) for a user who has just proved who they are. */
  begin(req: Request, userId: number): Promise<void>;
  /** Ends the session: row and cookie. */
  end(req: Request, res: Response): Promise<void>;
}

/**
 * Log-in sessions are rows of `sessions` by express-session; an anonymous visitor's is a signed value with an expiry
 * (HMAC-SHA256), so that crawlers leave no rows behind. Both live in one cookie: logging in replaces it.
 */
export function createSessions(settings: SessionSettings): Sessions {
  const secure = settings.baseUrl.startsWith("https:");
  const name = secure ? "__Host-almanac.sid" : "almanac.sid";
  const cookie: CookieOptions = { httpOnly: true, sameSite: "lax", path: "/", secure };
  const isAnonymousToken = anonymousTokens(settings.secret);
  const PgStore = connectPgSimple(session);
  const load = session({
    name,
    secret: settings.secret,
    store: new PgStore({ pool: poolOf(settings.db), tableName: "sessions", pruneSessionInterval: false }),
    resave: false,
    saveUninitialized: false,
    cookie: { ...cookie, sameSite: "lax", maxAge: settings.days * 86_400_000 },
    // The base URL says that a proxy ends TLS; without this a missing TRUST_PROXY would silently lose every log-in.
    ...(secure && { proxy: true }),
  });
  return {
    cookieName: name,
    load: (req, res, next) => load(req, res, (error) => next(error ?? missingSession(req))),
    isStored: (req) => !/^(anonymous\.|$)/.test(readCookie(req, name) ?? ""),
    isAnonymous: (req) => isAnonymousToken(readCookie(req, name) ?? ""),
    issueAnonymous: (_req, res) => {
      res.cookie(name, anonymousToken(settings.secret), { ...cookie, maxAge: ANONYMOUS_HOURS * 3_600_000 });
    },
    begin: async (req, userId) => {
      await new Promise<void>((resolve, reject) => {
        req.session.regenerate((error) => (error ? reject(error) : resolve()));
      });
      req.session.userId = userId;
      await saveSession(req);
    },
    end: async (req, res) => {
      await new Promise<void>((resolve, reject) => {
        req.session.destroy((error) => (error ? reject(error) : resolve()));
      });
      res.clearCookie(name, cookie);
    },
  };
}

/** express-session passes without a session where its cookie's path does not cover the request. */
function missingSession(req: Request): HttpError | undefined {
  return req.session ? undefined : badInput([{ param: "path", message: said("input.other_site") }]);
}

/** Leaves a message for the next page of whoever sent a request, in place of one that no page has shown yet. */
export async function leaveFlash(
  req: Request,
  flash: string,
  { tone = "success", undo }: { tone?: Tone; undo?: UndoForm } = {},
): Promise<void> {
  Object.assign(req.session, { flash, tone, undo });
  await saveSession(req);
}

/** Stores the session now, before the answer goes out, so that the next request finds it. */
async function saveSession(req: Request): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    req.session.save((error) => (error ? reject(error) : resolve()));
  });
}

/** Logs a user out everywhere, or everywhere but in the session `exceptSid`. */
export async function endSessionsOf(db: Db, userId: number, exceptSid?: string): Promise<void> {
  const query = db("sessions").where({ user_id: userId });
  if (exceptSid !== undefined) query.whereNot({ sid: exceptSid });
  await query.delete();
}

/** The one method that connect-pg-simple uses of a pool, over Knex's own pool: one set of connections to size. */
function poolOf(db: Knex): pg.Pool {
  const query = async (text: string, values: unknown[]) => {
    const connection = await db.client.acquireConnection();
    try {
      return await connection.query(text, values);
    } finally {
      await db.client.releaseConnection(connection);
    }
  };
  return { query } as unknown as pg.Pool;
}

function anonymousToken(secret: string): string {
  const expires = Math.floor(Date.now() / 1000) + ANONYMOUS_HOURS * 3600;
  const body = `anonymous.${expires}.${randomBytes(12).toString("base64url")}`;
  return `${body}.${sign(body, secret)}`;
}

/** Checks anonymous tokens: signature and expiry. */
function anonymousTokens(secret: string) {
  // A visitor's cookie comes with each key they press; a signature that was right stays right.
  const expiryOf = new Map<string, number>();
  return (token: string): boolean => {
    const expires = expiryOf.get(token) ?? signedExpiry(token, secret);
    if (expires === undefined || expires <= Date.now()) return false;
    if (expiryOf.size === REMEMBERED_TOKENS) expiryOf.clear();
    expiryOf.set(token, expires);
    return true;
  };
}

/** When a token of ours ends, in milliseconds; undefined where its signature is wrong. */
function signedExpiry(token: string, secret: string): number | undefined {
  const match = /^(anonymous\.(\d{1,12})\.[\w-]{16})\.([\w-]{43})$/.exec(token);
  if (!match) return undefined;
  const [, body = "", expires, signature = ""] = match;
  const expected = Buffer.from(sign(body, secret));
  return timingSafeEqual(expected, Buffer.from(signature)) ? Number(expires) * 1000 : undefined;
}

function sign(body: string, secret: string): string {
  return createHmac("sha256", secret).update(body).digest("base64url");
}

function readCookie(req: Request, name: string): string | undefined {
  for (const part of (req.headers.cookie ?? "").split(";")) {
    const [key, value] = part.split("=", 2);
    if (value !== undefined && key?.trim() === name) return value.trim();
  }
  return undefined;
}
