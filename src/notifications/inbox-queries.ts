import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import { countRows, selectRow } from "../db/rows.ts";
import { loweredPrice } from "../prices/prices.ts";

/** How many notifications of one user are listed. */
export const NOTIFICATIONS_LISTED = 200;

/** A notification as it was made, with the discount as it is now. */
export interface InboxNotification {
  id: number;
  /** null: the item was removed from the shop. */
  item_key: string | null;
  item_name: string;
  /** The item's names by language, as they are now; null where it was removed. */
  item_names: Record<string, string> | null;
  /** Of the item as it is now, see records/picture.ts; null without one, or where the item was removed. */
  item_picture: string | null;
  item_image: string | null;
  title: string | null;
  /** Whether it is demo data; null where it was removed. */
  demo: boolean | null;
  /** Decimal text; null where the item had no price of its own. */
  old_price: string | null;
  new_price: string;
  currency: string;
  /** The discounted price now; null where the discount is gone or no longer lowers it. */
  price_now: string | null;
  /** `coming`: put off after its user was notified. */
  state: "running" | "coming" | "ended";
  /** The discount was removed, or its record has begun a new run. */
  gone: boolean;
  starts_at: Date | null;
  /** As it is now; null: open, or not known any more. */
  ends_at: Date | null;
  created_at: Date;
  read_at: Date | null;
}

interface InboxRow extends Omit<InboxNotification, "price_now"> {
  item_price: string | null;
  item_currency: string | null;
  percent: string | null;
  price: string | null;
}

/** A user's newest notifications, newest first; all of them, or those that are unread. */
export async function listInbox(
  db: Db,
  userId: number,
  { unread = false, limit = NOTIFICATIONS_LISTED }: { unread?: boolean; limit?: number } = {},
): Promise<InboxNotification[]> {
  const query = inbox(db, userId)
    .select(
      "notification.id",
      "notification.item_key",
      "notification.item_name",
      "discount.title",
      "discount.demo",
      "discount.starts_at",
    )
    .select(
      "notification.old_price",
      "notification.new_price",
      "notification.currency",
      "notification.created_at",
      "notification.read_at",
    )
    .select(
      "item.names as item_names",
      "item.picture as item_picture",
      "item.image as item_image",
      "item.price as item_price",
      "item.currency as item_currency",
      "discount.percent",
      "discount.price",
    )
    .select(db.raw("discount.id is null as gone"))
    .select(
      db.raw(`case when discount.id is null or discount.ends_at <= now() then 'ended'
                   when discount.starts_at > now() then 'coming' else 'running' end as state`),
    )
    .select(
      db.raw(`case when discount.id is not null then discount.ends_at
                   when notification.ends_at <= now() then notification.ends_at end as ends_at`),
    )
    .orderByRaw("notification.created_at desc, notification.id desc")
    .limit(limit);
  if (unread) query.whereNull("notification.read_at");
  const rows: InboxRow[] = await query;
  return rows.map(({ item_price, item_currency, percent, price, ...row }) => {
    const item = { price: item_price, currency: item_currency ?? row.currency };
    return { ...row, price_now: row.gone ? null : loweredPrice(item, { percent, price }) };
  });
}

/** When a user's notifications last changed, their discounts included; null where there are none. */
export async function inboxChangedAt(db: Db, userId: number): Promise<Date | null> {
  const row = await selectRow<{ changed_at: Date | null }>(
    db,
    `select greatest(max(notification.created_at), max(discount.updated_at),
              case when count(*) > 0 then (select updated_at from settings where key = 'discounts_removed') end) as changed_at
       from notifications notification left join discounts discount on discount.id = notification.discount_id
      where notification.user_id = ?`,
    [userId],
  );
  return row.changed_at;
}

export async function countInbox(db: Db, userId: number): Promise<{ total: number; unread: number }> {
  return selectRow(
    db,
    `select count(*)::integer as total, count(*) filter (where read_at is null)::integer as unread
       from notifications where user_id = ?`,
    [userId],
  );
}

/** The item of a user's notification, null where it was removed; undefined: they have no such notification. */
export async function findNotificationItem(
  db: Db,
  userId: number,
  notificationId: number,
): Promise<{ itemKey: string | null } | undefined> {
  return db("notifications").where({ id: notificationId, user_id: userId }).first("item_key as itemKey");
}

/** Marks one notification of a user, or all, as read; those read before keep their time. */
export async function markNotificationsRead(db: Db, userId: number, notificationId?: number): Promise<void> {
  const unread = db("notifications").where({ user_id: userId }).whereNull("read_at");
  if (notificationId !== undefined) unread.where({ id: notificationId });
  await unread.update({ read_at: db.fn.now() });
}

export async function markNotificationUnread(db: Db, userId: number, notificationId: number): Promise<void> {
  await db("notifications").where({ user_id: userId, id: notificationId }).update({ read_at: null });
}

/** Notifications with the same run of their discounts: a later run of a record is another discount. */
function inbox(db: Db, userId: number): Knex.QueryBuilder {
  return db("notifications as notification")
    .leftJoin("discounts as discount", (join) =>
      join.on("discount.id", "notification.discount_id").on("discount.run", "notification.run"),
    )
    .leftJoin("donate_items as item", "item.id", "notification.item_key")
    .where("notification.user_id", userId);
}

/**
 * Removes each user's notifications beyond those that are listed; resolves to how many. Those of a discount's last run
 * stay until a week after its end: without them users would be notified again if it got a later end or, removed by
 * mistake, came back.
 */
export async function removeOldNotifications(db: Db): Promise<number> {
  return countRows(
    db,
    `delete from notifications where id in (
       select n.id
       from (select id, discount_id, run, row_number() over (partition by user_id order by created_at desc, id desc) as place
             from notifications) n
         left join discount_runs known on known.discount_id = n.discount_id and known.run = n.run
       where n.place > ? and (known.run is null or known.ends_at < now() - interval '7 days'))`,
    [NOTIFICATIONS_LISTED],
  );
}
