import type { Knex } from "knex";
import type { AuditedAction } from "../db/audit-queries.ts";
import type { Db } from "../db/connect.ts";
import { deleteInBatches, selectRow } from "../db/rows.ts";
import type { Role } from "../db/sessions.ts";
import type { AuditFilter } from "./audit/schemas.ts";
import { hashPassword } from "./passwords.ts";
import { removeOldTokens } from "./token-queries.ts";

/**
 * The key that makes names equal: NFKC (so `Ａnn` is `Ann`), without case, with single spaces. Upper case also makes ß
 * equal ss, and both forms of the small sigma equal.
 */
export function nameKey(name: string): string {
  return name.normalize("NFKC").toUpperCase().toLowerCase().replace(/\s+/gu, " ").trim();
}

interface NewUser {
  name: string;
  password: string;
  email?: string;
  role?: Role;
  /** The columns `users.language` and `users.time_zone`. */
  language?: string;
  timeZone?: string;
}

export interface Account {
  id: number;
  name: string;
  email: string | null;
  confirmed_email: string | null;
  role: Role;
  language: string | null;
  time_zone: string | null;
  created_at: Date;
  password_changed_at: Date;
  /** Null if it may log in. */
  disabled_at: Date | null;
}

export interface Credentials {
  id: number;
  name: string;
  role: Role;
  password_hash: string;
  /** `users.password_changed_at` as text, to the microsecond: identifies the password. */
  passwordSetAt: string;
  isDisabled: boolean;
}

/**
 * Stores a new user with a hashed password. The caller has validated the name and the password.
 * @returns the user's id, or undefined if the name is taken
 */
export async function createUser(db: Db, user: NewUser): Promise<number | undefined> {
  return insertUser(db, user, await hashPassword(user.password));
}

/** Like `createUser`, with the hash computed before, because a transaction should not stay open that long. */
export async function insertUser(
  db: Db,
  user: Omit<NewUser, "password">,
  passwordHash: string,
): Promise<number | undefined> {
  const row = {
    name: user.name,
    name_key: nameKey(user.name),
    email: user.email ?? null,
    role: user.role ?? "user",
    language: user.language ?? null,
    time_zone: user.timeZone ?? null,
    password_hash: passwordHash,
  };
  const [created] = await db("users").insert(row).onConflict("name_key").ignore().returning("id");
  return created?.id;
}

/** Whether any account may manage the site. */
export async function hasOperator(db: Db): Promise<boolean> {
  return (await operators(db).first("id")) !== undefined;
}

/** The accounts that may manage the site. */
export function operators(db: Db) {
  return db("users").where({ role: "operator", disabled_at: null });
}

/** The user of a name, in any spelling with the same key. */
export async function findUserId(db: Db, name: string): Promise<number | undefined> {
  const user = await db("users")
    .where({ name_key: nameKey(name) })
    .first("id");
  return user?.id;
}

export async function findCredentials(db: Db, name: string): Promise<Credentials | undefined> {
  return db("users")
    .where({ name_key: nameKey(name) })
    .first(
      "id",
      "name",
      "role",
      "password_hash",
      db.raw('cast(password_changed_at as text) as "passwordSetAt"'),
      db.raw('disabled_at is not null as "isDisabled"'),
    );
}

export async function findAccount(db: Db, userId: number): Promise<Account | undefined> {
  return db("users")
    .where({ id: userId })
    .first(...ACCOUNT_COLUMNS);
}

/** Every account, oldest first. */
export async function listAccounts(db: Db): Promise<Account[]> {
  return db("users")
    .select(...ACCOUNT_COLUMNS)
    .orderBy("id");
}

const ACCOUNT_COLUMNS = [
  "id",
  "name",
  "email",
  "confirmed_email",
  "role",
  "language",
  "time_zone",
  "created_at",
  "password_changed_at",
  "disabled_at",
] as const;

/** Changes the language of pages and mails, and the time zone; null means not set. */
export async function changeLocale(
  db: Db,
  userId: number,
  { language, timeZone }: { language: string | null; timeZone: string | null },
): Promise<void> {
  await db("users").where({ id: userId }).update({ language, time_zone: timeZone });
}

/** Identifies a password that was just checked (see `Credentials`). */
export interface CheckedPassword {
  passwordSetAt?: string | undefined;
}

/**
 * Stores the hash of a new password. Uses the statement's time, which may be long after the transaction's start, so
 * that no earlier session seems newer.
 * @returns false if the checked password has been changed meanwhile
 */
export async function storePasswordHash(
  db: Db,
  userId: number,
  hash: string,
  checked: CheckedPassword = {},
): Promise<boolean> {
  const changed = await withPassword(db("users"), userId, checked).update({
    password_hash: hash,
    password_changed_at: db.raw("clock_timestamp()"),
  });
  return changed > 0;
}

/** Narrows a query to a user whose password is still the checked one. */
export function withPassword<Query extends Knex.QueryBuilder>(
  query: Query,
  userId: number,
  { passwordSetAt }: CheckedPassword,
): Query {
  query.where({ id: userId });
  if (passwordSetAt !== undefined) query.where({ password_changed_at: passwordSetAt });
  return query;
}

/** Stores a stronger hash of the same password, unless the password has changed since it was checked. */
export async function strengthenHash(
  db: Db,
  { id, password_hash }: Credentials,
  hash: string,
): Promise<void> {
  await db("users").where({ id, password_hash }).update({ password_hash: hash });
}

/**
 * Removes a user and, by cascading keys, their sessions, keys, favorites and notifications.
 * @returns false if they are already gone, or their password has been changed meanwhile
 */
export async function deleteUser(db: Db, userId: number, checked: CheckedPassword = {}): Promise<boolean> {
  return (await withPassword(db("users"), userId, checked).delete()) > 0;
}

/** Removes expired sessions, attempt counters and mailed tokens; resolves to their number. */
export async function removeExpired(db: Db): Promise<number> {
  const sessions = await deleteInBatches(db, "sessions", "expire < now()");
  const counters = await deleteInBatches(db, "rate_limits", "expire < extract(epoch from now()) * 1000");
  return sessions + counters + (await removeOldTokens(db));
}

interface PeopleFilter {
  /** Part of a name, or a whole address. */
  readonly q: string;
  readonly show?: Exclude<Role, "user"> | "disabled" | undefined;
  /** The last name of the previous page. */
  readonly after?: string | undefined;
}

/** Accounts by name. */
export async function listPeople(
  db: Db,
  { q, show, after }: PeopleFilter,
  limit: number,
): Promise<Account[]> {
  const people = db<Account>("users").orderBy("name_key").limit(limit);
  if (q !== "")
    people.whereRaw("(position(? in name_key) > 0 or lower(email) = lower(?))", [nameKey(q), q.trim()]);
  if (show === "disabled") people.whereNotNull("disabled_at");
  else if (show !== undefined) people.where({ role: show });
  if (after !== undefined) people.whereRaw("name_key > ?", [nameKey(after)]);
  return people.select(...ACCOUNT_COLUMNS);
}

/** The active sessions of an account, and when the last one was used. */
export async function countSessions(db: Db, userId: number): Promise<{ count: number; last: Date | null }> {
  return selectRow(
    db,
    "select count(*)::int as count, max(used_at) as last from sessions where user_id = ? and expire > now()",
    [userId],
  );
}

/** A stored action of the audit log. */
export interface AuditLine {
  readonly id: number;
  readonly at: Date;
  /** Null for a command, or for an account whose name is unknown. */
  readonly user_name: string | null;
  readonly via: "site" | "api" | "command";
  readonly ip: string | null;
  readonly request_id: string | null;
  readonly action: AuditedAction;
  readonly subject: string | null;
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown> | null;
  readonly note: string | null;
}

/**
 * The newest actions that match a filter, below its id. A subject is found by its beginning; days are those of the
 * zone.
 */
export async function listActions(
  db: Db,
  { who, action, subject, from, until, before }: AuditFilter,
  { timeZone = "UTC", limit }: { timeZone?: string | undefined; limit: number },
): Promise<AuditLine[]> {
  const lines = db<AuditLine>("audit_log").orderBy("id", "desc").limit(limit);
  if (before !== undefined) lines.where("id", "<", before);
  if (who !== "") lines.whereRaw("lower(user_name) = lower(?)", [who]);
  if (action !== undefined) lines.where({ action });
  if (subject !== "") lines.whereRaw("starts_with(subject, ?)", [subject]);
  if (from !== undefined) lines.whereRaw("at >= ?::date::timestamp at time zone ?", [from, timeZone]);
  if (until !== undefined) lines.whereRaw("at < (?::date + 1)::timestamp at time zone ?", [until, timeZone]);
  return lines.select(
    ...["id", "at", "user_name", "via", "ip", "request_id", "action", "subject", "before", "after", "note"],
  );
}
