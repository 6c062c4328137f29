import type { Db } from "../db/connect.ts";
import { selectRow, selectRows } from "../db/rows.ts";
import type { CatalogueKind } from "../words/kinds/kinds.ts";
import { type AttributeFacts, type KindFacets, VALUES_AT_MOST } from "./facets.ts";

/** Larger kinds are looked at in a sample of about this many records. */
const SAMPLE = 20_000;
/** The most to look at if the planner takes the table for smaller than it is. */
const SAMPLED_AT_MOST = 30_000;
const KEYS_AT_MOST = 200;
/** Raise this with every change in choosing or storing facets: stored ones of another format are ignored. */
const FORMAT = 6;

/** The version of a kind, with its stored facets if they are of that version and format, and not the `known` one. */
export async function readStoredFacets(
  db: Db,
  kind: CatalogueKind,
  known: number | undefined,
): Promise<{ version: number; facets: KindFacets | null }> {
  return selectRow(
    db,
    `select v.version, f.facets - 'format' as facets
       from catalogue_versions v
       left join catalogue_facets f on f.kind = v.kind and f.version = v.version and v.version is distinct from ?
                                   and f.facets -> 'format' = to_jsonb(?::integer)
      where v.kind = ?`,
    [known ?? null, FORMAT, kind],
  );
}

/** Stores facets unless another process has stored those of a newer version. */
export async function storeFacets(
  db: Db,
  kind: CatalogueKind,
  version: number,
  facets: KindFacets,
): Promise<void> {
  await db.raw(
    `insert into catalogue_facets (kind, version, facets) values (?, ?, ?)
     on conflict (kind) do update
       set version = excluded.version, facets = excluded.facets, found_at = now()
     where catalogue_facets.version < excluded.version
        or catalogue_facets.version = excluded.version
           and catalogue_facets.facets -> 'format' is distinct from excluded.facets -> 'format'`,
    [kind, version, JSON.stringify({ ...facets, format: FORMAT })],
  );
}

/** Postgres sends numerics as text, to keep them exact. */
interface FactsRow extends Omit<AttributeFacts, "min" | "max"> {
  min: string | null;
  max: string | null;
  sampled: number;
}

/** Facts about the attributes of a kind, from all records or from a sample of some 20,000. */
export async function readAttributeFacts(
  db: Db,
  kind: CatalogueKind,
): Promise<{ facts: AttributeFacts[]; sampled: number; records: number; hasPopularity: boolean }> {
  const { sample, records, hasPopularity } = await chooseSample(db, kind);
  const rows = await selectRows<FactsRow>(
    db,
    `with sample as materialized (select attributes from ${sample} limit ${SAMPLED_AT_MOST}),
     counted as (
       select key, value, jsonb_typeof(value) as type, count(*)::integer as count
         from sample, jsonb_each(attributes)
        where jsonb_typeof(value) in ('string', 'number', 'boolean') and value <> '""'
        group by key, value),
     figures as (
       select *, case when type = 'number' then least(greatest(value::numeric, -1e15), 1e15) end as figure from counted),
     facts as (
       select key, type, sum(count)::integer as present, count(*)::integer as distinct,
              min(figure) as min, max(figure) as max, coalesce(bool_and(figure % 1 = 0), false) as whole,
              coalesce(max(char_length(value #>> '{}')) filter (where type = 'string'), 0) as longest,
              case when count(*) <= ${VALUES_AT_MOST}
                then jsonb_agg(jsonb_build_array(value, count) order by count desc, value) end as values
         from figures group by key, type),
     commonest as (
       select distinct on (key) * from facts order by key, present desc, type)
     select commonest.*, (select count(*)::integer from sample) as sampled from commonest
      order by present desc, key limit ${KEYS_AT_MOST}`,
  );
  const facts = rows.map(({ sampled: _, min, max, ...fact }) => ({
    ...fact,
    min: min === null ? null : Number(min),
    max: max === null ? null : Number(max),
  }));
  const sampled = rows[0]?.sampled ?? 0;
  return { facts, sampled, records: records ?? sampled, hasPopularity };
}

/** The whole table while it is small, else always the same random pages of it: their share goes by the planner's estimate. */
async function chooseSample(
  db: Db,
  kind: CatalogueKind,
): Promise<{ sample: string; records: number | undefined; hasPopularity: boolean }> {
  const { large, estimate, ranked } = await selectRow<{ large: boolean; estimate: number; ranked: boolean }>(
    db,
    `select exists (select from ${kind} offset ${SAMPLE}) as large,
            exists (select from ${kind} where popularity is not null) as ranked,
            (select reltuples from pg_class where oid = '${kind}'::regclass) as estimate`,
  );
  if (!large) return { sample: kind, records: undefined, hasPopularity: ranked };
  const records = Math.max(estimate, SAMPLE + 1);
  const percent = Math.min(100, (100 * SAMPLE) / records);
  const sample = `${kind} tablesample system (${percent}) repeatable (1)`;
  return { sample, records, hasPopularity: ranked };
}

/** When a record of a kind changed first and last, or null. */
export async function readChanged(db: Db, kind: CatalogueKind): Promise<[string, string] | null> {
  const { changed } = await selectRow<{ changed: [string, string] | null }>(
    db,
    `select case when min(updated_at) is not null then jsonb_build_array(min(updated_at), max(updated_at)) end as changed
       from ${kind}`,
  );
  return changed;
}
