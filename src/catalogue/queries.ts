import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import type { CatalogueKind } from "../urls.ts";
import { CATALOGUE_KINDS } from "./kinds.ts";

/** One record of the catalogue, as its page shows it. */
export interface Entry {
  id: string;
  name: string;
  /** Locale to name. */
  names: Record<string, string>;
  category: string | null;
  description: string | null;
  /** An https address or a path of this site. */
  image: string | null;
  attributes: Record<string, unknown>;
  popularity: number | null;
  demo: boolean;
  revision: number;
  created_at: Date;
  updated_at: Date;
}

/** What a list shows of a record; the heavy columns stay in the database. */
export type EntrySummary = Pick<Entry, "id" | "name" | "names" | "category" | "popularity" | "updated_at">;

const SUMMARY_COLUMNS = ["id", "name", "names", "category", "popularity", "updated_at"];

/** Sorts of any list, and their columns; the id at the end makes every order a total one. */
const ORDERS = {
  name: 'name collate "C", id',
  newest: "updated_at desc, id",
  popularity: 'popularity desc nulls last, name collate "C", id',
} as const;

/** `match`, of a list of ids that a search found: the order of the ids. */
export const ENTRY_SORTS = ["match", "name", "newest", "popularity"] as const satisfies (
  | "match"
  | keyof typeof ORDERS
)[];
export type EntrySort = (typeof ENTRY_SORTS)[number];

const BY_IDS = "array_position(?::text[], id)";

/** Which records of a kind a list holds. */
export interface EntryFilter {
  category?: string | undefined;
  /** Only these, such as a search found. */
  ids?: string[] | undefined;
}

/** A count that stops at a cap: `atLeast` says that there are more than `count`. */
export interface CappedCount {
  count: number;
  atLeast: boolean;
}

/**
 * Past this many matches a list is neither counted nor paged further: both read one index entry a row, which takes
 * 10 ms here and 100 ms at a million rows. Longer lists are narrowed by category and name.
 */
export const LIST_CAP = 50_000;
/** The same for the figures beside the categories, of which there are many on one page. */
const CATEGORY_CAP = 10_000;
const CATEGORIES_SHOWN = 200;

/** One page of a list. */
export async function listEntries(
  db: Db,
  kind: CatalogueKind,
  filter: EntryFilter,
  { sort, limit, offset }: { sort: EntrySort; limit: number; offset: number },
): Promise<EntrySummary[]> {
  const entries = matching(db, kind, filter).select(SUMMARY_COLUMNS).limit(limit).offset(offset);
  if (sort === "match" && filter.ids) return entries.orderByRaw(BY_IDS, [filter.ids]);
  return entries.orderByRaw(ORDERS[sort === "match" ? "name" : sort]);
}

/** How many records a list holds, up to 50,000. */
export async function countEntries(db: Db, kind: CatalogueKind, filter: EntryFilter): Promise<CappedCount> {
  const sample = matching(db, kind, filter)
    .select(db.raw("1"))
    .limit(LIST_CAP + 1);
  const row = await db.from(sample.as("sample")).count<{ count: number }[]>({ count: "*" }).first();
  return capped(row?.count ?? 0, LIST_CAP);
}

/** How many records each kind holds, up to 50,000. */
export async function countKinds(db: Db): Promise<Record<CatalogueKind, CappedCount>> {
  const counts = CATALOGUE_KINDS.map(async (kind) => [kind, await countEntries(db, kind, {})] as const);
  return Object.fromEntries(await Promise.all(counts)) as Record<CatalogueKind, CappedCount>;
}

/** The categories of the records with these ids, by name, each with how many they are. */
export async function countCategories(
  db: Db,
  kind: CatalogueKind,
  ids: string[],
): Promise<(CappedCount & { category: string })[]> {
  const rows = await matching(db, kind, { ids })
    .whereNotNull("category")
    .select<{ category: string; count: number }[]>("category", db.raw("count(*)::integer as count"))
    .groupBy("category")
    .orderBy("category");
  return rows.map(({ category, count }) => ({ category, count, atLeast: false }));
}

/**
 * The first 200 categories of a kind by name, each with its number of records up to 10,000. The recursion jumps from
 * one category to the next by index, so its cost is that of the categories and not of the records.
 */
export async function listCategories(
  db: Db,
  kind: CatalogueKind,
): Promise<(CappedCount & { category: string })[]> {
  const { rows } = await db.raw(
    `with recursive found (category, place) as (
       (select category, 1 from ${kind} where category is not null order by category limit 1)
       union all
       select (select category from ${kind} where category > found.category order by category limit 1), place + 1
         from found
        where found.category is not null and place < ${CATEGORIES_SHOWN}
     )
     select found.category, counted.count
       from found
       cross join lateral (
         select count(*) as count
           from (select 1 from ${kind} as entry where entry.category = found.category limit ${CATEGORY_CAP + 1}) as sample
       ) as counted
      where found.category is not null
      order by found.category`,
  );
  return rows.map((row: { category: string; count: number }) => ({
    category: row.category,
    ...capped(row.count, CATEGORY_CAP),
  }));
}

/** One whole record, or undefined. */
export async function findEntry(db: Db, kind: CatalogueKind, id: string): Promise<Entry | undefined> {
  return db<Entry>(kind).where({ id }).first();
}

/** The records beside one, by name and within its category; the nearest first. */
export async function findNeighbours(
  db: Db,
  kind: CatalogueKind,
  entry: Pick<Entry, "id" | "name" | "category">,
  limit: number,
): Promise<{ before: EntrySummary[]; after: EntrySummary[] }> {
  const place = [entry.name, entry.id];
  const siblings = (): Knex.QueryBuilder => {
    const query = db(kind).select(SUMMARY_COLUMNS).limit(limit);
    return entry.category === null ? query : query.where({ category: entry.category });
  };
  const [before, after] = await Promise.all([
    siblings()
      .whereRaw('(name collate "C", id) < (?, ?)', place)
      .orderByRaw('name collate "C" desc, id desc'),
    siblings().whereRaw('(name collate "C", id) > (?, ?)', place).orderByRaw(ORDERS.name),
  ]);
  return { before, after };
}

/** The records with these ids, in the order of the ids; without those that are gone. */
export async function listByIds(db: Db, kind: CatalogueKind, ids: string[]): Promise<EntrySummary[]> {
  return matching(db, kind, { ids }).select(SUMMARY_COLUMNS).orderByRaw(BY_IDS, [ids]);
}

/** The records whose ids come after one, by code point. */
export async function listAfterId(
  db: Db,
  kind: CatalogueKind,
  id: string,
  limit: number,
): Promise<EntrySummary[]> {
  return db(kind).select(SUMMARY_COLUMNS).where("id", ">", id).orderBy("id").limit(limit);
}

/** The newest additions and changes of a kind. */
export async function listNewest(db: Db, kind: CatalogueKind, limit: number): Promise<EntrySummary[]> {
  return listEntries(db, kind, {}, { sort: "newest", limit, offset: 0 });
}

function matching(db: Db, kind: CatalogueKind, { category, ids }: EntryFilter): Knex.QueryBuilder {
  const query = db(kind);
  if (category !== undefined) query.where({ category });
  if (ids !== undefined) query.whereRaw("id = any(?::text[])", [ids]);
  return query;
}

function capped(count: number, cap: number): CappedCount {
  return { count: Math.min(count, cap), atLeast: count > cap };
}
