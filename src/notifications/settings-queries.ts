import type { Db } from "../db/connect.ts";
import { DIGEST_HOUR } from "./email/digest-times.ts";

/** E-mail about discounts: none, one for each, or at most one a day with all of them. */
export const EMAIL_CHOICES = ["off", "each", "daily"] as const;

type EmailChoice = (typeof EMAIL_CHOICES)[number];

/** A user's channels; everybody has the inbox. */
export interface NotificationSettings {
  email: EmailChoice;
  /** Hour of the day, 0 to 23, in the user's zone, at which the daily mail is sent. */
  digestHour: number;
  push: boolean;
  feed: boolean;
  /** Hours of the day in the user's zone without e-mail and push, `quietUntil` not included; null: none. */
  quietFrom: number | null;
  quietUntil: number | null;
  /** Feed links of another version are void. */
  feedVersion: number;
}

export interface MailAddress {
  /** null: none yet. */
  confirmedEmail: string | null;
  /** IANA name; null: not set, so times are UTC. */
  timeZone: string | null;
  /** The account's language; null: not set. */
  language: string | null;
}

/** The same as the table's defaults, but for the hour, which is null there. */
const DEFAULTS: NotificationSettings = {
  email: "off",
  digestHour: DIGEST_HOUR,
  push: false,
  feed: false,
  quietFrom: null,
  quietUntil: null,
  feedVersion: 1,
};

/** A user's settings; the defaults where none are stored. */
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

/** Switches the feed on under a new link; earlier links stop working. */
export async function renewFeed(db: Db, userId: number): Promise<void> {
  await db("notification_settings")
    .insert({ user_id: userId, feed: true })
    .onConflict("user_id")
    .merge({ feed: true, feed_version: db.raw("notification_settings.feed_version + 1") });
}

/** Gives a feed that is on a new link; resolves to 1, or 0 where it is off. */
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

export async function findMailAddress(db: Db, userId: number): Promise<MailAddress> {
  const found: MailAddress | undefined = await db("users")
    .where({ id: userId })
    .first("confirmed_email as confirmedEmail", "time_zone as timeZone", "language");
  return found ?? { confirmedEmail: null, timeZone: null, language: null };
}
