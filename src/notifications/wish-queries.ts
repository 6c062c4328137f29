import type { Db } from "../db/connect.ts";
import { selectRow, selectRows } from "../db/rows.ts";
import { loadPriceLows, lowAt } from "../records/prices/price-lows.ts";
import { COST, findShopItem } from "../records/prices/queries.ts";
import { WAYS } from "./channels.ts";
import type { NewDelivery } from "./deliveries-queries.ts";
import { LIST_DELIVERIES, newDeliveries } from "./notify-queries.ts";

/** The current cost of an item, for users with a target price. Prices are decimal texts. */
export interface WishedItem {
  readonly itemKey: string;
  readonly itemName: string;
  readonly currency: string;
  /** Null if none is set. */
  readonly cost: string | null;
  /** The previous price; null if unknown. */
  readonly oldPrice: string | null;
  /** The discount that sets the price; null if the regular price fell. */
  readonly discountId: string | null;
  readonly run: number;
  readonly endsAt: Date | null;
  readonly low: string | null;
}

/** SQL: the largest effect of rounding on the cost, half of the smallest coin. Some currencies have no fractions. */
const ROUNDED_BY = `case when priced.cost = item.price then 0 when item.price = trunc(item.price) then 0.5 else 0.005 end`;

/**
 * Keys of items whose price has crossed a user's wish since the last check, either way. It compares the price before
 * rounding, so items whose price is within half a coin of a wish are included.
 */
export async function listCrossedItems(db: Db): Promise<string[]> {
  const rows = await selectRows<{ item_key: string }>(
    db,
    `select distinct favorite.item_key
       from donate_favorites favorite join donate_items item on item.id = favorite.item_key
         cross join lateral (select ${COST} as cost) priced
         cross join lateral (select ${ROUNDED_BY} as tolerance) rounding
      where favorite.wish is not null and favorite.wish_currency = item.currency
        and case when favorite.wish_met then coalesce(priced.cost > favorite.wish - tolerance, true)
                 else priced.cost <= favorite.wish + tolerance end
        and not (favorite.wish_met and priced.cost = favorite.wish)
      order by favorite.item_key`,
  );
  return rows.map((row) => row.item_key);
}

/** An item with its current cost; undefined if it was removed. */
export async function findWishedItem(db: Db, key: string): Promise<WishedItem | undefined> {
  const item = await findShopItem(db, key);
  if (!item) return undefined;
  const { name: itemName, currency, price, sale } = item;
  const cost = sale?.newPrice ?? price;
  const [lows, discount, before] = await Promise.all([
    loadPriceLows(db, [key]),
    sale && db("discounts").where({ id: sale.discount.id }).first("run"),
    sale ? price : findPriceBefore(db, key),
  ]);
  return {
    itemKey: key,
    itemName,
    currency,
    cost,
    oldPrice: before,
    discountId: discount ? (sale?.discount.id ?? null) : null,
    run: discount?.run ?? 1,
    endsAt: sale?.discount.ends_at ?? null,
    low: lowAt(cost, lows.get(key)),
  };
}

/** The previous regular price of an item, if it was higher and in the same currency. */
async function findPriceBefore(db: Db, key: string): Promise<string | null> {
  const [row] = await selectRows<{ price: string | null }>(
    db,
    `select case when before.currency = item.currency and before.price > item.price then before.price end as price
       from price_versions before join donate_items item on item.id = before.item_key
      where item.id = ? and before.valid_to is not null and before.valid_from < before.valid_to
      order by before.valid_to desc limit 1`,
    [key],
  );
  return row?.price ?? null;
}

/** Resets the wishes that an item's price exceeds now, so that their users are notified the next time. */
export async function resetWishes(db: Db, { itemKey, cost, currency }: WishedItem): Promise<void> {
  await db("donate_favorites")
    .where({ item_key: itemKey, wish_met: true, wish_currency: currency })
    .whereRaw("coalesce(wish < ?::numeric, true)", [cost])
    .update({ wish_met: false });
}

/**
 * Notifies the next users, by id, whose wish an item's price has reached, and records that: at most `limit` of them.
 * Users who are being changed or removed wait for the next check. Resolves to the number of users and the deliveries.
 */
export async function notifyWishers(
  transaction: Db,
  item: WishedItem,
  limit: number,
): Promise<{ users: number; deliveries: NewDelivery[] }> {
  return selectRow(
    transaction,
    `with wisher as (
       select favorite.user_id, favorite.item_key, favorite.wish
         from donate_favorites favorite join users on users.id = favorite.user_id
        where favorite.item_key = :itemKey and favorite.wish_currency = :currency and not favorite.wish_met
          and favorite.wish >= :cost::numeric
        order by favorite.user_id limit :limit
        for no key update of favorite skip locked for key share of users skip locked),
     met as (
       update donate_favorites favorite set wish_met = true from wisher
        where favorite.user_id = wisher.user_id and favorite.item_key = wisher.item_key),
     notification as (
       insert into notifications
         (user_id, discount_id, run, item_key, item_name, old_price, new_price, low, wish, currency, ends_at)
       select user_id, :discountId, :run, :itemKey, :itemName, :oldPrice, :cost::numeric, :low, wish, :currency, :endsAt
         from wisher
       returning id, user_id),
     ${newDeliveries(WAYS)}
     select (select count(*) from wisher)::int as users, ${LIST_DELIVERIES} as deliveries`,
    { ...item, limit },
  );
}
