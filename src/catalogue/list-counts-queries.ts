import type { Db } from "../db/connect.ts";
import { selectRow } from "../db/rows.ts";
import type { CatalogueKind } from "../kinds/kinds.ts";
import { type Facet, type FacetCounts, type FacetValue, valueText } from "./facets.ts";
import {
  CATEGORIES_SHOWN,
  type CappedCount,
  type CategoryCount,
  type EntryFilter,
  FIGURE_CAP,
  matching,
} from "./list-queries.ts";

/** The counts of a list; those of facets and categories come from its first 5,000 records. */
interface CountedRecords {
  records: CappedCount;
  facets: FacetCounts;
  /** The first 200 by name. */
  categories: CategoryCount[];
}

/** How many of the records have a value of a facet; null stands for any value. */
interface HeldValue {
  key: string;
  type: string;
  value: FacetValue | null;
  count: number;
}

interface CountsRow {
  records: number;
  categories: Omit<CategoryCount, "atLeast">[];
  held: HeldValue[];
}

/** Counts the records of a list up to a cap, and the facet values and categories of the first 5,000. */
export async function countRecords(
  db: Db,
  kind: CatalogueKind,
  filter: EntryFilter,
  facets: Facet[],
  cap = FIGURE_CAP,
): Promise<CountedRecords> {
  const found = matching(db, kind, filter)
    .select("category", ...(facets.length === 0 ? [] : ["attributes"]))
    .limit(cap + 1);
  const { records, categories, held } = await selectRow<CountsRow>(
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
            ? as held`,
    [found, facets.length === 0 ? db.raw("'[]'::jsonb") : heldOf(db, facets)],
  );
  const atLeast = records > FIGURE_CAP;
  return {
    records: { count: Math.min(records, cap), atLeast: records > cap },
    facets: { accuracy: atLeast ? "atLeast" : "exact", byKey: gather(held, facets), uncounted: new Set() },
    categories: categories.map((category) => ({ ...category, atLeast })),
  };
}

/** SQL for the facet values of the found records. One attribute is read by name: unfolding whole records takes longer. */
function heldOf(db: Db, facets: Facet[]) {
  const [first, second] = facets;
  const isOne = first !== undefined && second === undefined;
  const held = isOne
    ? db.raw("lateral (select ?::text as key, attributes -> ? as value) as held", [first.key, first.key])
    : db.raw("jsonb_each(attributes)");
  const counted = facets.filter(({ values }) => values !== null).map(({ key }) => key);
  return db.raw(
    `(select coalesce(jsonb_agg(held), '[]') from (
       select key, jsonb_typeof(value) as type, case when key = any(?::text[]) then value end as value,
              count(*)::integer as count
         from looked, ?
        where key = any(?::text[]) and value <> '""'
        group by 1, 2, 3) as held)`,
    [counted, held, facets.map(({ key }) => key)],
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

/** Those of some values that a record of the kind has. */
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
