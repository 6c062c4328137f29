import type { Knex } from "knex";
import type { Db } from "../../db/connect.ts";
import { selectRow, selectRows } from "../../db/rows.ts";
import type { CatalogueKind } from "../../words/kinds/kinds.ts";
import { type Cursor, cursorText, tagOf } from "./cursor.ts";

/** What is kept of each kind: the last days, and of them the last ids and versions. */
interface KeptChanges {
  readonly days: number;
  /** Past so many, a mirror had better start again from the dump. */
  readonly ids: number;
  /** Fewer than the stamps that are kept, see migrations/20261123113000_stamp_catalogue_versions.ts. */
  readonly versions: number;
}

const KEPT: KeptChanges = { days: 30, ids: 2_000_000, versions: 19_000 };

/** The maximum number of ids in a row of `catalogue_change_lists`. */
const PER_ROW = 1000;
/** The maximum size of a page's records, in bytes as the database stores them. */
const PAGE_BYTES = 1_000_000;
/** How long an import may write before it commits; only requests by time depend on it. */
const LONGEST_WRITE = "1 hour";

/** One listed change. */
interface ListedChange {
  readonly version: number;
  readonly id: string;
  readonly at: Date;
}

interface PageRow {
  version: number;
  stamp: string;
  followed_from: number;
  /** The stamp of the requested version. */
  asked_stamp: string | null;
  /** Null in the only row of a page without changes. */
  listed: number | null;
  listed_stamp: string;
  position: number;
  id: string;
  at: Date;
  /** The stored size of the record's long fields, in bytes; null if it is gone. */
  size: number | null;
}

/** Which changes to list. */
interface ChangesRange {
  readonly after: Cursor;
  readonly limit: number;
  /** See `shapeOf`. */
  readonly shape: string;
}

/**
 * Lists at most `limit` changes of a kind after a cursor, in the order of commits, with one statement, and each id once,
 * at its last change. It lists fewer if their records are large, as such a page would time out. `next` is the cursor of
 * the next page. Undefined if the changes are no longer kept, or if the cursor is from another history or shape.
 */
export async function listChanges(db: Db, kind: CatalogueKind, { after, limit, shape }: ChangesRange) {
  const rows = await selectRows<PageRow>(db, PAGE, { kind, limit: limit + 1, ...placeOf(after) });
  const [state] = rows;
  if (state === undefined || !isFollowed(after, state, shape)) return undefined;
  const listed = rows.filter((row) => row.listed !== null) as (PageRow & { listed: number })[];
  const page = listed.slice(0, Math.min(limit, fitting(listed)));
  const last = page.at(-1);
  const complete = page.length === listed.length;
  const next =
    complete || last === undefined
      ? cursorText(state.version, tagOf(state.stamp, shape))
      : cursorText(last.listed, tagOf(last.listed_stamp, shape), last.position);
  return { changes: lastOfEach(page), next, complete };
}

/** The cursor after all changes of a kind that are committed now. */
export async function findEnd(db: Db, kind: CatalogueKind, shape: string): Promise<string> {
  const { version, stamp } = await selectRow<Pick<PageRow, "version" | "stamp">>(
    db,
    "select version, stamp from catalogue_versions where kind = ?",
    [kind],
  );
  return cursorText(version, tagOf(stamp, shape));
}

/** How many changes fit on a page; at least one does. */
function fitting(listed: readonly PageRow[]): number {
  let bytes = 0;
  const over = listed.findIndex(({ size }, place) => {
    bytes += size ?? 0;
    return place > 0 && bytes > PAGE_BYTES;
  });
  return over < 0 ? listed.length : over;
}

const PAGE = `
  select v.version, v.stamp, v.followed_from, asked.stamp as asked_stamp,
         page.listed, page.position, page.id, page.at, listed.stamp as listed_stamp,
         (select coalesce(pg_column_size(r.description), 0) + pg_column_size(r.descriptions)
                 + pg_column_size(r.attributes) + pg_column_size(r.names)
            from :kind: r where r.id = page.id) as size
    from catalogue_versions v
    left join catalogue_stamps asked on asked.kind = v.kind and asked.version = :version
    left join lateral (
      select l.version as listed, l.part * ${PER_ROW} + u.place as position, u.id, l.at
        from catalogue_change_lists l cross join lateral unnest(l.ids) with ordinality as u (id, place)
       where l.kind = v.kind and (l.version, l.part) >= (:version, :part)
         and (l.version, l.part, u.place) > (:version, :part, :place)
       order by l.version, l.part, u.place
       limit :limit) page on true
    left join catalogue_stamps listed on listed.kind = v.kind and listed.version = page.listed
   where v.kind = :kind
   order by page.listed, page.position`;

/** Positions count from 1, so a position is the number of changes read so far. */
function placeOf({ version, position }: Cursor): { version: number; part: number; place: number } {
  if (position === undefined) return { version, part: 1_000_000_000, place: 0 };
  const part = Math.max(0, Math.ceil(position / PER_ROW) - 1);
  return { version, part, place: position - part * PER_ROW };
}

/** True if all changes after a cursor are still listed. The tag shows whether its version is from this history. */
function isFollowed(
  { version, tag }: Cursor,
  state: Pick<PageRow, "version" | "followed_from" | "asked_stamp">,
  shape: string,
): boolean {
  if (version < state.followed_from || version > state.version) return false;
  return tag === undefined || (state.asked_stamp !== null && tag === tagOf(state.asked_stamp, shape));
}

function lastOfEach(page: readonly (PageRow & { listed: number })[]): ListedChange[] {
  const last = new Map(page.map(({ id }, place) => [id, place]));
  return page
    .filter(({ id }, place) => last.get(id) === place)
    .map(({ listed, id, at }) => ({ version: listed, id, at }));
}

/**
 * Finds the version after which every change since a time is listed; undefined if it is no longer kept. A version has the
 * time when it was written, not when it was committed. The last transaction that wrote before the time may have committed
 * after it, so its changes are listed again. Earlier transactions committed before: they held the lock that it waited for.
 */
export async function versionSince(db: Db, kind: CatalogueKind, time: Date): Promise<number | undefined> {
  const row = await selectRow<{ is_followed: boolean; version: number }>(
    db,
    `select :time::timestamptz >= v.followed_since as is_followed,
            coalesce(case when before.at >= :time::timestamptz - interval '${LONGEST_WRITE}'
                          then (select min(version) - 1 from catalogue_change_lists l
                                 where l.kind = v.kind and l.transaction = before.transaction)
                          else before.version end, v.followed_from) as version
       from catalogue_versions v
       left join lateral (select l.version, l.at, l.transaction from catalogue_change_lists l
                           where l.kind = v.kind and l.at < :time::timestamptz
                           order by l.at desc, l.version desc limit 1) before on true
      where v.kind = :kind`,
    { kind, time: time.toISOString() },
  );
  return row.is_followed ? row.version : undefined;
}

/** The first rows of a kind after an id, by id. */
export async function listAfter(
  db: Db,
  kind: CatalogueKind,
  id: string,
  limit: number,
): Promise<{ id: string }[]> {
  return db(kind).where("id", ">", id).orderBy("id").limit(limit);
}

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
