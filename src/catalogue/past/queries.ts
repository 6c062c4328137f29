import type { Knex } from "knex";
import type { Db } from "../../db/connect.ts";
import { selectRow, selectRows } from "../../db/rows.ts";
import { nameOrderSql } from "../../words/i18n/name-order.ts";
import type { CatalogueKind } from "../../words/kinds/kinds.ts";
import type { Entry } from "../entry/queries.ts";
import type { CappedCount } from "../facets.ts";
import { initialSql, matching } from "../filter-queries.ts";
import { capped, LIST_CAP } from "../list/queries.ts";

/** A record as `record_at` writes it: its times are texts. */
type PastRecord = Omit<Entry, "created_at" | "updated_at"> & {
  created_at: string;
  updated_at: string;
};

/** The records of a list at a time. */
interface PastFilter {
  readonly at: string;
  readonly category?: string | undefined;
  /** As `name_initial` has it. */
  readonly initial?: string | undefined;
}

interface Sql {
  readonly sql: string;
  readonly bindings: string[];
}

interface PastRange {
  readonly order: Sql;
  /** The condition for the start of a page. */
  readonly after?: Sql | undefined;
  /** At least this many records are found. */
  readonly end: number;
}

/** A record with more revisions than this may have lost some; see the migration that keeps them. */
const ALL_KEPT = 51;

/** SQL: whether a later revision `r` changed what lists are filtered and sorted by. It has an index. */
const MOVED = `r.kind = :kind and r.changed_at > :at
  and (r.before -> 'name' is not null or r.before -> 'category' is not null or r.absent_since is not null)`;

/**
 * A time for the database. The site writes times in milliseconds, so a record's own time must include the microseconds
 * of its change.
 */
export function pastText(at: Date): string {
  return at.toISOString().replace("Z", "999Z");
}

function toEntry(record: PastRecord): Entry {
  const [created_at, updated_at] = [new Date(record.created_at), new Date(record.updated_at)];
  return { ...record, demo: record.demo ?? false, created_at, updated_at };
}

/** A record as it was at a time; undefined if it was not there then, or if that is no longer known. */
export async function findEntryAt(
  db: Db,
  kind: CatalogueKind,
  id: string,
  at: Date,
): Promise<Entry | undefined> {
  return (await findEntriesAt(db, kind, [id], at))[0];
}

/** The same for several records, in the order of their ids. */
export async function findEntriesAt(
  db: Db,
  kind: CatalogueKind,
  ids: readonly string[],
  at: Date,
): Promise<Entry[]> {
  const rows = await selectRows<{ record: PastRecord | null }>(
    db,
    `select past as record
       from (select id, to_jsonb(t) as record, timestamptz 'infinity' as removed_at from ${kind} t
             union all
             select id, record, removed_at from catalogue_tombstones
              where kind = :kind and record is not null and not hidden) e,
            record_at(:kind, record, removed_at, :at) past
      where id = any(:ids::text[]) order by array_position(:ids::text[], id)`,
    { kind, ids: [...ids], at: pastText(at) },
  );
  return rows.flatMap(({ record }) => (record ? toEntry(record) : []));
}

/**
 * A query for `id` and `name` of at least the first `end` records of a list at a time.
 *
 * Most records were sorted as they are now, so the index of the order finds them. Few had another name or category, or
 * are gone. The query restores these first, then sorts them in.
 */
export function matchingAt(
  db: Db,
  kind: CatalogueKind,
  filter: PastFilter,
  { order, after, end }: PastRange,
): Knex.QueryBuilder {
  const { stayed, restored } = partsAt(db, kind, filter);
  // Not `not exists`: Postgres would join the tables and sort all records.
  const isMoved = `select false from catalogue_revisions r where r.entry_id = ${kind}.id and ${MOVED} limit 1`;
  stayed
    .whereRaw(`coalesce((${isMoved}), true)`, { kind, at: filter.at })
    .select("id", "name")
    .orderByRaw(order.sql, order.bindings)
    .limit(end);
  if (after) for (const part of [stayed, restored]) part.whereRaw(after.sql, after.bindings);
  const found = db.raw("((?) union all (?)) as found", [stayed, restored.select("id", "name")]);
  return withMoved(db, kind, filter.at).from(found as unknown as string);
}

/** How many records a list held at a time, up to the limit of lists. */
export async function countAt(db: Db, kind: CatalogueKind, filter: PastFilter): Promise<CappedCount> {
  const { stayed, restored } = partsAt(db, kind, filter);
  const moved = stayed.clone().whereRaw("id in (select id from moved where is_here)");
  stayed
    .select(db.raw("1"))
    .limit(db.raw(`(select ${LIST_CAP + 1} + count(*) from moved)`) as unknown as number);
  const [row] = await withMoved(db, kind, filter.at).select(
    db.raw("(select count(*) from (?) as now) - (?) + (?) as count", [
      stayed,
      moved.count(),
      restored.count(),
    ]),
  );
  const { count }: { count: number } = row;
  return capped(count, LIST_CAP);
}

/** The records of a list that were there, by what they are now, and those of `records_moved_since`, by what they were. */
function partsAt(db: Db, kind: CatalogueKind, { at, category, initial }: PastFilter) {
  const letter = initial === undefined ? undefined : { initial, language: undefined };
  const stayed: Knex.QueryBuilder = matching(db, kind, { category, letter }).whereRaw(
    `created_at <= :at and (revision <= ${ALL_KEPT} or exists (
       select from catalogue_revisions r where r.kind = :kind and r.entry_id = ${kind}.id and r.changed_at <= :at))`,
    { at, kind },
  );
  const restored: Knex.QueryBuilder = db.from("moved").where("was_there", true);
  if (category !== undefined) restored.where({ category });
  if (initial !== undefined) restored.whereRaw(`${initialSql(undefined).sql} = ?`, [initial]);
  return { stayed, restored };
}

function withMoved(db: Db, kind: CatalogueKind, at: string): Knex.QueryBuilder {
  const moved = `select id collate "C" as id, name, category, is_here, was_there from records_moved_since(?, ?)`;
  return db.withMaterialized("moved", db.raw(moved, [kind, at]));
}

export type ChangeCounts = Record<"added" | "changed" | "removed", number>;

interface PastChanges extends Omit<ChangeCounts, "changed"> {
  readonly total: number;
  /** There may be more: only so many records were compared. */
  readonly isCut: boolean;
  /** A page of them, by category and name; undefined before a record was added, and after it was removed. */
  readonly changes: readonly Record<"before" | "after", Entry | undefined>[];
}

/** Records of a kind that are compared: a quarter of a second of CPU if all of them changed. */
export const COMPARED_AT_MOST = 3_000;

/** How the records of a kind differ between two times. */
export async function compareTimes(
  db: Db,
  kind: CatalogueKind,
  { from, to }: { readonly from: Date; readonly to: Date },
  range: { readonly limit: number; readonly offset: number },
): Promise<PastChanges> {
  type Row = { before: PastRecord | null; after: PastRecord | null };
  const { rows, ...counted } = await selectRow<Omit<PastChanges, "changes"> & { rows: Row[] }>(
    db,
    `with compared as materialized (
       select id, before, after, coalesce(after, before) as record
         from records_between(:kind, :from, :to, ${COMPARED_AT_MOST + 1})
        where before is distinct from 'null' and after is distinct from 'null'),
     changed as (
       select * from compared
        where before - '{revision,updated_at}'::text[] is distinct from after - '{revision,updated_at}'::text[]),
     page as (
       select before, after, row_number() over (order by record ->> 'category' collate name_order nulls last,
                                                ${nameOrderSql("(record ->> 'name')")}, id collate "C") as place
         from changed order by place limit :limit
        offset least(:offset, (select greatest(count(*) - 1, 0) / :limit * :limit from changed)))
     select count(*)::int as total, (count(*) filter (where before is null))::int as added,
            (count(*) filter (where after is null))::int as removed,
            (select count(*) > ${COMPARED_AT_MOST} from compared) as "isCut",
            (select coalesce(jsonb_agg(page order by place), '[]') from page) as rows
       from changed`,
    { kind, from: pastText(from), to: pastText(to), ...range },
  );
  const read = (record: PastRecord | null) => (record ? toEntry(record) : undefined);
  return {
    ...counted,
    changes: rows.map(({ before, after }) => ({ before: read(before), after: read(after) })),
  };
}

/** How many records were added, changed and removed on each day of UTC; one may be among all three. */
export async function countChangesByDay(
  db: Db,
  kind: CatalogueKind,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<(ChangeCounts & { day: string })[]> {
  return selectRows(
    db,
    `select (at at time zone 'UTC')::date::text as day, (count(distinct id) filter (where what = 'added'))::int as added,
            (count(distinct id) filter (where what = 'changed'))::int as changed,
            (count(distinct id) filter (where what = 'removed'))::int as removed
       from (select id, created_at as at, 'added' as what from ${kind} where updated_at >= :from
             union all select entry_id, changed_at, 'changed' from catalogue_revisions
                        where kind = :kind and changed_at >= :from
             union all select id, removed_at, 'removed' from catalogue_tombstones
                        where kind = :kind and removed_at >= :from and record is not null and not hidden) change
      where at >= :from and at < :to group by 1`,
    { kind, from, to },
  );
}
