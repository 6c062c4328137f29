import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import { deleteInBatches } from "../db/rows.ts";
import type { Role } from "../db/sessions.ts";
import { hashPassword } from "./passwords.ts";
import { removeOldTokens } from "./token-queries.ts";

/**
 * The key that makes names equal: NFKC (so `Ａnn` is `Ann`), without case, with single spaces. Upper case also makes ß
 * equal ss, and both forms of the small sigma equal.
 */
export function nameKey(name: string): string {
  return name.normalize("NFKC").toUpperCase().toLowerCase().replace(/\s+/gu, " ").trim();
}

export interface NewUser {
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

export const ACCOUNT_COLUMNS = [
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
