import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import { selectRows } from "../db/rows.ts";
import { localNameSql } from "../words/i18n/local-name.ts";
import { nameOrderSql } from "../words/i18n/name-order.ts";
import { type CatalogueKind, catalogueKinds } from "../words/kinds/kinds.ts";
import { type Entry, type EntrySummary, LISTED_COLUMNS } from "./entry-queries.ts";
import { type EntryFilter, matching } from "./filter-queries.ts";
import { readInOrder } from "./order-queries.ts";

/** A row of a list with the attributes shown; a missing one is null. */
export type ListedEntry = EntrySummary & { shown: Record<string, unknown> };

/** The sorts of any list as SQL; ending with the id makes each a total order. */
const ORDERS = {
  name: `${nameOrderSql("name")}, id`,
  newest: "updated_at desc, id",
  popularity: "popularity desc nulls last, name collate name_order, id",
} as const;

/** `match` is the order of the ids that a search found. */
export const ENTRY_SORTS = ["match", "name", "newest", "popularity"] as const satisfies (
  | "match"
  | keyof typeof ORDERS
)[];
/** By the number in an attribute; records without one come last in both directions. */
interface AttributeSort {
  key: string;
  descending: boolean;
}
export type EntrySort = (typeof ENTRY_SORTS)[number] | AttributeSort;

const BY_IDS = "array_position(?::text[], id)";
/** The number in an attribute, null for any other value. */
export const FIGURE =
  "case when jsonb_typeof(attributes -> ?) = 'number' then (attributes -> ?)::numeric end";

/** A count that stops at a cap; `atLeast` if there are more than `count`. */
export interface CappedCount {
  count: number;
  atLeast: boolean;
}

export type CategoryCount = CappedCount & { category: string };

/** The common values of a list's rows, so that the list can leave their columns out. */
export interface ListTraits {
  /** Records that were looked at, and whether that is the whole list. */
  looked: number;
  isWhole: boolean;
  /** By attribute: how many records have it, and whether all of those have the same value. */
  columns: ReadonlyMap<string, ValueTraits>;
  category: ValueTraits;
  popularity: ValueTraits;
  /** The first and the last time of a change; null in an empty list. */
  changed: [first: string, last: string] | null;
}

export interface ValueTraits {
  present: number;
  isSame: boolean;
}

/** How many records there are by the letter that their names begin with. */
export interface LetterCounts {
  counts: [initial: string, count: number][];
  /** There are more records, so that a letter without a count may have some. */
  atLeast: boolean;
}

/** Lists are counted and paged up to here: both read one index entry a row, 10 ms now and 100 ms for a million rows. */
export const LIST_CAP = 50_000;
/** The same for lists narrowed by attributes, which no index counts. */
export const COUNT_CAP = 10_000;
/** The counts of values and categories come from this many records of a list. */
export const FIGURE_CAP = 5_000;
/** The limit for counting a category in an unfiltered list. */
const CATEGORY_CAP = 10_000;
export const CATEGORIES_SHOWN = 200;

/** Longer lists sort by main name, which has an index, instead of by the name in the reader's language. */
export const LOCAL_ORDER_CAP = 10_000;

interface ListRange {
  sort: EntrySort;
  limit: number;
  offset: number;
  /** Attributes to read too. */
  columns?: readonly string[];
  /** Sort by the name in this language if a record has one. This reads the whole list. */
  language?: string | undefined;
  /** The number of records, or the limit of counting; many by default. */
  total?: number;
}

/** One page of a list. */
export async function listEntries(
  db: Db,
  kind: CatalogueKind,
  filter: EntryFilter,
  { limit, offset, columns = [], ...order }: ListRange,
): Promise<ListedEntry[]> {
  const page = inOrder(db, kind, filter, { ...order, end: offset + limit })
    .limit(limit)
    .offset(offset);
  // Attributes are read around the page: inside, Postgres would read them for all rows before the page too.
  return db
    .from(page.as("page"))
    .select(...LISTED_COLUMNS, db.raw(...columnsSql(columns)))
    .orderByRaw(...orderSql(order.sort, filter, order.language));
}

/** The ids of a list in its order, at most `limit`. */
export async function listIds(
  db: Db,
  kind: CatalogueKind,
  filter: EntryFilter,
  { limit, ...order }: Omit<ListRange, "offset" | "columns">,
): Promise<string[]> {
  const found = inOrder(db, kind, filter, { ...order, end: limit }).limit(limit);
  return found.clearSelect().pluck("id");
}

/** At least the first `end` records of a list, in its order. */
function inOrder(
  db: Db,
  kind: CatalogueKind,
  filter: EntryFilter,
  { sort, language, end, total = LIST_CAP }: Pick<ListRange, "sort" | "language" | "total"> & { end: number },
): Knex.QueryBuilder {
  const [sql, bindings] = orderSql(sort, filter, language);
  const isIndexed = typeof sort === "string" && !(sort === "name" && language !== undefined);
  const found = readInOrder(db, kind, filter, {
    sort: isIndexed ? sort : undefined,
    order: { sql, bindings },
    end,
    total,
  });
  return found.select([...LISTED_COLUMNS, "attributes"]).orderByRaw(sql, bindings);
}

function columnsSql(columns: readonly string[]): [string, string[]] {
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
    return [`${nameOrderSql(local.sql)}, ${ORDERS.name}`, [...local.bindings, ...local.bindings]];
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
  const counts = catalogueKinds().map(async (kind) => [kind, await countEntries(db, kind, {})] as const);
  return Object.fromEntries(await Promise.all(counts)) as Record<CatalogueKind, CappedCount>;
}

/** The first 200 categories by name, each counted up to 10,000. The recursion jumps by index, so only categories cost time. */
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

const COMPARED_COLUMNS = [
  "id",
  "name",
  "names",
  "category",
  "popularity",
  "picture",
  "image",
  "attributes",
  "demo",
] as const;

export type ComparedEntry = Pick<Entry, (typeof COMPARED_COLUMNS)[number]>;

/** The entries with these ids, in the order of the ids; ids without an entry are left out. */
export async function findCompared(db: Db, kind: CatalogueKind, ids: string[]): Promise<ComparedEntry[]> {
  const entries: ComparedEntry[] = await matching(db, kind, { ids }).select(COMPARED_COLUMNS);
  return entries.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
}

function capped(count: number, cap: number): CappedCount {
  return { count: Math.min(count, cap), atLeast: count > cap };
}
