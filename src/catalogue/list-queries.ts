import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import { selectRows } from "../db/rows.ts";
import { localNameSql } from "../i18n/local-name.ts";
import { CATALOGUE_KINDS, type CatalogueKind } from "../kinds/kinds.ts";
import { type EntrySummary, SUMMARY_COLUMNS } from "./entry-queries.ts";

/** A row of a list, with those of its attributes that are shown; a missing one is null. */
export type ListedEntry = EntrySummary & { shown: Record<string, unknown> };

/** Sorts of any list, and their columns; the id at the end makes every order a total one. */
const ORDERS = {
  name: "name collate name_order, id",
  newest: "updated_at desc, id",
  popularity: "popularity desc nulls last, name collate name_order, id",
} as const;

/** `match`, of a list of ids that a search found: the order of the ids. */
export const ENTRY_SORTS = ["match", "name", "newest", "popularity"] as const satisfies (
  | "match"
  | keyof typeof ORDERS
)[];
/** By the figures of an attribute; records that have none are the last either way. */
export interface AttributeSort {
  key: string;
  descending: boolean;
}
export type EntrySort = (typeof ENTRY_SORTS)[number] | AttributeSort;

const BY_IDS = "array_position(?::text[], id)";
/** The number in an attribute; what is none there has no figure. */
const FIGURE = "case when jsonb_typeof(attributes -> ?) = 'number' then (attributes -> ?)::numeric end";

/** What an attribute must be: one of some values, or a number between two, both of them included. */
export interface AttributeFilter {
  key: string;
  values?: (string | number | boolean)[] | undefined;
  min?: number | undefined;
  max?: number | undefined;
}

/** Which records of a kind a list holds. */
export interface EntryFilter {
  category?: string | undefined;
  /** All of them must hold. */
  attributes?: AttributeFilter[] | undefined;
  /** Only these, such as a search found. */
  ids?: string[] | undefined;
}

/** A count that stops at a cap: `atLeast` says that there are more than `count`. */
export interface CappedCount {
  count: number;
  atLeast: boolean;
}

export type CategoryCount = CappedCount & { category: string };

/**
 * Past this many matches a list is neither counted nor paged further: both read one index entry a row, which takes
 * 10 ms here and 100 ms at a million rows. Longer lists are narrowed by category and name.
 */
export const LIST_CAP = 50_000;
/** The same where attributes narrow a list: no index counts those. */
export const COUNT_CAP = 10_000;
/** Of a longer list, the figures beside values and categories are of its first records only. */
export const FIGURE_CAP = 5_000;
/** The same for the figures beside the categories of a whole kind, which their index counts. */
const CATEGORY_CAP = 10_000;
export const CATEGORIES_SHOWN = 200;

/** A longer list goes by the main names, which there is an index of, and not by those in the reader's language. */
export const LOCAL_ORDER_CAP = 10_000;

/** Which part of a list is wanted, in which order. */
export interface ListRange {
  sort: EntrySort;
  limit: number;
  offset: number;
  /** Attributes that are wanted too. */
  columns?: string[];
  /** By name: by that in this language, where a record has one. Wants the whole list to be read. */
  language?: string | undefined;
  /** The list is known to be short enough to be found whole and sorted then. */
  isShort?: boolean;
}

/**
 * One page of a list. Where an index has its order, and unless told that it is short, the list is read in that until the
 * page is full: that is at once where most records belong to it, and takes a walk through all of them where few do.
 */
export async function listEntries(
  db: Db,
  kind: CatalogueKind,
  filter: EntryFilter,
  { sort, limit, offset, columns = [], language, isShort = false }: ListRange,
): Promise<ListedEntry[]> {
  const found = matching(db, kind, filter);
  const isIndexed = typeof sort === "string" && !(sort === "name" && language !== undefined);
  const read = [...SUMMARY_COLUMNS, "attributes"];
  const source: Knex.QueryBuilder =
    isShort && isIndexed ? db.withMaterialized("found", found.select(read)).from("found") : found;
  const order = orderSql(sort, filter, language);
  const page = source
    .select(read)
    .orderByRaw(...order)
    .limit(limit)
    .offset(offset);
  // The attributes are looked up in a query around the page: Postgres would do it for the rows before the page as well.
  return db
    .from(page.as("page"))
    .select(...SUMMARY_COLUMNS, db.raw(...columnsSql(columns)))
    .orderByRaw(...order);
}

function columnsSql(columns: string[]): [string, string[]] {
  const pairs = columns.map(() => "?::text, attributes -> ?::text");
  return [`jsonb_build_object(${pairs.join(", ")}) as shown`, columns.flatMap((key) => [key, key])];
}

function orderSql(
  sort: EntrySort,
  { ids }: EntryFilter,
  language: string | undefined,
): [string, (string | string[])[]] {
  if (sort === "name" && language !== undefined) {
    const local = localNameSql(language);
    return [`${local.sql} collate name_order, ${ORDERS.name}`, local.bindings];
  }
  if (typeof sort === "object") {
    return [`${FIGURE} ${sort.descending ? "desc" : "asc"} nulls last, ${ORDERS.name}`, [sort.key, sort.key]];
  }
  if (sort === "match") return ids ? [BY_IDS, [ids]] : [ORDERS.name, []];
  return [ORDERS[sort], []];
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

/**
 * The first 200 categories of a kind by name, each with its number of records up to 10,000. The recursion jumps from
 * one category to the next by index, so its cost is that of the categories and not of the records.
 */
export async function listCategories(db: Db, kind: CatalogueKind): Promise<CategoryCount[]> {
  const rows = await selectRows<{ category: string; count: number }>(
    db,
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
      order by found.category collate name_order`,
  );
  return rows.map((row) => ({
    category: row.category,
    ...capped(row.count, CATEGORY_CAP),
  }));
}

/** The newest additions and changes of a kind. */
export async function listNewest(db: Db, kind: CatalogueKind, limit: number): Promise<EntrySummary[]> {
  return listEntries(db, kind, {}, { sort: "newest", limit, offset: 0 });
}

/** The records of a list, as the beginning of a query. */
export function matching(
  db: Db,
  kind: CatalogueKind,
  { category, ids, attributes = [] }: EntryFilter,
): Knex.QueryBuilder {
  const query = db(kind);
  if (category !== undefined) query.where({ category });
  if (ids !== undefined) query.whereRaw("id = any(?::text[])", [ids]);
  for (const attribute of attributes) matchAttribute(query, attribute);
  return query;
}

/**
 * By paths in strict mode, in which a list of values is no value. The index answers those that name values; a range is
 * read row by row, in one look at the attribute, and through a function, as the index would have to be read whole for it.
 * https://www.postgresql.org/docs/current/functions-json.html#FUNCTIONS-SQLJSON-PATH
 */
function matchAttribute(query: Knex.QueryBuilder, { key, values, min, max }: AttributeFilter): void {
  // What JSON quotes, a path reads in the same way.
  const held = `$.${JSON.stringify(key)}`;
  const among = (values ?? []).map((value) => `@ == ${JSON.stringify(value)}`).join(" || ");
  const bounds = [min === undefined ? [] : `${held} >= ${min}`, max === undefined ? [] : `${held} <= ${max}`];
  const between = bounds.flat().join(" && ");
  // An empty choice is no choice that a record could fulfil.
  if (values?.length === 0) query.whereRaw("false");
  if (among !== "") query.whereRaw("attributes @\\? ?::jsonpath", [`strict ${held} ? (${among})`]);
  if (between !== "")
    query.whereRaw("jsonb_path_match(attributes, ?::jsonpath, '{}', true)", [`strict ${between}`]);
}

function capped(count: number, cap: number): CappedCount {
  return { count: Math.min(count, cap), atLeast: count > cap };
}
