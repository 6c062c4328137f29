import type { Db } from "../db/connect.ts";
import { selectRows } from "../db/rows.ts";
import { loadPriceLows, loadPriorPrices, type PriceLows } from "../records/prices/price-lows.ts";
import {
  COST,
  ITEM_COLUMNS,
  RUNNING,
  type ShopItem,
  type Unpriced,
  withSales,
} from "../records/prices/queries.ts";
import type { Language } from "../words/i18n/languages.ts";
import { localNameSql } from "../words/i18n/local-name.ts";
import { nameOrderSql } from "../words/i18n/name-order.ts";
import type { PriceStep } from "./price-history.ts";
import { loadLateSteps } from "./price-history-queries.ts";

/**
 * Orders of the shop. `sale`: items on sale first, those without a price last; `match`: in the order of the search's keys.
 * Ties go by name.
 */
export const SHOP_SORTS = ["match", "sale", "name", "cheapest", "dearest", "newest"] as const;

export type ShopSort = (typeof SHOP_SORTS)[number];

export interface ShopFilter {
  category?: string | undefined;
  /** Only items with a running discount. */
  sale?: boolean | undefined;
  /** Only these items, best first. */
  keys?: string[] | undefined;
}

export interface ShopCategory {
  category: string | null;
  count: number;
  onSale: number;
}

const ON_SALE = `exists (select from discounts as discount where discount.item_key = item.id and ${RUNNING})`;

/** Amounts of different currencies cannot be compared, so items are grouped by currency. */
const ORDER: Record<Exclude<ShopSort, "match" | "name">, string> = {
  sale: `${ON_SALE} desc, ${COST} is null`,
  cheapest: `${COST} is null, item.currency, ${COST}`,
  dearest: `${COST} is null, item.currency, ${COST} desc`,
  newest: "item.updated_at desc",
};

/**
 * Categories by name, with the number of their items, or of those with the keys. Null, last, stands for items without
 * one.
 */
export async function listShopCategories(db: Db, keys?: string[]): Promise<ShopCategory[]> {
  return selectRows<ShopCategory>(
    db,
    `select category, (count(*) filter (where wanted))::integer as count,
            (count(*) filter (where wanted and ${ON_SALE}))::integer as "onSale"
       from (select *, ${keys ? "id = any(?)" : "true"} as wanted from donate_items) as item
      group by category order by category collate name_order nulls last`,
    keys ? [keys] : [],
  );
}

/** An item with its lows and the lowest price before a sale, if known, and its prices in the last 90 days. */
export type ListedItem = ShopItem & {
  lows: PriceLows | undefined;
  prior: string | undefined;
  steps: PriceStep[];
};

/** A page of items, ordered by their names in the language, in one round trip. */
export async function listShopItems(
  db: Db,
  { category, sale, keys }: ShopFilter,
  sort: ShopSort,
  { limit, offset }: { limit: number; offset: number },
  language: Language,
): Promise<ListedItem[]> {
  const query = db("donate_items as item")
    .select<Unpriced<ShopItem>[]>(ITEM_COLUMNS)
    .limit(limit)
    .offset(offset);
  if (category !== undefined) query.where({ category });
  if (sale) query.whereRaw(ON_SALE);
  if (keys) query.whereRaw("item.id = any(?)", [keys]);
  if (sort === "match") query.orderByRaw("array_position(?::text[], item.id)", [keys ?? []]);
  else if (sort !== "name") query.orderByRaw(ORDER[sort]);
  const local = localNameSql(language, "item");
  query.orderByRaw(`${nameOrderSql(local.sql)}, ${nameOrderSql("item.name")}, item.id`, [
    ...local.bindings,
    ...local.bindings,
  ]);
  const listed = query.clone().clearSelect().select("item.id");
  const [items, lows, priors, steps] = await Promise.all([
    withSales(db, query),
    loadPriceLows(db, listed),
    loadPriorPrices(db, listed.clone()),
    loadLateSteps(db, listed),
  ]);
  return items.map((item) => ({
    ...item,
    lows: lows.get(item.key),
    prior: item.sale && priors.get(item.key),
    steps: steps.get(item.key) ?? [],
  }));
}
