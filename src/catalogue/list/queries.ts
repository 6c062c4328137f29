import type { Knex } from "knex";
import type { Db } from "../../db/connect.ts";
import { selectRow, selectRows } from "../../db/rows.ts";
import type { Language } from "../../words/i18n/languages.ts";
import { localNameSql } from "../../words/i18n/local-name.ts";
import { nameInitialSql, nameOrderSql } from "../../words/i18n/name-order.ts";
import { type CatalogueKind, catalogueKinds } from "../../words/kinds/kinds.ts";
import { type Entry, type EntrySummary, LISTED_COLUMNS } from "../entry/queries.ts";
import {
  type CappedCount,
  type CategoryCount,
  type Facet,
  type FacetCounts,
  type FacetValue,
  type LetterCounts,
  type ListTraits,
  type ValueTraits,
  valueText,
} from "../facets.ts";
import { type EntryFilter, initialSql, matching, readInOrder } from "../filter-queries.ts";

/** How many of the records have a value of a facet; null stands for any value. */
interface HeldValue {
  key: string;
  type: string;
  value: FacetValue | null;
  count: number;
  /** They have no different values. */
  isSame: boolean;
}

interface CountsRow {
  records: number;
  categories: Omit<CategoryCount, "atLeast">[];
  held: HeldValue[];
  letters: LetterCounts["counts"];
  popularity: ValueTraits;
  category: ValueTraits;
  changed: ListTraits["changed"];
}

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

/** Lists are counted and paged up to here: both read one index entry a row, 10 ms now and 100 ms for a million rows. */
export const LIST_CAP = 50_000;
/** The same for lists narrowed by attributes, which no index counts. */
export const COUNT_CAP = 10_000;
/** The counts of values and categories come from this many records of a list. */
export const FIGURE_CAP = 5_000;
/** The limit for counting a category in an unfiltered list. */
const CATEGORY_CAP = 10_000;
const CATEGORIES_SHOWN = 200;

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

/** A sort as SQL; with a language, names sort as they are shown in it. */
export function orderSql(
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

/** A count of up to one more than the cap. */
export function capped(count: number, cap: number): CappedCount {
  return { count: Math.min(count, cap), atLeast: count > cap };
}

/**
 * Counts the records of a list up to a cap, and the letters of their names in a language (undefined for their main
 * names). For the first 5,000 it also counts the facet values, the categories and the traits of `columns`.
 */
export async function countRecords(
  db: Db,
  kind: CatalogueKind,
  filter: EntryFilter,
  facets: Facet[],
  {
    cap = FIGURE_CAP,
    language,
    columns = [],
  }: { cap?: number; language?: Language | undefined; columns?: readonly string[] } = {},
) {
  const initial = initialSql(language);
  const isHeld = facets.length > 0 || columns.length > 0;
  const found = matching(db, kind, filter)
    .select("category", "popularity", "updated_at", ...(isHeld ? ["attributes"] : []))
    .select(db.raw(`${initial.sql} as initial`, initial.bindings))
    .limit(cap + 1);
  const { records, categories, held, letters, ...traits } = await selectRow<CountsRow>(
    db,
    `with found as materialized (?),
     looked as (select * from found limit ${FIGURE_CAP}),
     categories as (
       select category, count(*)::integer as count from looked
        where category is not null group by category
        order by category collate name_order limit ${CATEGORIES_SHOWN})
     select (select count(*)::integer from found) as records,
            (select coalesce(jsonb_agg(categories order by category collate name_order), '[]') from categories)
              as categories,
            (select coalesce(jsonb_agg(jsonb_build_array(initial, count) order by initial collate "C"), '[]')
               from (select initial, count(*)::integer as count from found group by initial) as by_letter)
              as letters,
            (${traitsSql("category")}) as category,
            (${traitsSql("popularity")}) as popularity,
            (select jsonb_build_array(min(updated_at), max(updated_at)) from looked having count(*) > 0) as changed,
            ? as held`,
    [found, isHeld ? selectHeld(db, facets, columns) : db.raw("'[]'::jsonb")],
  );
  const atLeast = records > FIGURE_CAP;
  const counts: FacetCounts = {
    accuracy: atLeast ? "atLeast" : "exact",
    byKey: gather(held, facets),
    uncounted: new Set(),
  };
  return {
    records: capped(records, cap),
    facets: counts,
    categories: categories.map((category) => ({ ...category, atLeast })),
    letters: { counts: letters, atLeast: records > cap },
    traits: {
      ...traits,
      looked: Math.min(records, FIGURE_CAP),
      isWhole: !atLeast,
      columns: columnTraits(held, columns),
    },
  };
}

function traitsSql(column: "category" | "popularity"): string {
  return `select jsonb_build_object('present', count(${column}), 'isSame', coalesce(min(${column}) = max(${column}), true)) from looked`;
}

/** Several rows of one key are several values of it. */
function columnTraits(held: HeldValue[], columns: readonly string[]): ListTraits["columns"] {
  const traits = columns.map((key): [string, ValueTraits] => {
    const rows = held.filter((row) => row.key === key);
    const present = rows.reduce((sum, { count }) => sum + count, 0);
    return [key, { present, isSame: rows.length < 2 && rows.every(({ isSame }) => isSame) }];
  });
  return new Map(traits);
}

/**
 * The letters of a whole kind by main name, each counted up to 10,000. The recursion jumps from letter to letter by
 * index.
 */
export async function countLetters(db: Db, kind: CatalogueKind): Promise<LetterCounts> {
  const initial = nameInitialSql("name");
  const rows = await selectRows<{ initial: string; count: number }>(
    db,
    `with recursive found (initial) as (
       (select ${initial} from ${kind} order by ${initial} limit 1)
       union all
       select (select ${initial} from ${kind} where ${initial} > found.initial order by ${initial} limit 1)
         from found where found.initial is not null
     )
     select found.initial, counted.count
       from found
       cross join lateral (
         select count(*)::integer as count
           from (select 1 from ${kind} where ${initial} = found.initial limit ${COUNT_CAP}) as sample) as counted
      where found.initial is not null`,
  );
  return { counts: rows.map(({ initial, count }) => [initial, count]), atLeast: false };
}

/** SQL for the facet values of the found records. One attribute is read by name: unfolding whole records takes longer. */
function selectHeld(db: Db, facets: Facet[], columns: readonly string[]) {
  const keys = [...new Set([...facets.map(({ key }) => key), ...columns])];
  const [first = "", second] = keys;
  const held =
    second === undefined
      ? db.raw("lateral (select ?::text as key, attributes -> ? as value) as held", [first, first])
      : db.raw("jsonb_each(attributes)");
  const counted = facets.filter(({ values }) => values !== null).map(({ key }) => key);
  return db.raw(
    `(select coalesce(jsonb_agg(held), '[]') from (
       select key, jsonb_typeof(value) as type, case when key = any(?::text[]) then value end as value,
              count(*)::integer as count, min(value::text collate "C") = max(value::text collate "C") as "isSame"
         from looked, ?
        where key = any(?::text[]) and value <> '""'
        group by 1, 2, 3) as held)`,
    [counted, held, keys],
  );
}

/** Sums the counts by facet. Values of another type than their facet's are skipped; for a range only `present` counts. */
function gather(held: HeldValue[], facets: Facet[]): FacetCounts["byKey"] {
  const types = new Map(facets.map(({ key, type }) => [key, type]));
  const byKey = new Map<string, { present: number; values: Map<string, number> }>();
  for (const { key, type, value, count } of held) {
    if (types.get(key) !== type) continue;
    const facet = byKey.get(key) ?? { present: 0, values: new Map<string, number>() };
    facet.present += count;
    if (value !== null) facet.values.set(valueText(value), count);
    byKey.set(key, facet);
  }
  return byKey;
}

/** Filters values for those that a record of the kind has. */
export async function findValues(
  db: Db,
  kind: CatalogueKind,
  key: string,
  values: FacetValue[],
): Promise<FacetValue[]> {
  const rows: { value: FacetValue }[] = await matching(db, kind, { attributes: [{ key, values }] }).distinct(
    db.raw("attributes -> ? as value", [key]),
  );
  return rows.map(({ value }) => value);
}
