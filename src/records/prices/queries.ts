import type { Knex } from "knex";
import type { Db } from "../../db/connect.ts";
import { selectRow } from "../../db/rows.ts";
import type { EntityKind } from "../../words/kinds/kinds.ts";
import { bestDiscount, type DiscountTerms, discountedPrice } from "./prices.ts";

/** By the database's clock: a discount runs from its start, inclusive, to its end, exclusive. */
export type Phase = "coming" | "running" | "past";

export interface Discount extends DiscountTerms {
  id: string;
  item_key: string;
  title: string | null;
  /** Titles by locale, see records/shown-title.ts. */
  titles: Record<string, string>;
  starts_at: Date;
  /** Null until an operator ends it. */
  ends_at: Date | null;
  /** True if the shop shows it before its start. */
  announced: boolean;
  demo: boolean;
  updated_at: Date;
  phase: Phase;
}

/** The discount that decides what an item costs now. */
interface Sale {
  discount: Discount;
  newPrice: string;
}

/** An item of the shop. Prices are decimal texts with two digits; null if not set. */
export interface ShopItem {
  key: string;
  name: string;
  names: Record<string, string>;
  category: string | null;
  description: string | null;
  /** Descriptions by locale. */
  descriptions: Record<string, string>;
  image: string | null;
  /** In the site's store, see records/stored-picture.ts. */
  picture: string | null;
  price: string | null;
  currency: string;
  demo: boolean;
  updated_at: Date;
  sale: Sale | undefined;
}

/** An item with all details for its own page. */
export interface WholeShopItem extends ShopItem {
  attributes: Record<string, unknown>;
  /** The catalogue entry that the item is or unlocks, by the kind's word (`vehicle`); null without one. */
  entity_kind: string | null;
  entity_id: string | null;
}

/** A running discount and the resulting price. */
export interface ActiveDiscount {
  id: string;
  title: string | null;
  titles: Record<string, string>;
  item_key: string;
  item_name: string;
  /** The item's names by language. */
  item_names: Record<string, string>;
  item_category: string | null;
  item_picture: string | null;
  item_image: string | null;
  currency: string;
  percent: string | null;
  old_price: string | null;
  /** null for a percentage of an unknown price. */
  new_price: string | null;
  /** The item's price now: lower than `new_price` if another discount wins. */
  current_price: string | null;
  starts_at: Date;
  ends_at: Date | null;
  created_at: Date;
  updated_at: Date;
  /** Counts its runs. */
  run: number;
}

/** SQL: a `discount` runs now. */
export const RUNNING =
  "discount.starts_at <= now() and (discount.ends_at is null or discount.ends_at > now())";

/** SQL: the current cost of an `item`, before rounding, which is enough to order by. `least` ignores nulls. */
export const COST = `least(item.price, (
  select min(coalesce(discount.price, item.price * (1 - discount.percent / 100)))
    from discounts as discount where discount.item_key = item.id and ${RUNNING}))`;

export const PHASE = `case when discount.starts_at > now() then 'coming'
                    when discount.ends_at <= now() then 'past' else 'running' end as phase`;

export const DISCOUNT_COLUMNS = [
  "discount.id",
  "discount.item_key",
  "discount.title",
  "discount.titles",
  "discount.percent",
  "discount.price",
  "discount.starts_at",
  "discount.ends_at",
  "discount.announced",
  "discount.demo",
  "discount.updated_at",
];

export const ITEM_COLUMNS = [
  "item.id as key",
  "item.name",
  "item.names",
  "item.category",
  "item.description",
  "item.descriptions",
  "item.image",
  "item.picture",
  "item.price",
  "item.currency",
  "item.demo",
  "item.updated_at",
];

/** Items by their keys, ordered by name; unknown keys are left out. */
export async function findShopItems(db: Db, keys: string[]): Promise<ShopItem[]> {
  const items = db("donate_items as item")
    .select<Unpriced<ShopItem>[]>(ITEM_COLUMNS)
    .whereRaw("item.id = any(?)", [keys])
    .orderByRaw("item.name collate name_order, item.id");
  return withSales(db, items);
}

/** The first 20 items, by name, of a catalogue entry. */
export async function listShopItemsOf(db: Db, entityKind: EntityKind, entityId: string): Promise<ShopItem[]> {
  const items = db("donate_items as item")
    .select<Unpriced<ShopItem>[]>(ITEM_COLUMNS)
    .where({ entity_kind: entityKind, entity_id: entityId })
    .orderByRaw("item.name collate name_order, item.id")
    .limit(20);
  return withSales(db, items);
}

export async function findShopItem(db: Db, key: string): Promise<WholeShopItem | undefined> {
  const items = db("donate_items as item")
    .select<Unpriced<WholeShopItem>[]>([
      ...ITEM_COLUMNS,
      "item.attributes",
      "item.entity_kind",
      "item.entity_id",
    ])
    .where({ id: key });
  const [item] = await withSales(db, items);
  return item;
}

/** All discounts of an item, past and coming ones included, the newest start first. */
export async function listDiscountsOf(db: Db, key: string): Promise<Discount[]> {
  return discounts(db)
    .where({ item_key: key })
    .orderBy([{ column: "starts_at", order: "desc" }, "id"]);
}

/** A discount that the shop shows before it starts. */
export interface AnnouncedDiscount extends Discount {
  item_name: string;
  item_names: Record<string, string>;
  item_price: string | null;
  currency: string;
}

/** Coming discounts that were announced, by start: of all items, of a category, or of those with the keys. */
export async function listAnnouncedDiscounts(
  db: Db,
  { category, keys }: { category?: string | undefined; keys?: string[] | undefined },
  limit: number,
): Promise<AnnouncedDiscount[]> {
  const query = discounts(db)
    .join("donate_items as item", "item.id", "discount.item_key")
    .select("item.name as item_name", "item.names as item_names", "item.price as item_price", "item.currency")
    .whereRaw("discount.announced and discount.starts_at > now()")
    .orderBy(["discount.starts_at", "discount.id"])
    .limit(limit);
  if (category !== undefined) query.where({ category });
  if (keys) query.whereRaw("item.id = any(?)", [keys]);
  return query;
}

const OF_ITEM = [
  "item_name",
  "item_names",
  "item_category",
  "item_picture",
  "item_image",
  "currency",
  "old_price",
] as const;

/** Running discounts by their end, open-ended ones last, then by id. */
export async function listActiveDiscounts(db: Db): Promise<ActiveDiscount[]> {
  const rows: (Discount & Pick<ActiveDiscount, (typeof OF_ITEM)[number] | "created_at" | "run">)[] =
    await discounts(db)
      .join("donate_items as item", "item.id", "discount.item_key")
      .select(
        "item.name as item_name",
        "item.names as item_names",
        "item.category as item_category",
        "item.picture as item_picture",
        "item.image as item_image",
        "item.currency",
        "item.price as old_price",
        "discount.created_at",
        "discount.run",
      )
      .whereRaw(RUNNING)
      .orderByRaw("discount.ends_at nulls last, discount.id");
  const byItem = groupByItem(rows);
  return rows.map(({ phase: _phase, announced: _announced, demo: _demo, price, ...row }) => {
    const item = { price: row.old_price, currency: row.currency };
    return {
      ...row,
      new_price: discountedPrice(item, { percent: row.percent, price }),
      current_price: bestDiscount(item, byItem.get(row.item_key) ?? [])?.newPrice ?? row.old_price,
    };
  });
}

/**
 * When the list of active discounts last changed: the latest start, end, change or removal of a discount, or change of
 * an item with a running one. Null if never.
 */
export async function discountsChangedAt(db: Db): Promise<Date | null> {
  const row = await selectRow<{ changed_at: Date | null }>(
    db,
    `
    select greatest(
      max(discount.starts_at) filter (where discount.starts_at <= now()),
      max(discount.ends_at) filter (where discount.ends_at <= now()),
      max(discount.updated_at),
      max(item.updated_at) filter (where ${RUNNING}),
      (select updated_at from settings where key = 'discounts_removed')
    ) as changed_at
      from discounts as discount join donate_items as item on item.id = discount.item_key`,
  );
  return row.changed_at;
}

/** The database's clock, which decides what runs. */
export async function readDatabaseClock(db: Db): Promise<Date> {
  const row = await selectRow<{ now: Date }>(db, "select clock_timestamp() as now");
  return row.now;
}

function discounts(db: Db): Knex.QueryBuilder {
  return db("discounts as discount").select(DISCOUNT_COLUMNS).select(db.raw(PHASE));
}

/** An item without its winning discount. */
export type Unpriced<Item extends ShopItem> = Omit<Item, "sale">;

/** The items of a query on `donate_items as item`, with their winning discounts, in one round trip. */
export async function withSales<Item extends ShopItem = ShopItem>(
  db: Db,
  query: Knex.QueryBuilder<object, Unpriced<Item>[]>,
): Promise<(Unpriced<Item> & Pick<ShopItem, "sale">)[]> {
  const keys = query.clone().clearSelect().select("item.id");
  const [items, running] = await Promise.all([
    query as Promise<Unpriced<Item>[]>,
    discounts(db).whereIn("discount.item_key", keys).whereRaw(RUNNING) as Promise<Discount[]>,
  ]);
  const byItem = groupByItem(running);
  return items.map((item) => ({ ...item, sale: bestDiscount(item, byItem.get(item.key) ?? []) }));
}

function groupByItem<Row extends { item_key: string }>(rows: Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(row.item_key, [...(groups.get(row.item_key) ?? []), row]);
  return groups;
}
