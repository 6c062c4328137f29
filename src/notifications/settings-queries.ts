import type { Db } from "../db/connect.ts";
import { DIGEST_HOUR } from "./email/digest-times.ts";

/** E-mail about discounts: none, one for each, or at most one a day with all of them. */
export const EMAIL_CHOICES = ["off", "each", "daily"] as const;

type EmailChoice = (typeof EMAIL_CHOICES)[number];

/** A user's channels. All users have the inbox. */
export interface NotificationSettings {
  email: EmailChoice;
  /** Hour of the daily mail, 0 to 23, in the user's zone. */
  digestHour: number;
  push: boolean;
  feed: boolean;
  /** Quiet hours in the user's zone, for e-mail and push, `quietUntil` not included; null without them. */
  quietFrom: number | null;
  quietUntil: number | null;
  /** Feed links with another version are void. */
  feedVersion: number;
}

export interface MailAddress {
  /** Null without a confirmed address. */
  confirmedEmail: string | null;
  /** IANA name; if null, times are in UTC. */
  timeZone: string | null;
  /** The account's language; null if not set. */
  language: string | null;
}

/** The defaults of the table, except the hour, which is null there. */
const DEFAULTS: NotificationSettings = {
  email: "off",
  digestHour: DIGEST_HOUR,
  push: false,
  feed: false,
  quietFrom: null,
  quietUntil: null,
  feedVersion: 1,
};

/** A user's settings, or the defaults if none are stored. */
export async function loadSettings(db: Db, userId: number): Promise<NotificationSettings> {
  const stored = await db("notification_settings")
    .where({ user_id: userId })
    .first("email", "digest_hour as digestHour", "push", "feed", "feed_version as feedVersion")
    .select("quiet_from as quietFrom", "quiet_until as quietUntil");
  return stored ? { ...stored, digestHour: stored.digestHour ?? DIGEST_HOUR } : DEFAULTS;
}

/** Changes the given settings only. */
export async function saveSettings(
  db: Db,
  userId: number,
  changes: Partial<Omit<NotificationSettings, "feedVersion">>,
): Promise<void> {
  const { digestHour, quietFrom, quietUntil, ...same } = changes;
  const columns = {
    ...same,
    ...(digestHour !== undefined && { digest_hour: digestHour }),
    ...(quietFrom !== undefined && { quiet_from: quietFrom }),
    ...(quietUntil !== undefined && { quiet_until: quietUntil }),
  };
  const insertion = db("notification_settings")
    .insert({ user_id: userId, ...columns })
    .onConflict("user_id");
  await (Object.keys(columns).length === 0 ? insertion.ignore() : insertion.merge(columns));
}

/** Switches the feed on with a new link; earlier links stop working. */
export async function renewFeed(db: Db, userId: number): Promise<void> {
  await db("notification_settings")
    .insert({ user_id: userId, feed: true })
    .onConflict("user_id")
    .merge({ feed: true, feed_version: db.raw("notification_settings.feed_version + 1") });
}

/** Gives an active feed a new link; resolves to 1, or 0 if it is off. */
export async function moveFeed(db: Db, userId: number): Promise<number> {
  return db("notification_settings").where({ user_id: userId, feed: true }).increment("feed_version", 1);
}

export async function isFeedOpen(db: Db, userId: number): Promise<boolean> {
  return (await loadSettings(db, userId)).feed;
}

/** True if a feed link of this version works. */
export async function isFeedOn(db: Db, userId: number, version: number): Promise<boolean> {
  const found = await db("notification_settings")
    .where({ user_id: userId, feed: true, feed_version: version })
    .first("user_id");
  return found !== undefined;
}

/** A user's name, and whether they get mail about discounts; undefined if the user is gone. */
export async function findMailedUser(
  db: Db,
  userId: number,
): Promise<{ name: string; mailed: boolean } | undefined> {
  const user = await db("users").where({ id: userId }).first("name");
  return user && { name: user.name, mailed: (await loadSettings(db, userId)).email !== "off" };
}

export async function findMailAddress(db: Db, userId: number): Promise<MailAddress> {
  const found: MailAddress | undefined = await db("users")
    .where({ id: userId })
    .first("confirmed_email as confirmedEmail", "time_zone as timeZone", "language");
  return found ?? { confirmedEmail: null, timeZone: null, language: null };
}
