import type { Knex } from "knex";
import type webpush from "web-push";
import type { Db } from "../../db/connect.ts";
import { requireSession } from "../../db/sessions.ts";
import { lazyPackage } from "../../settings/lazy-package.ts";
import { saveSettings } from "../settings-queries.ts";

/** The maximum number of browsers of one user; a new one evicts the oldest. */
export const BROWSERS_AT_MOST = 20;

/** A browser that subscribed to Web Push. */
export interface Subscription {
  id: number;
  endpoint: string;
  /** `Firefox on Windows`; null if unknown. */
  browser: string | null;
  created_at: Date;
  /** When its push service last accepted a notification. */
  last_sent_at: Date | null;
}

interface NewSubscription {
  endpoint: string;
  p256dh: string;
  auth: string;
  browser: string | null;
}

/** A user's browsers, newest first. */
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
 * Stores a browser's subscription and switches Web Push on. Another user's browser moves to this one, and the other's
 * waiting messages are dropped.
 * @param sessionId the session of the request
 * @throws SessionEndedError if it has ended
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
 * Replaces a browser's subscription, so that waiting deliveries still reach it. Does not switch Web Push on, because
 * the browser subscribed again without its user.
 * @returns false, with nothing stored, if the old one is not the user's, because another user may be logged in by now
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
 * Serialises changes of a user's browsers, so that they count each other, and none is added after a change of password
 * that removed them all.
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

/** Removes a browser of a user, by endpoint or id; resolves to its name, or undefined. */
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

export async function countSubscriptions(db: Db, userId: number): Promise<number> {
  const [counted] = await db("push_subscriptions").where({ user_id: userId }).count({ browsers: "*" });
  return Number(counted?.browsers);
}

/** Removes every browser of a user; resolves to their number. */
export async function removeSubscriptions(db: Db, userId: number): Promise<number> {
  return db("push_subscriptions").where({ user_id: userId }).delete();
}

/** Removes a browser that its push service no longer knows, unless it has subscribed again meanwhile. */
export async function removeDeadSubscription(db: Db, id: number, endpoint: string): Promise<void> {
  await db("push_subscriptions").where({ id, endpoint }).delete();
}

/** Stores that a push service accepted a notification. */
export async function noteSent(db: Db, id: number): Promise<void> {
  await db("push_subscriptions").where({ id }).update({ last_sent_at: db.fn.now() });
}

export const loadWebPush = lazyPackage<typeof webpush>("web-push");

/** Keys that sign push messages (VAPID, RFC 8292), base64url. Browsers subscribe to the public one. */
export interface VapidKeys {
  publicKey: string;
  privateKey: string;
}

/**
 * The site's keys, created on first use. All processes must get the same ones, because a subscription is bound to its
 * key.
 */
export async function vapidKeys(db: Db): Promise<VapidKeys> {
  return (await storedKeys(db)) ?? makeKeys(db);
}

async function makeKeys(db: Db): Promise<VapidKeys> {
  const keys = JSON.stringify(loadWebPush().generateVAPIDKeys());
  await db("settings").insert({ key: "vapid", value: keys }).onConflict("key").ignore();
  const stored = await storedKeys(db);
  if (!stored) throw new Error("the VAPID keys were removed while they were being made");
  return stored;
}

async function storedKeys(db: Db): Promise<VapidKeys | undefined> {
  return (await db("settings").where({ key: "vapid" }).first("value"))?.value;
}
