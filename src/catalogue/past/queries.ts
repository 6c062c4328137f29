import type { Knex } from "knex";
import type { Db } from "../../db/connect.ts";
import { selectRows } from "../../db/rows.ts";
import type { CatalogueKind } from "../../words/kinds/kinds.ts";
import type { Entry } from "../entry/queries.ts";
import type { CappedCount } from "../facets.ts";
import { initialSql, matching } from "../filter-queries.ts";
import { LIST_CAP } from "../list/queries.ts";

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

/** SQL: every record of a kind and every removed one, as `record_at` takes them. */
function everyRecord(kind: CatalogueKind): string {
  return `(select id, to_jsonb(t) as record, timestamptz 'infinity' as removed_at from ${kind} t
           union all
           select id, record, removed_at from catalogue_tombstones
            where kind = '${kind}' and record is not null and not hidden)`;
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
    `select record_at(:kind, e.record, e.removed_at, :at) as record
       from ${everyRecord(kind)} e where e.id = any(:ids::text[])
      order by array_position(:ids::text[], e.id)`,
    { kind, ids: [...ids], at: pastText(at) },
  );
  return rows.flatMap(({ record }) => (record ? toEntry(record) : []));
}

/**
 * A query for `id` and `name` of at least the first `end` records of a list at a time.
 *
 * Most records were sorted as they are now, so the index of the order finds them. Those that had another name or category,
 * or are gone, are few: they are restored first, then sorted in.
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
  const moved = stayed.clone().whereRaw("id in (select id from moved)");
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
  return { count: Math.min(count, LIST_CAP), atLeast: count > LIST_CAP };
}

/** The records of a list that were there, by what they are now, and those of `withMoved`, by what they were. */
function partsAt(db: Db, kind: CatalogueKind, { at, category, initial }: PastFilter) {
  const stayed: Knex.QueryBuilder = matching(db, kind, {
    category,
    letter: initial === undefined ? undefined : { initial, language: undefined },
  }).whereRaw(`created_at <= :at and ${isKept("revision", `${kind}.id`)}`, { at, kind });
  const restored: Knex.QueryBuilder = db.from("restored");
  if (category !== undefined) restored.where({ category });
  if (initial !== undefined) restored.whereRaw(`${initialSql(undefined).sql} = ?`, [initial]);
  return { stayed, restored };
}

/**
 * A query with the tables `moved`, of records whose name or category changed or that returned since a time, and
 * `restored`, of these and the ones removed since, as they were.
 */
function withMoved(db: Db, kind: CatalogueKind, at: string): Knex.QueryBuilder {
  const moved = db.raw(
    `select r.entry_id as id, bool_or(r.absent_since <= :at) as was_absent,
            (array_agg(r.before ->> 'name' order by r.revision) filter (where r.before -> 'name' is not null))[1] as name,
            (array_agg(r.before -> 'category' order by r.revision)
               filter (where r.before -> 'category' is not null))[1] as category
       from catalogue_revisions r where ${MOVED} group by r.entry_id`,
    { kind, at },
  );
  const restored = db.raw(
    `select e.id, coalesce(m.name, e.name) as name,
            case when m.category is null then e.category else m.category #>> '{}' end as category
       from (select t.* from moved cross join lateral (
               select id, name, category, created_at, revision from ${kind} where id = moved.id limit 1) t
             union all
             select id, record ->> 'name', record ->> 'category', (record ->> 'created_at')::timestamptz,
                    (record ->> 'revision')::integer
               from catalogue_tombstones
              where kind = :kind and removed_at > :at and record is not null and not hidden) e
       left join moved m using (id)
      where e.created_at <= :at and m.was_absent is not true and ${isKept("e.revision", "e.id")}`,
    { kind, at },
  );
  return db.withMaterialized("moved", moved).withMaterialized("restored", restored);
}

/** SQL: whether the revisions of a record that a time needs are all kept. */
function isKept(revision: string, id: string): string {
  return `(${revision} <= ${ALL_KEPT} or exists (
    select from catalogue_revisions r where r.kind = :kind and r.entry_id = ${id} and r.changed_at <= :at))`;
}
