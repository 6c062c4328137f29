import type { Db } from "../db/connect.ts";
import { DIGEST_HOUR } from "./email/digest-times.ts";

/** E-mail about discounts: none, one for each, or at most one a day with all of them. */
export const EMAIL_CHOICES = ["off", "each", "daily"] as const;

export type EmailChoice = (typeof EMAIL_CHOICES)[number];

/** What a user asked for beside the inbox, which everybody has. */
export interface NotificationSettings {
  email: EmailChoice;
  /** Hour of the day, 0 to 23, in the user's zone, at which the daily mail is sent. */
  digestHour: number;
  push: boolean;
  feed: boolean;
  /** Feed links of another version are void. */
  feedVersion: number;
}

/** Where mail to a user can go, and how to write to that user. */
export interface MailAddress {
  /** The address that was proven to be the user's; null: none yet. */
  confirmedEmail: string | null;
  /** IANA name; null: not told, so times are UTC. */
  timeZone: string | null;
  /** The language of the account; null: not told. */
  language: string | null;
}

/** The defaults. The table has the same, but leaves the hour open. */
const DEFAULTS: NotificationSettings = {
  email: "off",
  digestHour: DIGEST_HOUR,
  push: false,
  feed: false,
  feedVersion: 1,
};

/** A user's settings; the defaults where none are stored. */
export async function loadSettings(db: Db, userId: number): Promise<NotificationSettings> {
  const stored = await db("notification_settings")
    .where({ user_id: userId })
    .first("email", "digest_hour as digestHour", "push", "feed", "feed_version as feedVersion");
  return stored ? { ...stored, digestHour: stored.digestHour ?? DIGEST_HOUR } : DEFAULTS;
}

/** Changes what is given and keeps the rest. */
export async function saveSettings(
  db: Db,
  userId: number,
  changes: Partial<Omit<NotificationSettings, "feedVersion">>,
): Promise<void> {
  const { digestHour, ...same } = changes;
  const columns = { ...same, ...(digestHour !== undefined && { digest_hour: digestHour }) };
  const insertion = db("notification_settings")
    .insert({ user_id: userId, ...columns })
    .onConflict("user_id");
  await (Object.keys(columns).length === 0 ? insertion.ignore() : insertion.merge(columns));
}

/** Switches the feed on under a link that nobody has seen: those of before lead nowhere from now on. */
export async function renewFeed(db: Db, userId: number): Promise<void> {
  await db("notification_settings")
    .insert({ user_id: userId, feed: true })
    .onConflict("user_id")
    .merge({ feed: true, feed_version: db.raw("notification_settings.feed_version + 1") });
}

/** Gives a feed that is on another link, so that the one before leads nowhere; resolves to how many that changed, 0 or 1. */
export async function moveFeed(db: Db, userId: number): Promise<number> {
  return db("notification_settings").where({ user_id: userId, feed: true }).increment("feed_version", 1);
}

/** Whether a user's feed is on. */
export async function isFeedOpen(db: Db, userId: number): Promise<boolean> {
  return (await loadSettings(db, userId)).feed;
}

/** Whether a feed link of this version is good. */
export async function isFeedOn(db: Db, userId: number, version: number): Promise<boolean> {
  const found = await db("notification_settings")
    .where({ user_id: userId, feed: true, feed_version: version })
    .first("user_id");
  return found !== undefined;
}

/** A user's confirmed address and zone. */
export async function findMailAddress(db: Db, userId: number): Promise<MailAddress> {
  const found: MailAddress | undefined = await db("users")
    .where({ id: userId })
    .first("confirmed_email as confirmedEmail", "time_zone as timeZone", "language");
  return found ?? { confirmedEmail: null, timeZone: null, language: null };
}
