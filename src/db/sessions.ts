import type { Db } from "./connect.ts";
import { selectRows } from "./rows.ts";

/** How long sessions last at most: from the log-in, and from the last use. */
export interface SessionLimits {
  readonly days: number;
  readonly idleDays: number;
}

/** A session that is good. */
export interface SessionRow {
  readonly sid: string;
  readonly userId: number;
  /** What is kept in it, as JSON, letter for letter as the database has it. */
  readonly content: string;
  readonly endsAt: Date;
  /** It is time to note that the session is still used, and to move its end on. */
  readonly isDue: boolean;
}

/** The session that a request came with has ended while it ran: it may not do any more what it was let in for. */
export class SessionEndedError extends Error {
  override name = "SessionEndedError";
}

/** The end of a session that is used now. */
const NEXT_END = "least(now() + make_interval(days => :idleDays), began_at + make_interval(days => :days))";

/** When a stored session ends. Lowered limits apply at once, raised ones with its next use. */
const END =
  "least(expire, used_at + make_interval(days => :idleDays), began_at + make_interval(days => :days))";

/** Its use is noted at most once an hour. */
const IS_DUE = "used_at < now() - interval '1 hour'";

/**
 * The session of an id; undefined where there is none, or none any more: its time is over, or its user has had another
 * password since it began.
 */
export async function findSession(
  db: Db,
  sid: string,
  limits: SessionLimits,
): Promise<SessionRow | undefined> {
  const rows = await selectRows<SessionRow>(
    db,
    `select sid, user_id as "userId", cast(sess as text) as content, ${END} as "endsAt", ${IS_DUE} as "isDue"
       from sessions join users on users.id = user_id
      where sid = :sid and ${END} > now() and began_at >= password_changed_at`,
    { sid, ...limits },
  );
  return rows[0];
}

/** A session that is to begin. */
export interface NewSession {
  readonly sid: string;
  readonly userId: number;
  readonly content: string;
  /** When the password that was checked had been set (`users.password_changed_at`, as text: a Date is too coarse). */
  readonly passwordSetAt?: string | undefined;
}

/**
 * Stores a session: the only place where one is. Nothing else may insert, so that a request which began before the end
 * of its session cannot bring it back. The user's row is held, so that a change of password is either seen or waits.
 * @returns undefined where the user has gone, or has another password than the one that was checked
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
      where id = :userId
        and password_changed_at = coalesce(cast(:passwordSetAt as timestamptz), password_changed_at)
        for share
     returning sid, user_id as "userId", cast(sess as text) as content, expire as "endsAt", false as "isDue"`,
    { sid, userId, content, passwordSetAt: passwordSetAt ?? null, lasts: Math.min(days, idleDays) },
  );
  return rows[0];
}

/**
 * Keeps something else in a session, whose user stays the same. With `before` only where nobody has done so since that
 * was read.
 * @returns false where the session is no more, or was written by somebody else
 */
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

/** Notes that a session is used; resolves to its new end, or undefined where it was noted lately or is gone. */
export async function extendSession(db: Db, sid: string, limits: SessionLimits): Promise<Date | undefined> {
  const rows = await selectRows<Pick<SessionRow, "endsAt">>(
    db,
    `update sessions set used_at = now(), expire = ${NEXT_END}
      where sid = :sid and ${IS_DUE} returning expire as "endsAt"`,
    { sid, ...limits },
  );
  return rows[0]?.endsAt;
}

/** More browsers than anybody logs in from; whoever logs in again and again leaves no more rows. */
export const SESSIONS_AT_MOST = 50;

/**
 * Ends those of a user's sessions that were not used for the longest time, where there are more than they may have. Never
 * the one that has just begun: others end later than it where sessions were to last longer when they began.
 */
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

/** Logs a user out everywhere; resolves to the number of sessions that it ended. */
export async function endSessionsOf(db: Db, userId: number): Promise<number> {
  return db("sessions").where({ user_id: userId }).delete();
}

/**
 * Makes sure that a session is still there. In a transaction that holds the user's row it stays so: whatever ends all
 * sessions of a user takes that row first.
 * @throws SessionEndedError
 */
export async function requireSession(db: Db, sid: string): Promise<void> {
  if ((await db("sessions").where({ sid }).first("sid")) === undefined) throw new SessionEndedError();
}

/** Whether a request failed because its session has ended, or its whole account is gone. */
export function isSessionOver(error: unknown): boolean {
  if (error instanceof SessionEndedError) return true;
  if (!(error instanceof Error) || !("code" in error) || !("constraint" in error)) return false;
  // https://www.postgresql.org/docs/current/errcodes-appendix.html: 23503 is foreign_key_violation.
  return error.code === "23503" && String(error.constraint).endsWith("_user_id_fkey");
}
