import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import { selectRow } from "../db/rows.ts";
import type { DiscountTerms } from "../records/prices/prices.ts";
import { DISCOUNT_COLUMNS, type Discount, PHASE, type Phase } from "../records/prices/queries.ts";
import { hasWords } from "../search/letters.ts";
import { normaliseName } from "../search/normalise.ts";

/** A discount with its item, as the operators see it. */
export interface KnownDiscount extends Discount {
  item_name: string;
  item_names: Record<string, string>;
  item_price: string | null;
  currency: string;
  demo: boolean;
  run: number;
  /** Differs after every change. */
  version: string;
}

export interface DiscountedItem {
  key: string;
  name: string;
  names: Record<string, string>;
  price: string | null;
  currency: string;
}

/** The item of a discount. */
export function itemOf(known: KnownDiscount): DiscountedItem {
  const { item_key: key, item_name: name, item_names: names, item_price: price, currency } = known;
  return { key, name, names, price, currency };
}

export interface DiscountRow extends DiscountTerms {
  title: string | null;
  titles: Record<string, string>;
  starts_at: Date;
  ends_at: Date | null;
  announced: boolean;
}

const PHASE_ORDER = `case when discount.starts_at > now() then 2 when discount.ends_at <= now() then 3 else 1 end`;

/** Gives every change a time of its own, which serves as a version. */
const NEXT_CHANGE = "greatest(clock_timestamp(), updated_at + interval '1 microsecond')";

const MOST_SIMILAR = 9;

const ITEM_COLUMNS = ["item.id as key", "item.name", "item.names", "item.price", "item.currency"];

/** How many of the matching discounts are in each phase. */
export async function countDiscounts(db: Db, search: string | undefined): Promise<Record<Phase, number>> {
  const rows: { phase: Phase; count: number }[] = await discountsWithItems(db, await idsByText(db, search))
    .select(db.raw(PHASE))
    .select(db.raw("count(*)::integer as count"))
    .groupBy("phase");
  const counts = { running: 0, coming: 0, past: 0 };
  for (const { phase, count } of rows) counts[phase] = count;
  return counts;
}

/** Running ones first by their end, then coming ones by their start, then past ones, the latest end first. */
export async function listDiscounts(
  db: Db,
  { search, phase, limit, offset }: { search?: string; phase?: Phase; limit?: number; offset?: number },
): Promise<KnownDiscount[]> {
  const query = withItems(db, discountsWithItems(db, await idsByText(db, search)))
    .orderByRaw(PHASE_ORDER)
    .orderByRaw("case when discount.starts_at > now() then discount.starts_at end")
    .orderByRaw("case when discount.ends_at > now() then discount.ends_at end nulls last")
    .orderByRaw("discount.ends_at desc nulls last, discount.id");
  if (phase !== undefined) query.whereRaw(`${PHASE_ORDER} = ?`, [PHASES.indexOf(phase) + 1]);
  if (limit !== undefined) query.limit(limit).offset(offset ?? 0);
  return query;
}

/** Phases in the order of the list. */
export const PHASES: readonly Phase[] = ["running", "coming", "past"];

export async function findDiscount(db: Db, id: string): Promise<KnownDiscount | undefined> {
  return withItems(db, discountsWithItems(db)).where("discount.id", id).first();
}

/**
 * Locks the item's price until the transaction ends. Lock it before its discounts, as removing an item does, or the two
 * deadlock. Undefined if there is no such item.
 */
export async function lockItem(
  transaction: Knex.Transaction,
  key: string,
): Promise<DiscountedItem | undefined> {
  return transaction("donate_items as item").where({ id: key }).select(ITEM_COLUMNS).forShare().first();
}

/**
 * Locks a discount and its item against changes and notifications until the transaction ends. Undefined if there is no
 * such discount.
 */
export async function lockDiscount(
  transaction: Knex.Transaction,
  id: string,
): Promise<{ known: KnownDiscount; item: DiscountedItem } | undefined> {
  const seen = await findDiscount(transaction, id);
  const item = seen && (await lockItem(transaction, seen.item_key));
  await transaction("discounts").where({ id }).forUpdate().select("id");
  const known = await findDiscount(transaction, id);
  return known && item && known.item_key === item.key ? { known, item } : undefined;
}

/**
 * Items for typed text: the one with that key, else those of that name, else similar ones; at most nine. The letters
 * are lower-cased here, because Postgres only knows those of its ctype.
 */
export async function findItemsByText(
  db: Db,
  text: string,
): Promise<{ found?: DiscountedItem; similar: DiscountedItem[] }> {
  const items: DiscountedItem[] = await db("donate_items as item")
    .select(ITEM_COLUMNS)
    .orderByRaw("item.name collate name_order, item.id");
  const typed = normaliseName(text);
  const isNamed = ({ key, name, names }: DiscountedItem) =>
    [key, name, ...Object.values(names)].some((each) => normaliseName(each) === typed);
  const fitting = items
    .filter((item) =>
      hasWords([item.key, item.name, ...Object.values(item.names)].join(" "), text, normaliseName),
    )
    .map((item) => ({ item, fit: item.key === text ? 1 : isNamed(item) ? 2 : 3 }))
    .sort((a, b) => a.fit - b.fit);
  const [first, second] = fitting;
  const isSure = first && (first.fit === 1 || (first.fit === 2 && second?.fit !== 2));
  const similar = fitting.slice(0, MOST_SIMILAR).map(({ item }) => item);
  return { ...(isSure && { found: first.item }), similar };
}

/** The first items of the shop by name, as choices. */
export async function listItemChoices(
  db: Db,
  limit: number,
): Promise<Pick<DiscountedItem, "key" | "name" | "names">[]> {
  return db("donate_items as item")
    .select("item.id as key", "item.name", "item.names")
    .orderByRaw("item.name collate name_order, item.id")
    .limit(limit);
}

/**
 * How many users a discount at this price will notify. Those are users who have the item as a favorite and no
 * notification of this run (undefined for a new discount), and those whose target price it reaches.
 */
export async function countUnnotified(
  db: Db,
  { key, currency }: Pick<DiscountedItem, "key" | "currency">,
  newPrice: string,
  discount: { id: string; run: number } | undefined,
): Promise<number> {
  const row = await selectRow<{ count: number }>(
    db,
    `select count(*)::integer as count from donate_favorites f
      where f.item_key = :key and case when f.wish_currency = :currency then not f.wish_met and f.wish >= :newPrice::numeric
        else not exists (
          select from notifications n
           where n.user_id = f.user_id and n.discount_id = :id and n.run = :run and n.wish is null) end`,
    { key, currency, newPrice, id: discount?.id ?? null, run: discount?.run ?? null },
  );
  return row.count;
}

/** False if the id is taken. */
export async function insertDiscount(
  db: Db,
  { id, itemKey, ...row }: DiscountRow & { id: string; itemKey: string },
): Promise<boolean> {
  const { percent, price, title, titles, starts_at, ends_at, announced } = row;
  const inserted = await db("discounts")
    .insert({ id, item_key: itemKey, title, titles, percent, price, starts_at, ends_at, announced })
    .onConflict("id")
    .ignore()
    .returning("id");
  return inserted.length > 0;
}

/** Overwrites the given columns only. */
export async function updateDiscount(db: Db, id: string, changes: Partial<DiscountRow>): Promise<void> {
  await db("discounts")
    .where({ id })
    .update({
      ...changes,
      revision: db.raw("revision + 1"),
      updated_at: db.raw(NEXT_CHANGE),
    });
}

/** Ends a discount now; its end stays after its start even if it started this microsecond. */
export async function endDiscountNow(db: Db, id: string): Promise<void> {
  await db("discounts")
    .where({ id })
    .update({
      ends_at: db.raw("greatest(clock_timestamp(), starts_at + interval '1 microsecond')"),
      revision: db.raw("revision + 1"),
      updated_at: db.raw(NEXT_CHANGE),
    });
}

/** Removes a discount; its notifications stay in the inboxes. */
export async function deleteDiscount(db: Db, id: string): Promise<void> {
  await db("discounts").where({ id }).delete();
}

/** Discounts with their items; `ids` limits them. */
function discountsWithItems(db: Db, ids?: string[]): Knex.QueryBuilder {
  const query = db("discounts as discount").join("donate_items as item", "item.id", "discount.item_key");
  return ids ? query.whereRaw("discount.id = any(?)", [ids]) : query;
}

/**
 * The ids of the discounts that contain the typed words in their texts or their item's; undefined for all. The letters
 * are lower-cased here, because Postgres only knows those of its ctype.
 */
async function idsByText(db: Db, search: string | undefined): Promise<string[] | undefined> {
  if (search === undefined || search === "") return undefined;
  const rows: { id: string; texts: string[] }[] = await discountsWithItems(db)
    .select("discount.id")
    .select(
      db.raw(`to_jsonb(array[discount.id, coalesce(discount.title, ''), item.id, item.name])
        || jsonb_path_query_array(discount.titles, '$.*') || jsonb_path_query_array(item.names, '$.*') as texts`),
    );
  return rows.filter(({ texts }) => hasWords(texts.join(" "), search, normaliseName)).map(({ id }) => id);
}

function withItems(db: Db, query: Knex.QueryBuilder): Knex.QueryBuilder {
  return query
    .select(DISCOUNT_COLUMNS)
    .select("item.name as item_name", "item.names as item_names", "item.price as item_price", "item.currency")
    .select("discount.run")
    .select(db.raw("extract(epoch from discount.updated_at)::text as version"))
    .select(db.raw(PHASE));
}
