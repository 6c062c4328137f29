import type { Knex } from "knex";
import { type CatalogueKind, singularOf } from "../../words/kinds/kinds.ts";
import { relationIdOf } from "../import/storage/merged-queries.ts";

/** A record that becomes another one: its address leads there. */
export interface Merge {
  readonly kind: CatalogueKind;
  readonly from: string;
  readonly into: string;
}

const REVISED =
  "revision = revision + 1, updated_at = greatest(clock_timestamp(), updated_at + interval '1 microsecond')";

/**
 * Gives the record that is left what refers to the other one, and keeps what was given with the change of the import, for
 * an undo. The other one's relations and visits stay: nothing shows them while it is gone.
 */
export async function moveRows(transaction: Knex.Transaction, importId: number, merge: Merge): Promise<void> {
  const word = singularOf(merge.kind);
  const isEnd = (end: string) => `(${end}_kind = :word and ${end}_id = :from)`;
  const newEnd = (end: string) => `case when ${isEnd(end)} then :into else ${end}_id end as ${end}_id`;
  const rows = (name: string) => `'${name}', (select coalesce(jsonb_agg(to_jsonb(r)), '[]') from ${name} r)`;
  await transaction.raw(
    `with starred as (
       insert into entity_favorites (user_id, ${word}_id, created_at)
       select user_id, :into, created_at from entity_favorites where ${word}_id = :from
       on conflict do nothing returning user_id, created_at
     ), related as (
       insert into relations (id, from_kind, from_id, kind, to_kind, to_id, count, chance, position, demo, created_at)
       select ${relationIdOf("r")}, r.*
         from (select from_kind, ${newEnd("from")}, kind, to_kind, ${newEnd("to")}, count, chance, position, demo, created_at
                 from relations where ${isEnd("from")} or ${isEnd("to")}) r
        where (from_kind, from_id) <> (to_kind, to_id)
       on conflict (id) do nothing returning id
     ), sold as (
       update donate_items set entity_id = :into, ${REVISED} where entity_kind = :word and entity_id = :from returning id
     ), suggested as (
       update suggestions set entry_id = :into where kind = :kind and entry_id = :from and state = 'open' returning id
     ), seen as (
       insert into day_counts (topic, name, day, count)
       select topic, :into, day, count from day_counts where topic = 'visit:' || :kind and name = :from
       on conflict (topic, day, name) do update set count = day_counts.count + excluded.count
     )
     update import_changes set dependents = coalesce(dependents, '{}') || jsonb_build_object('moved', jsonb_build_object(
         ${["starred", "related", "sold", "suggested"].map(rows).join(", ")}))
      where import_id = :importId and id = :from`,
    { ...merge, word, importId },
  );
}

/** Takes back what an import has moved. Rows that somebody has removed or moved on since stay that way. */
export async function moveRowsBack(
  transaction: Knex.Transaction,
  importId: number,
  merge: Merge,
): Promise<void> {
  const word = singularOf(merge.kind);
  const moved = (name: string, columns: string) =>
    `${name} as (select r.* from change, jsonb_to_recordset(moved -> '${name}') r (${columns}))`;
  const isSeen = `d.name = :into and was.name = :from and was.topic = 'visit:' || :kind
    and (d.topic, d.day) = (was.topic, was.day)`;
  await transaction.raw(
    `with change as (select dependents -> 'moved' as moved from import_changes where import_id = :importId and id = :from),
     ${moved("starred", "user_id bigint, created_at timestamptz")}, ${moved("related", 'id text collate "C"')},
     ${moved("sold", 'id text collate "C"')}, ${moved("suggested", "id bigint")},
     unstarred as (
       delete from entity_favorites f using starred s
        where f.${word}_id = :into and (f.user_id, f.created_at) = (s.user_id, s.created_at)
     ), unrelated as (
       delete from relations r using related where r.id = related.id
     ), unsold as (
       update donate_items d set entity_id = :from, ${REVISED}
         from sold where d.id = sold.id and d.entity_kind = :word and d.entity_id = :into
     ), unsuggested as (
       update suggestions o set entry_id = :from
         from suggested where o.id = suggested.id and o.entry_id = :into and o.state = 'open'
     ), unseen as (
       delete from day_counts d using day_counts was where ${isSeen} and d.count <= was.count
     )
     update day_counts d set count = d.count - was.count from day_counts was where ${isSeen} and d.count > was.count`,
    { ...merge, word, importId },
  );
}
