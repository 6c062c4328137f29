import type { Db } from "../db/connect.ts";

/** How many notices of one user are kept and listed. */
export const NOTICES_KEPT = 200;

/** One notice of a discount. It stays readable after its discount, and even its item, is gone. */
export interface Notice {
  id: number;
  item_key: string | null;
  item_name: string;
  /** Decimal text; null where the item had no price of its own. */
  old_price: string | null;
  new_price: string;
  currency: string;
  ends_at: Date | null;
  created_at: Date;
  read_at: Date | null;
}

/**
 * Notifies everybody of the active discounts of their favorites that they have not been notified of: once for each,
 * whichever processes call this at the same time. Resolves to the number of new notices.
 */
export async function notifyActiveDiscounts(db: Db): Promise<number> {
  return insertNotices(db, "true", []);
}

/** The same for one user and one item, at the moment when it becomes a favorite. */
export async function notifyOfItem(db: Db, userId: number, itemKey: string): Promise<number> {
  return insertNotices(db, "f.user_id = ? and f.item_key = ?", [userId, itemKey]);
}

/**
 * One statement, by the database's clock; the unique key on user and discount is what makes "once" true. A discount has
 * something to tell only where the shop shows it too: where its price is known (a percentage of no price is not) and
 * lower than the item's. Rows that are just being deleted are skipped instead of waited for, so that this never stands
 * in the way of an import.
 */
async function insertNotices(db: Db, condition: string, values: (string | number)[]): Promise<number> {
  const { rowCount } = await db.raw(
    `insert into notifications (user_id, discount_id, item_key, item_name, old_price, new_price, currency, ends_at)
     select f.user_id, d.id, i.id, i.name, i.price, p.new_price, i.currency, d.ends_at
     from discounts d
       join donate_items i on i.id = d.item_key
       join donate_favorites f on f.item_key = i.id
       join users u on u.id = f.user_id
       cross join lateral (
         select coalesce(d.price, round(i.price * (100 - d.percent) / 100, 2)) as new_price
       ) p
     where d.starts_at <= now() and (d.ends_at is null or d.ends_at > now())
       and p.new_price is not null and (i.price is null or p.new_price < i.price)
       and not exists (select from notifications n where n.user_id = f.user_id and n.discount_id = d.id)
       and ${condition}
     for key share of d, i, u skip locked
     on conflict (user_id, discount_id) do nothing`,
    values,
  );
  return rowCount;
}

/** A user's newest notices, newest first. */
export async function listNotices(db: Db, userId: number): Promise<Notice[]> {
  return db("notifications")
    .where({ user_id: userId })
    .orderBy([
      { column: "created_at", order: "desc" },
      { column: "id", order: "desc" },
    ])
    .limit(NOTICES_KEPT)
    .select(
      "id",
      "item_key",
      "item_name",
      "old_price",
      "new_price",
      "currency",
      "ends_at",
      "created_at",
      "read_at",
    );
}

/** Marks one notice of a user as read, or all of them; resolves to how many were unread. */
export async function markRead(db: Db, userId: number, noticeId?: number): Promise<number> {
  const unread = db("notifications").where({ user_id: userId }).whereNull("read_at");
  if (noticeId !== undefined) unread.where({ id: noticeId });
  return unread.update({ read_at: db.fn.now() });
}

/** Whether a user has this notice. */
export async function hasNotice(db: Db, userId: number, noticeId: number): Promise<boolean> {
  return (await db("notifications").where({ id: noticeId, user_id: userId }).first("id")) !== undefined;
}

/**
 * Removes the notices past the newest of each user; resolves to how many. Those of a discount that is not over stay:
 * without them its user would be notified again.
 */
export async function removeOldNotices(db: Db): Promise<number> {
  const { rowCount } = await db.raw(
    `delete from notifications where id in (
       select n.id
       from (select id, discount_id, row_number() over (partition by user_id order by created_at desc, id desc) as place
             from notifications) n
         left join discounts d on d.id = n.discount_id
       where n.place > ? and (d.id is null or d.ends_at <= now()))`,
    [NOTICES_KEPT],
  );
  return rowCount;
}
