import type { Db } from "../db/connect.ts";
import { ITEM_COLUMNS, RUNNING, type ShopItem, withSales } from "./queries.ts";

/** How the shop can be ordered; `sale`: what is on sale first, then by name, which all others end in too. */
export const SHOP_SORTS = ["sale", "name", "cheapest", "dearest", "newest"] as const;

export type ShopSort = (typeof SHOP_SORTS)[number];

/** A part of the shop. */
export interface ShopFilter {
  category?: string | undefined;
  /** Only what has a discount that runs. */
  sale?: boolean | undefined;
}

/** Items of a category, and how many of them have a discount that runs. */
export interface ShopCategory {
  category: string | null;
  count: number;
  onSale: number;
}

const ON_SALE = `exists (select from discounts as discount where discount.item_key = item.id and ${RUNNING})`;

/** What an item costs now, before rounding: enough to order by. `least` passes over what is not known. */
const COST = `least(item.price, (
  select min(coalesce(discount.price, item.price * (1 - discount.percent / 100)))
    from discounts as discount where discount.item_key = item.id and ${RUNNING}))`;

/** Amounts of several currencies have no order; those of one stay together. */
const ORDER: Record<ShopSort, string> = {
  sale: `${ON_SALE} desc, `,
  name: "",
  cheapest: `${COST} is null, item.currency, ${COST}, `,
  dearest: `${COST} is null, item.currency, ${COST} desc, `,
  newest: "item.updated_at desc, ",
};

/** Categories of the shop with the number of their items, by name; null for the items without one, last. */
export async function listShopCategories(db: Db): Promise<ShopCategory[]> {
  const { rows } = await db.raw(
    `select category, count(*)::integer as count, (count(*) filter (where ${ON_SALE}))::integer as "onSale"
       from donate_items as item group by category order by category collate name_order nulls last`,
  );
  return rows;
}

/** A page of a part of the shop. */
export async function listShopItems(
  db: Db,
  { category, sale }: ShopFilter,
  sort: ShopSort,
  { limit, offset }: { limit: number; offset: number },
): Promise<ShopItem[]> {
  const query = db("donate_items as item")
    .select(ITEM_COLUMNS)
    .orderByRaw(`${ORDER[sort]}item.name collate name_order, item.id`)
    .limit(limit)
    .offset(offset);
  if (category !== undefined) query.where({ category });
  if (sale) query.whereRaw(ON_SALE);
  return withSales(db, await query);
}
