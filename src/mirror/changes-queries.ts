import type { Db } from "../db/connect.ts";
import { selectRow, selectRows } from "../db/rows.ts";
import type { CatalogueKind } from "../kinds/kinds.ts";
import { type Cursor, cursorText, tagOf } from "./cursor.ts";

/** Ids in a row of `catalogue_change_lists` at most. */
const PER_ROW = 1000;
/** Bytes of the records on a page, as the database stores them; the next one goes over it. */
const PAGE_BYTES = 1_000_000;
/** An import writes for so long at most before it commits; only those who ask by time depend on it. */
const LONGEST_WRITE = "1 hour";

/** One listed change. */
export interface ListedChange {
  readonly version: number;
  readonly id: string;
  readonly at: Date;
}

/** A page of changes, without the records. */
export interface ChangesPage {
  /** Oldest first, each id once, where it changed last. */
  readonly changes: readonly ListedChange[];
  /** Where to go on. */
  readonly next: string;
  /** Whether these are all. */
  readonly complete: boolean;
}

interface PageRow {
  version: number;
  stamp: string;
  followed_from: number;
  /** The stamp of the version asked for. */
  asked_stamp: string | null;
  /** Null in the only row of a page without changes. */
  listed: number | null;
  listed_stamp: string;
  position: number;
  id: string;
  at: Date;
  /** Bytes of what may be long in the record, as it is stored; null if it is gone. */
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
 * At most `limit` changes of a kind after a cursor, in the order of commits, by one statement; fewer where their records
 * are so large that a page of them would take too long, and then never be answered. Undefined if they are not
 * known any more, or if the cursor is of another history or shape.
 */
export async function listChanges(
  db: Db,
  kind: CatalogueKind,
  { after, limit, shape }: ChangesRange,
): Promise<ChangesPage | undefined> {
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

/** Positions count from 1, so that one says how many changes before it were read. */
function placeOf({ version, position }: Cursor): { version: number; part: number; place: number } {
  if (position === undefined) return { version, part: 1_000_000_000, place: 0 };
  const part = Math.max(0, Math.ceil(position / PER_ROW) - 1);
  return { version, part, place: position - part * PER_ROW };
}

/** Whether all that came after a cursor is listed. Its version is one of this history if its tag is right. */
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
 * The version after which everything is listed that was committed since a time; undefined if that is not known any more.
 * A version has the time when it was written, not when it was committed: the transaction that wrote last before the time
 * may have committed after it, so its changes are told again. An earlier one has not: it held the lock that this one
 * waited for.
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
