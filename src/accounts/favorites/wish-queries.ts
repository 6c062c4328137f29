import type { Db } from "../../db/connect.ts";
import { notifyOfNewFavorite } from "../../notifications/notify.ts";
import { comparePrices } from "../../records/prices/prices.ts";
import { findShopItem, type ShopItem } from "../../records/prices/queries.ts";
import { shownDigits } from "../../words/currencies.ts";

/** A favorite of the shop with a target price. */
export interface Wish {
  /** A decimal text. */
  readonly price: string;
  readonly currency: string;
}

/** The outcome of a wish. `isMet`: the item already costs no more than that. */
export type SavedWish = { readonly isMet: boolean } | "no such record" | "no such user";

/** A user's target prices by item, as amounts of the item's currency. Leaves out those in a former currency. */
export async function findWishes(
  db: Db,
  userId: number,
  keys: readonly string[],
): Promise<Map<string, Wish>> {
  const rows: { key: string; price: string; currency: string }[] = await db("donate_favorites as favorite")
    .join("donate_items as item", "item.id", "favorite.item_key")
    .where("favorite.user_id", userId)
    .whereRaw("item.id = any(?) and favorite.wish_currency = item.currency", [[...keys]])
    .select("item.id as key", "favorite.wish as price", "item.currency");
  return new Map(
    rows.map(({ key, price, currency }) => [key, { price: shownDigits(price, currency), currency }]),
  );
}

/** Whether an item costs no more than a target price in its currency, now. */
export function meetsWish(item: ShopItem, price: string): boolean {
  const cost = item.sale?.newPrice ?? item.price;
  return cost !== null && comparePrices(cost, price) <= 0;
}

/**
 * Sets a target price, and makes the item a favorite. With null the user waits for any discount, and is notified of
 * those that run. A target that the price has already reached counts the next time that the price falls to it.
 */
export async function saveWish(
  db: Db,
  userId: number,
  itemKey: string,
  price: string | null,
): Promise<SavedWish> {
  return db.transaction(async (transaction) => {
    const user = await transaction("users").where({ id: userId }).forNoKeyUpdate().first("id");
    if (!user) return "no such user";
    // The lock is the one of a foreign key, which keeps the item until the transaction ends.
    const locked = await transaction("donate_items").where({ id: itemKey }).forKeyShare().first("id");
    const item = locked && (await findShopItem(transaction, itemKey));
    if (!item) return "no such record";
    const isMet = price !== null && meetsWish(item, price);
    const wish = { wish: price, wish_currency: price === null ? null : item.currency, wish_met: isMet };
    const row = { user_id: userId, item_key: itemKey };
    await transaction("donate_favorites")
      .insert({ ...row, ...wish })
      .onConflict(["user_id", "item_key"])
      .merge(wish);
    if (price === null) await notifyOfNewFavorite(transaction, userId, itemKey);
    return { isMet };
  });
}
