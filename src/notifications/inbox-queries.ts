import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import { countRows, selectRow } from "../db/rows.ts";
import type { LowName } from "../records/prices/price-lows.ts";
import { bestDiscount, type DiscountTerms, loweredPrice } from "../records/prices/prices.ts";
import { RUNNING } from "../records/prices/queries.ts";
import type { ReportedKind } from "../words/kinds/kinds.ts";
import { ALERT, JOIN_ALERT, readAlert, type ServerAlert } from "./alerts/alert.ts";

export const NOTIFICATIONS_LISTED = 200;

export type InboxNotification = InboxDiscount | InboxAlert | InboxSuggestion;

interface InboxEntry {
  id: number;
  created_at: Date;
  read_at: Date | null;
}

/** A crossing of a favorite server. */
export interface InboxAlert extends InboxEntry {
  alert: ServerAlert;
  suggestion: null;
}

/** What an editor has decided about a mistake that the user reported. */
export interface InboxSuggestion extends InboxEntry {
  alert: null;
  suggestion: {
    kind: ReportedKind;
    entryId: string;
    /** The record's name when the user reported it. */
    name: string;
    state: "accepted" | "declined";
    reason: string | null;
  };
}

/** A notification of a discount as it was created, with the discount's current state. */
export interface InboxDiscount extends InboxEntry {
  alert: null;
  suggestion: null;
  /** Null if the item was removed from the shop. */
  item_key: string | null;
  item_name: string;
  /** The item's current names by language; null if it was removed. */
  item_names: Record<string, string> | null;
  /** The item's current picture, see records/picture.ts; null without one, or if the item was removed. */
  item_picture: string | null;
  item_image: string | null;
  title: string | null;
  /** The discount's titles by language; null if it is gone. */
  titles: Record<string, string> | null;
  /** Whether the discount is demo data; null if it was removed. */
  demo: boolean | null;
  /** Decimal text; null if the item had no price of its own. */
  old_price: string | null;
  new_price: string;
  /** The low that the new price reached when the notification was created. */
  low: LowName | null;
  /** The target price that was reached. */
  wish: string | null;
  /** True if the regular price fell, without a discount. */
  is_regular: boolean;
  currency: string;
  /** The current discounted price; null if the discount is gone or no longer lowers the price. */
  price_now: string | null;
  /** The item's current price with its best discount; null if it is unknown, or in another currency. */
  paid_now: string | null;
  /** `coming` means postponed after the user was notified. */
  state: "running" | "coming" | "ended";
  /** Whether the discount was removed, or its record has begun a new run. */
  gone: boolean;
  starts_at: Date | null;
  /** The current end; null if it is open or no longer known. */
  ends_at: Date | null;
}

interface InboxRow extends Omit<InboxDiscount, "price_now" | "paid_now" | "alert" | "suggestion"> {
  suggestion: InboxSuggestion["suggestion"] | null;
  alert: Parameters<typeof readAlert>[0];
  item_price: string | null;
  item_currency: string | null;
  percent: string | null;
  price: string | null;
  /** The terms of the item's current discounts; null without any. */
  running: (DiscountTerms & { id: string; ends_at: null })[] | null;
}

/** SQL: whether a notification is about a lower regular price instead of a discount. */
const IS_REGULAR = "notification.discount_id is null and notification.wish is not null";

/** A user's notifications, newest first: all, the unread ones, or those with the given ids. */
export async function listInbox(
  db: Db,
  userId: number,
  {
    unread = false,
    limit = NOTIFICATIONS_LISTED,
    ids,
  }: { unread?: boolean; limit?: number; ids?: readonly number[] } = {},
): Promise<InboxNotification[]> {
  const query = inbox(db, userId)
    .select(
      "notification.id",
      "notification.item_key",
      "notification.item_name",
      "discount.title",
      "discount.titles",
      "discount.demo",
      "discount.starts_at",
    )
    .select(
      "notification.old_price",
      "notification.new_price",
      "notification.low",
      "notification.wish",
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
    .select(
      db.raw(`(select json_agg(json_build_object('id', discount.id, 'ends_at', null, 'percent', discount.percent::text, 'price', discount.price::text))
                 from discounts as discount where discount.item_key = item.id and ${RUNNING}) as running`),
    )
    .joinRaw(JOIN_ALERT)
    .leftJoin("suggestions as suggestion", "suggestion.id", "notification.suggestion_id")
    .select(db.raw(`${ALERT} as alert`))
    .select(
      db.raw(`case when suggestion.id is not null then json_build_object('kind', suggestion.kind, 'entryId', suggestion.entry_id,
                'name', suggestion.entry_name, 'state', suggestion.state, 'reason', suggestion.reason) end as suggestion`),
    )
    .select(db.raw(`${IS_REGULAR} as is_regular`))
    .select(db.raw(`case when ${IS_REGULAR} then item.id is null else discount.id is null end as gone`))
    .select(
      db.raw(`case when ${IS_REGULAR} then case when item.price <= notification.new_price and item.currency = notification.currency
                     then 'running' else 'ended' end
                   when discount.id is null or discount.ends_at <= now() then 'ended'
                   when discount.starts_at > now() then 'coming' else 'running' end as state`),
    )
    .select(
      db.raw(`case when discount.id is not null then discount.ends_at
                   when notification.ends_at <= now() then notification.ends_at end as ends_at`),
    )
    .orderByRaw("notification.created_at desc, notification.id desc")
    .limit(limit);
  if (unread) query.whereNull("notification.read_at");
  if (ids) query.whereIn("notification.id", ids);
  const rows: InboxRow[] = await query;
  return rows.map(({ item_price, item_currency, percent, price, alert, suggestion, running, ...row }) => {
    const { id, created_at, read_at } = row;
    const read = readAlert(alert);
    if (read) return { id, created_at, read_at, alert: read, suggestion: null };
    if (suggestion) return { id, created_at, read_at, alert: null, suggestion };
    if (item_currency !== row.currency)
      return { ...row, alert: null, suggestion: null, price_now: null, paid_now: null };
    const item = { price: item_price, currency: item_currency };
    const now = row.is_regular ? item_price : loweredPrice(item, { percent, price });
    const paid_now = bestDiscount(item, running ?? [])?.newPrice ?? item_price;
    return { ...row, alert: null, suggestion: null, price_now: row.gone ? null : now, paid_now };
  });
}

/** When a user's notifications or their items' prices last changed; null without notifications. */
export async function inboxChangedAt(db: Db, userId: number): Promise<Date | null> {
  const row = await selectRow<{ changed_at: Date | null }>(
    db,
    `select greatest(max(notification.created_at), max(discount.updated_at),
              case when count(*) > 0 then (select updated_at from settings where key = 'discounts_removed') end,
              (select greatest(max(item.updated_at), max(discount.updated_at),
                               max(discount.starts_at) filter (where discount.starts_at <= now()),
                               max(discount.ends_at) filter (where discount.ends_at <= now()))
                 from donate_items item left join discounts discount on discount.item_key = item.id
                where item.id in (select item_key from notifications where user_id = :userId))) as changed_at
       from notifications notification left join discounts discount on discount.id = notification.discount_id
      where notification.user_id = :userId`,
    { userId },
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

/** The item, the server or the record that a notification is about; the others are null, and so is a removed one. */
export interface NotificationSubject {
  itemKey: string | null;
  serverId: string | null;
  kind: ReportedKind | null;
  entryId: string | null;
}

/** Finds the subject of a user's notification; undefined if the user has no such notification. */
export async function findNotificationSubject(
  db: Db,
  userId: number,
  notificationId: number,
): Promise<NotificationSubject | undefined> {
  return db("notifications as notification")
    .joinRaw(JOIN_ALERT)
    .leftJoin("suggestions as suggestion", "suggestion.id", "notification.suggestion_id")
    .where({ "notification.id": notificationId, "notification.user_id": userId })
    .first("notification.item_key as itemKey", "server.id as serverId")
    .select("suggestion.kind", "suggestion.entry_id as entryId");
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

/**
 * Notifications with the same run of their discounts: a later run of a record is another discount, and so is one in
 * another currency.
 */
function inbox(db: Db, userId: number): Knex.QueryBuilder {
  return db("notifications as notification")
    .leftJoin("donate_items as item", "item.id", "notification.item_key")
    .leftJoin("discounts as discount", (join) =>
      join
        .on("discount.id", "notification.discount_id")
        .on("discount.run", "notification.run")
        .on("item.currency", "notification.currency"),
    )
    .where("notification.user_id", userId);
}

/**
 * Removes each user's notifications beyond those that are listed; resolves to their number. Notifications of a
 * discount's last run stay until a week after its end. Without them, users would be notified again if the discount got
 * a later end or came back after a removal by mistake. Notifications of a crossing stay until all of its users are
 * notified.
 */
export async function removeOldNotifications(db: Db): Promise<number> {
  return countRows(
    db,
    `delete from notifications where id in (
       select n.id
       from (select id, discount_id, run, crossing_id, row_number() over (partition by user_id order by created_at desc, id desc) as place
             from notifications) n
         left join discount_runs known on known.discount_id = n.discount_id and known.run = n.run
         left join server_crossings crossing on crossing.id = n.crossing_id
       where n.place > ? and (crossing.id is null or crossing.alerted_at is not null)
         and (known.run is null or known.ends_at < now() - interval '7 days'))`,
    [NOTIFICATIONS_LISTED],
  );
}
