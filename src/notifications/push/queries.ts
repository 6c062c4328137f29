import type { Knex } from "knex";
import type { Db } from "../../db/connect.ts";
import { requireSession } from "../../db/sessions.ts";
import { saveSettings } from "../settings-queries.ts";

/** So many browsers of one user are written to; those that subscribed first make room for the next. */
export const BROWSERS_AT_MOST = 20;

/** A browser that asked for notifications. */
export interface Subscription {
  id: number;
  endpoint: string;
  /** `Firefox on Windows`; null where it did not say. */
  browser: string | null;
  created_at: Date;
  /** When its push service took a notification last. */
  last_sent_at: Date | null;
}

export interface NewSubscription {
  endpoint: string;
  p256dh: string;
  auth: string;
  browser: string | null;
}

/** A user's browsers, the one that subscribed last first. */
export async function listSubscriptions(db: Db, userId: number): Promise<Subscription[]> {
  return db("push_subscriptions")
    .where({ user_id: userId })
    .orderBy([
      { column: "created_at", order: "desc" },
      { column: "id", order: "desc" },
    ])
    .select("id", "endpoint", "browser", "created_at", "last_sent_at");
}

/**
 * Stores a browser's subscription and switches Web Push on: whoever subscribes wants notifications. A browser that was
 * another user's is that user's no more, and what was under way to them does not reach it. `sessionId`: the session that
 * it is asked for in.
 * @throws SessionEndedError where that has ended
 */
export async function addSubscription(
  db: Knex,
  userId: number,
  added: NewSubscription,
  sessionId?: string,
): Promise<void> {
  await db.transaction(async (transaction) => {
    await holdUser(transaction, userId, sessionId);
    await store(transaction, userId, added);
    await saveSettings(transaction, userId, { push: true });
  });
}

/**
 * Puts a browser's new subscription in the place of the one it had, so that what is under way to it arrives. Web Push
 * stays on or off: the browser renewed itself, nobody asked for anything.
 * @returns false, with nothing stored, where the old one is none of the user's: somebody else may be logged in by now
 */
export async function renewSubscription(
  db: Knex,
  userId: number,
  oldEndpoint: string,
  renewed: NewSubscription,
  sessionId?: string,
): Promise<boolean> {
  return db.transaction(async (transaction) => {
    await holdUser(transaction, userId, sessionId);
    const old = () => transaction("push_subscriptions").where({ user_id: userId, endpoint: oldEndpoint });
    const isKnown = await transaction("push_subscriptions").where({ endpoint: renewed.endpoint }).first("id");
    if (!isKnown || renewed.endpoint === oldEndpoint) return (await old().update(renewed)) > 0;
    if ((await old().delete()) === 0) return false;
    await store(transaction, userId, renewed);
    return true;
  });
}

/**
 * One change of a user's browsers at a time: those that come together would not count each other, and none comes after a
 * change of password that has removed them all.
 */
async function holdUser(transaction: Knex.Transaction, userId: number, sessionId?: string): Promise<void> {
  await transaction("users").where({ id: userId }).forNoKeyUpdate().first("id");
  if (sessionId !== undefined) await requireSession(transaction, sessionId);
}

async function store(transaction: Db, userId: number, { endpoint, ...rest }: NewSubscription): Promise<void> {
  const row = { user_id: userId, ...rest };
  await transaction("push_subscriptions").where({ endpoint }).whereNot({ user_id: userId }).delete();
  await transaction("push_subscriptions")
    .insert({ endpoint, ...row })
    .onConflict("endpoint")
    .merge(row);
  await transaction.raw(
    `delete from push_subscriptions where id in (
       select id from push_subscriptions where user_id = ? order by created_at desc, id desc offset ?)`,
    [userId, BROWSERS_AT_MOST],
  );
}

/** Removes one browser of a user, by its endpoint or its id; resolves to what it was called, undefined where there is none. */
export async function removeSubscription(
  db: Db,
  userId: number,
  which: { endpoint: string } | { id: number },
): Promise<Pick<Subscription, "browser"> | undefined> {
  const [removed] = await db("push_subscriptions")
    .where({ user_id: userId, ...which })
    .delete()
    .returning("browser");
  return removed;
}

/** How many browsers of a user get notifications. */
export async function countSubscriptions(db: Db, userId: number): Promise<number> {
  const [counted] = await db("push_subscriptions").where({ user_id: userId }).count({ browsers: "*" });
  return Number(counted?.browsers);
}

/** Removes every browser of a user; resolves to how many those were. */
export async function removeSubscriptions(db: Db, userId: number): Promise<number> {
  return db("push_subscriptions").where({ user_id: userId }).delete();
}

/** Removes a browser that its push service does not know any more, unless it has renewed itself in the meantime. */
export async function removeDeadSubscription(db: Db, id: number, endpoint: string): Promise<void> {
  await db("push_subscriptions").where({ id, endpoint }).delete();
}

/** Notes that the push service of a browser took a notification. */
export async function noteSent(db: Db, id: number): Promise<void> {
  await db("push_subscriptions").where({ id }).update({ last_sent_at: db.fn.now() });
}
