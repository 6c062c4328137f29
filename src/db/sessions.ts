import type { Db } from "./connect.ts";
import { selectRows } from "./rows.ts";

/** Maximum lifetimes of sessions in days: from the log-in, and from the last use. */
export interface SessionLimits {
  readonly days: number;
  readonly idleDays: number;
}

export interface SessionRow {
  readonly sid: string;
  readonly userId: number;
  /** Its content as JSON, exactly as stored. */
  readonly content: string;
  readonly endsAt: Date;
  /** Whether it is time to record the use of the session and extend it. */
  readonly isDue: boolean;
}

/** The roles of accounts, in ascending order: editors change records, operators everything. */
export const ROLES = ["user", "editor", "operator"] as const;
export type Role = (typeof ROLES)[number];

/** The user of a session as the layout shows them, with their number of unread notifications. */
export interface SessionUser {
  readonly id: number;
  readonly name: string;
  readonly role: Role;
  readonly unread: number;
  /** Null if not set. */
  readonly language: string | null;
  /** IANA name; null if not set. */
  readonly timeZone: string | null;
}

export interface FoundSession extends SessionRow {
  readonly user: SessionUser;
}

/** A row of `users`, in one statement with the session, because every page for a user needs both. */
const USER = `json_build_object(
  'id', users.id, 'name', users.name, 'role', users.role, 'language', users.language, 'timeZone', users.time_zone,
  'unread', (select count(*) from notifications where user_id = users.id and read_at is null))`;

/** The session of a request ended while the request was running. */
export class SessionEndedError extends Error {
  override name = "SessionEndedError";
}

/** The new end of a session that is used now. */
const NEXT_END = "least(now() + make_interval(days => :idleDays), began_at + make_interval(days => :days))";

/** When a stored session ends. Lower limits apply at once, higher ones at its next use. */
const END =
  "least(expire, used_at + make_interval(days => :idleDays), began_at + make_interval(days => :days))";

/** Use is recorded at most once an hour. */
const IS_DUE = "used_at < now() - interval '1 hour'";

/** The session of an id, with its user; undefined if it is unknown, has expired, began before its user's password changed, or they are disabled. */
export async function findSession(
  db: Db,
  sid: string,
  limits: SessionLimits,
): Promise<FoundSession | undefined> {
  const rows = await selectRows<FoundSession>(
    db,
    `select sid, user_id as "userId", cast(sess as text) as content, ${END} as "endsAt", ${IS_DUE} as "isDue",
            ${USER} as "user"
       from sessions join users on users.id = user_id
      where sid = :sid and ${END} > now() and began_at >= password_changed_at and disabled_at is null`,
    { sid, ...limits },
  );
  return rows[0];
}

export interface NewSession {
  readonly sid: string;
  readonly userId: number;
  readonly content: string;
  /** `users.password_changed_at` of the checked password, as text, because a Date is too coarse. */
  readonly passwordSetAt?: string | undefined;
}

/**
 * Stores a new session. Nothing else may insert one, so that a running request cannot bring back a session that has
 * ended. Locks the user's row, so that a change of password is either visible or waits.
 * @returns undefined if the user is gone, disabled or has another password than the one checked
 */
export async function insertSession(
  db: Db,
  { sid, userId, content, passwordSetAt = undefined }: NewSession,
  { days, idleDays }: SessionLimits,
): Promise<SessionRow | undefined> {
  const rows = await selectRows<SessionRow>(
    db,
    `insert into sessions (sid, sess, began_at, used_at, expire)
     select :sid, cast(:content as json), clock_timestamp(), clock_timestamp(), clock_timestamp() + make_interval(days => :lasts)
       from users
      where id = :userId and disabled_at is null
        and password_changed_at = coalesce(cast(:passwordSetAt as timestamptz), password_changed_at)
        for share
     returning sid, user_id as "userId", cast(sess as text) as content, expire as "endsAt", false as "isDue"`,
    { sid, userId, content, passwordSetAt: passwordSetAt ?? null, lasts: Math.min(days, idleDays) },
  );
  return rows[0];
}

/** Replaces the content of a session, with `before` only if that is its content; returns whether it did. */
export async function updateSession(
  db: Db,
  { sid, userId }: Pick<SessionRow, "sid" | "userId">,
  content: string,
  before?: string,
): Promise<boolean> {
  const query = db("sessions").where({ sid, user_id: userId });
  if (before !== undefined) query.whereRaw("cast(sess as text) = ?", [before]);
  return (await query.update({ sess: content })) > 0;
}

/** Records the use of a session; returns its new end, or undefined if that was done recently or the session is gone. */
export async function extendSession(db: Db, sid: string, limits: SessionLimits): Promise<Date | undefined> {
  const rows = await selectRows<Pick<SessionRow, "endsAt">>(
    db,
    `update sessions set used_at = now(), expire = ${NEXT_END}
      where sid = :sid and ${IS_DUE} returning expire as "endsAt"`,
    { sid, ...limits },
  );
  return rows[0]?.endsAt;
}

/** The limit for one user, so that repeated log-ins do not fill the table. */
export const SESSIONS_AT_MOST = 50;

/** Ends a user's least recently used sessions above the limit, but never the given one, which others may outlast. */
export async function endOldestSessions(db: Db, { sid, userId }: SessionRow): Promise<void> {
  await db.raw(
    `delete from sessions where sid in (
       select sid from sessions where user_id = ? and sid <> ?
        order by expire desc, began_at desc offset ? for update skip locked)`,
    [userId, sid, SESSIONS_AT_MOST - 1],
  );
}

/** Ends one session. */
export async function endSession(db: Db, sid: string): Promise<void> {
  await db("sessions").where({ sid }).delete();
}

/** Logs a user out everywhere; returns how many sessions it ended. */
export async function endSessionsOf(db: Db, userId: number): Promise<number> {
  return db("sessions").where({ user_id: userId }).delete();
}

/**
 * Checks that a session still exists, which stays true until the transaction ends.
 * @throws SessionEndedError
 */
export async function requireSession(db: Db, sid: string): Promise<void> {
  const found = await db("sessions").where({ sid }).forKeyShare().first("sid");
  if (found === undefined) throw new SessionEndedError();
}

/** Whether a request failed because its session or account is gone. */
export function isSessionOver(error: unknown): boolean {
  if (error instanceof SessionEndedError) return true;
  if (!(error instanceof Error) || !("code" in error) || !("constraint" in error)) return false;
  // https://www.postgresql.org/docs/current/errcodes-appendix.html: 23503 is foreign_key_violation.
  return error.code === "23503" && String(error.constraint).endsWith("_user_id_fkey");
}
