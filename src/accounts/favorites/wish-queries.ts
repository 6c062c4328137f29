import type { Db } from "../../db/connect.ts";
import { notifyOfNewFavorite } from "../../notifications/notify.ts";
import { comparePrices } from "../../records/prices/prices.ts";
import { findShopItem, type ShopItem } from "../../records/prices/queries.ts";
import { shownDigits } from "../../words/currencies.ts";

/** A favorite of the shop whose user waits for a price. */
export interface Wish {
  /** A decimal text. */
  readonly price: string;
  readonly currency: string;
}

/** The outcome of a wish; `isMet`: the item costs no more than that already. */
export type SavedWish = { readonly isMet: boolean } | "no such record" | "no such user";

/**
 * A user's wishes by item, written as amounts of the item's currency. Leaves out a wish in a former currency of its
 * item.
 */
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

/** Whether an item costs no more than a wished price in its currency, now. */
export function meetsWish(item: ShopItem, price: string): boolean {
  const cost = item.sale?.newPrice ?? item.price;
  return cost !== null && comparePrices(cost, price) <= 0;
}

/**
 * Sets the price that a user waits for, and makes the item a favorite. With null they wait for any discount, and are
 * notified of those that run. A wish that the item meets already counts the next time that the price comes down to
 * it.
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
    // The lock is the foreign key's own: it keeps the item until the transaction ends.
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
