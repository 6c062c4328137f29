import type { Knex } from "knex";
import { selectRow } from "../../db/rows.ts";

/** What is kept of each kind: the last days, and of them the last ids and versions. */
export interface KeptChanges {
  readonly days: number;
  /** Past so many, a mirror had better start again from the dump. */
  readonly ids: number;
  /** Fewer than the stamps that are kept, see migrations/20261123113000_stamp_catalogue_versions.ts. */
  readonly versions: number;
}

const KEPT: KeptChanges = { days: 30, ids: 2_000_000, versions: 19_000 };

/** Forgets changes of all kinds that are older than what is kept. */
export async function forgetOldChanges(db: Knex, kept: KeptChanges = KEPT): Promise<void> {
  const kinds: string[] = await db("catalogue_versions").orderBy("kind").pluck("kind");
  for (const kind of kinds) await db.transaction((transaction) => forgetOf(transaction, kind, kept));
}

/** Skips a kind during its import. Changes of one commit are kept or deleted together. */
async function forgetOf(
  transaction: Knex.Transaction,
  kind: string,
  { days, ids, versions }: KeptChanges,
): Promise<void> {
  const { forgotten } = await selectRow<{ forgotten: number | null }>(
    transaction,
    `with locked as materialized (
       select version from catalogue_versions where kind = :kind for update skip locked
     ), counted as (
       select version, at, transaction, sum(cardinality(ids)) over (order by version desc, part desc) as later
         from catalogue_change_lists where kind = :kind
     )
     select (select coalesce((select min(l.version) - 1 from catalogue_change_lists l
                               where l.kind = :kind and l.transaction in (
                                 select transaction from counted
                                  where at >= now() - make_interval(days => :days) and later <= :ids
                                    and counted.version > locked.version - :versions
                                  order by version limit 1)),
                             (select max(version) from counted))
               from locked) as forgotten`,
    { kind, days, ids, versions },
  );
  if (forgotten === null) return;
  await transaction.raw(
    `with gone as (
       delete from catalogue_change_lists where kind = :kind and version <= :forgotten returning at
     )
     update catalogue_versions v
        set followed_from = greatest(followed_from, :forgotten),
            followed_since = greatest(followed_since, coalesce(
              (select min(at) from catalogue_change_lists where kind = :kind and version > :forgotten),
              (select max(at) + interval '1 hour' from gone)))
      where kind = :kind and exists (select from gone)`,
    { kind, forgotten },
  );
}
