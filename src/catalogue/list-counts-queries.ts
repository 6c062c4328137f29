import type { Db } from "../db/connect.ts";
import { selectRow, selectRows } from "../db/rows.ts";
import type { Language } from "../words/i18n/languages.ts";
import { nameInitialSql } from "../words/i18n/name-order.ts";
import type { CatalogueKind } from "../words/kinds/kinds.ts";
import { type Facet, type FacetCounts, type FacetValue, valueText } from "./facets.ts";
import { type EntryFilter, initialSql, matching } from "./filter-queries.ts";
import {
  CATEGORIES_SHOWN,
  type CappedCount,
  type CategoryCount,
  COUNT_CAP,
  FIGURE_CAP,
  type LetterCounts,
  type ListTraits,
  type ValueTraits,
} from "./list-queries.ts";

/** The counts of a list; those of facets and categories come from its first 5,000 records. */
interface CountedRecords {
  records: CappedCount;
  facets: FacetCounts;
  /** The first 200 by name. */
  categories: CategoryCount[];
  /** The letters of the counted records. */
  letters: LetterCounts;
  traits: ListTraits;
}

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
): Promise<CountedRecords> {
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
    [found, isHeld ? heldOf(db, facets, columns) : db.raw("'[]'::jsonb")],
  );
  const atLeast = records > FIGURE_CAP;
  return {
    records: { count: Math.min(records, cap), atLeast: records > cap },
    facets: { accuracy: atLeast ? "atLeast" : "exact", byKey: gather(held, facets), uncounted: new Set() },
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
function heldOf(db: Db, facets: Facet[], columns: readonly string[]) {
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
