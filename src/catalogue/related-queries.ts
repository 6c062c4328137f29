import type { Db } from "../db/connect.ts";
import { selectRows } from "../db/rows.ts";
import type { CatalogueKind } from "../words/kinds/kinds.ts";
import { type Entry, type EntrySummary, LISTED_COLUMNS } from "./entry-queries.ts";
import type { Trait } from "./related-traits.ts";

/** Entries of the category that every entry is compared with, the most popular ones. */
const SAMPLE = 60;
/** Traits that at most this share of the sample has are looked for in the index. */
const RARE = 0.02;
/** Limits of the lookup: values probed, entries scanned per value, candidates of the category. */
const PROBES = 6;
const PROBED = 200;
const PROBE_LIMIT = 15;
/** Being as large as another weighs no more than this, however rare the number is; the rarest word weighs 5. */
const NUMBER_WEIGHT = 1.5;

/**
 * The entries most like one: of its category, or of the kind if the category has no other. Entries that share its
 * rarest values come first, then the popular ones. Numbers count by their distance, relative to the spread of the
 * others. Compares 150 entries at most.
 */
export async function findRelated(
  db: Db,
  kind: CatalogueKind,
  entry: Pick<Entry, "id" | "category">,
  traits: Trait[],
  limit: number,
): Promise<EntrySummary[]> {
  const { id, category } = entry;
  const columns = LISTED_COLUMNS.map((column) => `entry.${column}`).join(", ");
  return selectRows<EntrySummary>(
    db,
    `with traits as materialized (
       select * from jsonb_to_recordset(:traits::jsonb) as trait (probe jsonb, path text[], figure float8)),
     siblings as materialized (
       select id, attributes, popularity from ${kind}
        where ${category === null ? "category is null" : "category = :category"} and id <> :id
        order by popularity desc nulls last, id limit ${SAMPLE}),
     sample as materialized (
       select * from siblings
       union all
       (select id, attributes, popularity from ${kind}
         where id <> :id and not exists (select from siblings)
         order by name collate name_order, id limit ${SAMPLE})),
     looked as (select count(*)::float8 as entries from sample),
     weighed as materialized (
       select trait.*, held, spread, ln((entries + 1) / (held + 0.5)) as weight
         from looked, traits as trait, lateral (
           select count(*) filter (where attributes @> trait.probe) as held,
                  nullif(stddev_samp(${figureOf("trait")}), 0) as spread
             from sample) as compared),
     rare as materialized (
       select probe from weighed, looked where held <= ${RARE} * entries and entries = ${SAMPLE} limit ${PROBES}),
     candidates as (
       select * from sample
       union all
       select found.* from rare, lateral (
         select id, attributes, popularity from (
           select id, attributes, popularity, category from ${kind}
            where ${holds("rare.probe")} and id <> :id limit ${PROBED}) as holder
          where category is not distinct from :category or not exists (select from siblings)
          limit ${PROBE_LIMIT}) as found),
     scored as (
       select distinct on (id) id, popularity, round(score::numeric, 6) as score
         from candidates, lateral (
           select coalesce(sum(case
             when figure is null then case when attributes @> probe then weight else 0 end
             else least(weight, ${NUMBER_WEIGHT}) * case when attributes @> probe then 1
               else coalesce(greatest(0, 1 - abs(${figureOf("weighed")} - figure) / spread), 0) end
             end), 0) as score
             from weighed) as compared
        order by id),
     best as (
       select * from scored order by score desc, popularity desc nulls last, id limit :limit)
     select ${columns} from best join ${kind} as entry using (id)
      order by score desc, best.popularity desc nulls last, id`,
    { traits: JSON.stringify(traits), id, category, limit },
  );
}

/**
 * SQL: the attributes hold a value that is rare. It says so twice: for an unknown value, Postgres expects a hundredth
 * of all records, and would not use the index once new records wait to enter it.
 */
function holds(probe: string): string {
  return `attributes @> ${probe} and attributes @> ${probe}`;
}

/** SQL for the number that `attributes` have for a trait, if it is one, bounded so that its square is a number. */
function figureOf(trait: string): string {
  const value = `attributes #> ${trait}.path`;
  return `case when ${trait}.figure is not null and jsonb_typeof(${value}) = 'number'
    then least(greatest((${value})::numeric, -1e15), 1e15)::float8 end`;
}
