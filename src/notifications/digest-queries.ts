import type { Db } from "../db/connect.ts";
import type { DiscountTerms } from "../donate/prices.ts";
import type { DueDelivery } from "./deliveries.ts";

/** Whom a daily mail is for. */
export interface DigestReader {
  readonly id: number;
  readonly name: string;
  /** The confirmed address. */
  readonly email: string | null;
  readonly language: string | null;
  readonly timeZone: string | null;
  /** Hour of the day, 0 to 23, in the user's zone. */
  readonly hour: number;
  /** Whether the user still asks for mail. Who has changed from daily mail to single ones gets what waits all the same. */
  readonly wanted: boolean;
}

/** A discount that waits for a daily mail, with what it is about as that is now. */
export interface WaitingOffer {
  readonly deliveryId: number;
  readonly attempts: number;
  readonly startsAt: Date;
  readonly started: boolean;
  readonly over: boolean;
  /** null: the discount or its item is there no more, or its record tells of another one by now. */
  readonly offer: (Omit<DueDelivery["notice"], "id" | "newPrice"> & DiscountTerms) | null;
}

/** A daily mail that was begun and has something in it that waits. */
interface UnsentDigest {
  readonly id: number;
}

/** The user of a daily mail; undefined: gone. */
export async function findDigestReader(db: Db, userId: number): Promise<DigestReader | undefined> {
  return db("users")
    .leftJoin("notification_settings as setting", "setting.user_id", "users.id")
    .where("users.id", userId)
    .first(
      "users.id",
      "users.name",
      "users.confirmed_email as email",
      "users.language",
      "users.time_zone as timeZone",
      db.raw("coalesce(setting.digest_hour, 18) as hour"),
      db.raw("coalesce(setting.email, 'off') <> 'off' as wanted"),
    );
}

/** The oldest daily mail of a user that was begun and not sent. */
export async function findUnsentDigest(db: Db, userId: number): Promise<UnsentDigest | undefined> {
  return db("digests as digest")
    .where({ user_id: userId, sent_at: null })
    .whereExists((query) =>
      query
        .select(db.raw("1"))
        .from("deliveries as delivery")
        .whereRaw("delivery.digest_id = digest.id and delivery.state = 'waiting'"),
    )
    .orderBy("id")
    .first("id");
}

/** What waits in a digest of a user, or with null: for one. */
export async function listWaitingOffers(
  db: Db,
  userId: number,
  digestId: number | null,
): Promise<WaitingOffer[]> {
  const rows = await db("deliveries as delivery")
    .join("notifications as notice", "notice.id", "delivery.notification_id")
    .leftJoin("discounts as discount", (join) =>
      join.on("discount.id", "notice.discount_id").on("discount.run", "notice.run"),
    )
    .leftJoin("donate_items as item", "item.id", "discount.item_key")
    .where({ "delivery.user_id": userId, "delivery.channel": "digest", "delivery.state": "waiting" })
    .where({ "delivery.digest_id": digestId })
    .orderBy([{ column: "discount.ends_at", nulls: "last" }, "item.name", "delivery.id"])
    .select("delivery.id as deliveryId", "delivery.attempts", "discount.starts_at as startsAt")
    .select(
      db.raw("discount.starts_at <= now() as started"),
      db.raw("coalesce(discount.ends_at <= now(), false) as over"),
    )
    .select(
      "item.id as itemKey",
      "item.name as itemName",
      "item.names as itemNames",
      "item.price as oldPrice",
      "item.currency",
      "discount.title",
      "discount.percent",
      "discount.price",
      "discount.ends_at as endsAt",
    );
  return rows.map(({ deliveryId, attempts, startsAt, started, over, ...offer }) => ({
    deliveryId,
    attempts,
    startsAt,
    started,
    over,
    offer: offer.itemKey === null ? null : offer,
  }));
}

/** When the last daily mail of a user was sent. */
export async function lastDigestSentAt(db: Db, userId: number): Promise<Date | null> {
  const last = await db("digests").where({ user_id: userId }).max("sent_at as at").first();
  return last?.at ?? null;
}

/** Begins the daily mail of a day with these deliveries in it; undefined: that day has had one. */
export async function beginDigest(
  transaction: Db,
  userId: number,
  day: string,
  deliveryIds: number[],
): Promise<number | undefined> {
  const [digest] = await transaction("digests")
    .insert({ user_id: userId, day })
    .onConflict(["user_id", "day"])
    .ignore()
    .returning("id");
  if (!digest) return undefined;
  await waiting(transaction, deliveryIds).update({ digest_id: digest.id });
  return digest.id;
}

/** Notes that a daily mail was sent, and with it these deliveries. */
export async function markDigestSent(
  transaction: Db,
  digestId: number,
  deliveryIds: number[],
  at: Date,
): Promise<void> {
  await transaction("digests").where({ id: digestId }).update({ sent_at: at });
  await waiting(transaction, deliveryIds)
    .increment("attempts")
    .update({ state: "sent", reason: null, settled_at: transaction.fn.now() });
}

/** Ends deliveries that wait without having been sent. */
export async function endDeliveries(
  db: Db,
  deliveryIds: number[],
  state: "dropped" | "dead",
  reason: string,
): Promise<void> {
  const change = waiting(db, deliveryIds);
  if (state === "dead") change.increment("attempts");
  await change.update({ state, reason, settled_at: db.fn.now() });
}

/** Notes an attempt that failed and is to be repeated. */
export async function countFailures(db: Db, deliveryIds: number[], reason: string): Promise<void> {
  await waiting(db, deliveryIds).increment("attempts").update({ reason });
}

/** Removes daily mails that are a month old, but for those that have something in them that waits. Resolves to how many. */
export async function removeOldDigests(db: Db): Promise<number> {
  const { rowCount } = await db.raw(
    `delete from digests digest
      where created_at < now() - interval '30 days'
        and not exists (select from deliveries where digest_id = digest.id and state = 'waiting')`,
  );
  return rowCount;
}

function waiting(db: Db, deliveryIds: number[]) {
  return db("deliveries").whereRaw("id = any(?)", [deliveryIds]).where({ state: "waiting" });
}
