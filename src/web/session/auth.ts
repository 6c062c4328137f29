import type { Request, RequestHandler, Response } from "express";
import type { Db } from "../../db/connect.ts";
import { requireSession } from "../../db/sessions.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { isOwnerScope, isScope, type Scope } from "../../words/scopes.ts";
import { HttpError, unauthorized } from "../pages/errors.ts";
import { isRead } from "../server/methods.ts";
import { logSecurity } from "../server/security-log.ts";
import type { Sessions } from "./session.ts";

/**
 * `none`: anyone · `session-or-key`: any live session, or a live key · `login`: a logged-in user's session · a scope: a
 * key that has it. For scopes that an owner grants, the session of a logged-in user is enough, too.
 */
export type Access = "none" | "session-or-key" | "login" | Scope;

/** The live API key of a request. */
export interface CallingKey {
  readonly id: number;
  readonly userId: number;
  readonly scopes: ReadonlySet<Scope>;
}

/** The proven identity of a request's sender. */
export interface Caller {
  /** The live API key that was sent. */
  key: CallingKey | undefined;
  /** The user of the session cookie. */
  sessionUserId: number | undefined;
  /** A signed session without a user. */
  anonymousSession: boolean;
}

/**
 * Checks at the end of a write's transaction that its caller still has access, and locks the grant until the commit. So
 * a key that has been revoked meanwhile stores nothing.
 * @throws HttpError, SessionEndedError
 */
export type AccessConfirmation = (db: Db, access: Access) => Promise<void>;

/** A program's request that got an error; none of it is secret. */
interface FailedCall {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly problem: string | null;
  readonly params: readonly string[];
}

/** The API keys, see src/accounts/keys/known-keys.ts. */
interface Keys {
  /** A key with its current scopes; undefined if it is unknown, revoked or expired. */
  findCalling(key: string): Promise<CallingKey | undefined>;
  /** Whether a key still has a scope, as a transaction sees it and locks it. */
  isAllowed(db: Db, use: { keyId: number; scope: Scope }): Promise<boolean>;
  /** Counts a request with a live key. */
  noteUse(key: string): void;
  /** Records a failed request with a key for its owner. */
  noteError(key: string, error: FailedCall): void;
}

/**
 * Identifies the caller of an /api request by the key. A sent key must be valid, even with a valid session.
 * @throws HttpError 401 for a wrong key
 */
export function identifyCaller(sessions: Sessions, keys: Keys): RequestHandler {
  return async (req, res, next) => {
    const { sentKey: sent } = req.target;
    const key = await findKey(req, keys, sent);
    if (sent !== undefined) {
      keys.noteUse(sent);
      res.once("finish", () => res.statusCode >= 400 && keys.noteError(sent, failedCall(req, res)));
    }
    req.caller = { key, sessionUserId: undefined, anonymousSession: sessions.isAnonymous(req) };
    // Reads have no checks: V8 keeps a request with functions that refer to it until the next full collection.
    if (!isRead(req)) attachChecks(req, sessions, keys);
    next();
  };
}

/** Identifies the caller by the session, too. An endpoint that is open to all does without: that is a query less. */
export function identifySession(sessions: Sessions): RequestHandler {
  return (req, res, next) => {
    if (!sessions.isStored(req)) return next();
    sessions.load(req, res, (error) => {
      if (error) return next(error);
      req.caller = { key: req.caller.key, sessionUserId: req.session.userId, anonymousSession: false };
      next();
    });
  };
}

/** Lets a write look up its caller again, after its body is read and at the end of its transaction. */
function attachChecks(req: Request, sessions: Sessions, keys: Keys): void {
  req.confirmAccess = (db, access) => confirmAccess(db, access, req, keys);
  req.recheckCaller = async () => {
    req.caller = { ...req.caller, key: await findKey(req, keys, req.target.sentKey) };
    const { sessionUserId } = req.caller;
    if (sessionUserId === undefined || (await sessions.isLive(req))) return;
    req.caller = { ...req.caller, sessionUserId: undefined };
  };
}

/** @throws HttpError 401 if the key that was sent is not live */
async function findKey(req: Request, keys: Keys, sent: string | undefined): Promise<CallingKey | undefined> {
  const key = sent === undefined ? undefined : await keys.findCalling(sent);
  if (sent === undefined || key !== undefined) return key;
  logSecurity(req, "key.refused");
  throw unauthorized(lazyText("errors.detail.wrong_key"));
}

async function confirmAccess(db: Db, access: Access, req: Request, keys: Keys): Promise<void> {
  const { key, sessionUserId } = req.caller;
  if (key && isScope(access)) {
    if (!(await keys.isAllowed(db, { keyId: key.id, scope: access }))) throw missingScope(access);
  } else if (sessionUserId !== undefined) await requireSession(db, req.sessionID);
}

function failedCall(req: Request, res: Response): FailedCall {
  const { method, originalUrl, failure } = req;
  const [path = ""] = originalUrl.split("?");
  return {
    method,
    path,
    status: res.statusCode,
    problem: failure?.problem.slug ?? null,
    params: failure?.errors?.map(({ param }) => param) ?? [],
  };
}

/** The error for a caller without access; undefined if they have it. */
export function accessError(access: Access, caller: Caller): HttpError | undefined {
  if (isScope(access)) return scopeError(access, caller);
  const loggedIn = caller.sessionUserId !== undefined;
  if (access === "none" || loggedIn) return undefined;
  if (access === "login") return unauthorized(lazyText("errors.detail.login_needed"));
  if (caller.key !== undefined || caller.anonymousSession) return undefined;
  return unauthorized(lazyText("errors.detail.key_needed"));
}

/** If a key is sent, it decides, even with a session. */
function scopeError(scope: Scope, { key, sessionUserId }: Caller): HttpError | undefined {
  if (key?.scopes.has(scope)) return undefined;
  if (key) return missingScope(scope);
  if (!isOwnerScope(scope)) return unauthorized(lazyText("errors.detail.scoped_key_needed", { scope }));
  return sessionUserId === undefined
    ? unauthorized(lazyText("errors.detail.scoped_key_or_login_needed", { scope }))
    : undefined;
}

/** The error for a live key without the required scope. */
function missingScope(scope: Scope): HttpError {
  const detail = isOwnerScope(scope)
    ? lazyText("errors.detail.owner_scope_needed", { scope })
    : lazyText("errors.detail.granted_scope_needed", { scope });
  return new HttpError("forbidden", detail, { members: { scope } });
}
