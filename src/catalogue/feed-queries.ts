import type { Db } from "../db/connect.ts";
import { selectRows } from "../db/rows.ts";
import type { CatalogueKind } from "../words/kinds/kinds.ts";
import { describeHistory, type HistoryWords } from "./entry/history.ts";
import { type ChangedEntry, type Entry, type KeptRevision, noRow } from "./entry/queries.ts";

/** In characters, of each side: longer ones are not read at a glance. */
const LONGEST = 40;
/** Changes in one line. */
const SHOWN = 2;

/** A record in the feed of its kind, or one that was removed from it, in its last state. */
export interface FeedEntry extends Entry {
  /** When it was added, updated or removed. */
  updated_at: Date;
  is_removed: boolean;
  /** The revision that made it what it is; null for one that was added or removed. */
  last: KeptRevision | null;
}

/** A part of the changes of a kind, newest first, then by id. */
export interface FeedPage {
  entries: FeedEntry[];
  /** The start of the next page, or undefined. */
  older: string | undefined;
}

/** The start of a page: microseconds since 1970 and the id of a change, as `1764096000123456-411`. */
const PLACE = /^(\d{1,17})-(.{1,200})$/s;

/** True for a text that can be the start of a page. */
export function isPagePlace(text: string): boolean {
  return PLACE.test(text);
}

/** Changes of the feed itself. */
const NEWEST = 50;
/** Entries of a page at most; see `BORDER` for how many it has as a rule. */
const LONGEST_PAGE = 500;

const MICROSECONDS = "(extract(epoch from at) * 1000000)::bigint";

/**
 * SQL: whether a page begins at a change: one of 51 does, by a digest of the change alone. A page is therefore at the
 * same address with the same changes whatever comes after it; counted pages would move with every change.
 */
const BORDER = `get_byte(sha256(convert_to(id || ' ' || ${MICROSECONDS}, 'UTF8')), 0) < 5`;

/**
 * The records last added, updated or removed. Removed ones are half of them at most: an import that prunes many would
 * leave no room for what it adds.
 */
export async function listNewestChanges(
  db: Db,
  kind: CatalogueKind,
  { category, limit = NEWEST }: { category?: string | undefined; limit?: number } = {},
): Promise<FeedPage> {
  const scan = limit + 1;
  return readPage(
    db,
    kind,
    { category, scan },
    `shown as (
       select * from ordered where not is_removed or place_of_its_sort <= ${Math.floor(limit / 2)}
        order by place limit ${limit}
     ), omitted as (
       select min(place) as place from ordered where place not in (select place from shown)
     ), older as (
       select o.id, o.at from ordered o, omitted
        where o.place = omitted.place or o.is_border and o.place < omitted.place
        order by o.is_border and o.place < omitted.place desc, o.place desc limit 1
     )`,
  );
}

/** The changes from a place on, back to the next one where a page begins. */
export async function listOlderChanges(
  db: Db,
  kind: CatalogueKind,
  from: string,
  { category }: { category?: string | undefined } = {},
): Promise<FeedPage> {
  return readPage(
    db,
    kind,
    { category, from, scan: LONGEST_PAGE + 1 },
    `older as (
       select id, at, place from ordered
        where place > 1 and (is_border or place > ${LONGEST_PAGE}) order by place limit 1
     ), shown as (
       select * from ordered where place < coalesce((select place from older), ${LONGEST_PAGE} + 1)
     )`,
  );
}

/** `parts` is SQL for the tables `shown`, with the changes of the page, and `older`, with where the next one begins. */
async function readPage(
  db: Db,
  kind: CatalogueKind,
  { category, from, scan }: { category?: string | undefined; from?: string | undefined; scan: number },
  parts: string,
): Promise<FeedPage> {
  const [, microseconds = null, id = null] = from === undefined ? [] : (PLACE.exec(from) ?? []);
  const rows = await selectRows<FeedEntry & { older: string | null }>(
    db,
    `with change as materialized (
       ${[...arms(kind, false, category, from), ...arms("catalogue_tombstones", true, category, from)].join(" union all ")}
     ), ordered as (
       select *, row_number() over (order by at desc, id) as place,
              row_number() over (partition by is_removed order by at desc, id) as place_of_its_sort,
              ${BORDER} as is_border
         from change
     ), ${parts}
     select entry.*, (select ${MICROSECONDS} || '-' || id from older) as older
       from (
         select ${columns("record")}, shown.at as updated_at, false as is_removed, shown.place,
                (select json_build_object('revision', kept.revision, 'changed_at', kept.changed_at, 'before', kept.before)
                   from catalogue_revisions kept
                  where kept.kind = :kind and kept.entry_id = record.id and kept.revision = record.revision) as last
           from shown join ${kind} as record using (id) where not shown.is_removed
         union all
         select ${columns("record")}, shown.at, true, shown.place, null
           from shown join catalogue_tombstones as t on t.kind = :kind and t.id = shown.id
          cross join lateral jsonb_populate_record(${noRow(kind)}, t.record) as record
          where shown.is_removed
       ) as entry order by entry.place`,
    { kind, scan, category: category ?? null, microseconds, id },
  );
  const entries = rows.map(({ older: _, ...entry }) => entry);
  return { entries, older: rows[0]?.older ?? undefined };
}

const COLUMNS = [
  ...(["id", "name", "names", "category", "description", "descriptions"] as const),
  ...(["picture", "image", "attributes", "popularity", "revision", "created_at"] as const),
] as const;

function columns(table: string): string {
  return [...COLUMNS.map((column) => `${table}.${column}`), `coalesce(${table}.demo, false) as demo`].join(
    ", ",
  );
}

/**
 * SQL: the changes of a table from the start of the page, as index scans. Changes at that very time get an arm of
 * their own, because an import gives all its records one time. A feed reader that continues in the middle must not
 * miss those before.
 */
function arms(
  table: string,
  isRemoved: boolean,
  category: string | undefined,
  from: string | undefined,
): string[] {
  const time = isRemoved ? "removed_at" : "updated_at";
  const begin = "timestamptz 'epoch' + cast(:microseconds as bigint) * interval '1 microsecond'";
  const ranges = from === undefined ? ["true"] : [`${time} = ${begin} and id >= :id`, `${time} < ${begin}`];
  const filters = [
    ...(isRemoved ? ["kind = :kind and record is not null and not hidden"] : []),
    ...(category === undefined ? [] : [`${isRemoved ? "record ->> 'category'" : "category"} = :category`]),
  ];
  return ranges.map(
    (range) => `(select id, ${time} as at, ${isRemoved} as is_removed from ${table}
                  where ${[...filters, range].join(" and ")} order by ${time} desc, id limit :scan)`,
  );
}

/**
 * The last change of an entry in words: `Price: 4,200 → 3,900`. Leaves out what is too long or has no words. Returns
 * undefined if nothing is left, or the entry is as it was added.
 */
export function lastChangeText(entry: ChangedEntry, words: HistoryWords): string | undefined {
  if (entry.last === null) return undefined;
  const [change] = describeHistory(entry, [entry.last], words).changes;
  const short = (change?.lines ?? []).flatMap(({ label, before, after, prose }) => {
    if (prose || before === undefined || after === undefined) return [];
    if (before.length > LONGEST || after.length > LONGEST) return [];
    return words.t("home.newest.change", { label, before, after });
  });
  const more = short.length - SHOWN;
  if (more > 0) short.splice(SHOWN, more, words.t("home.newest.more_changes", { count: more }));
  return short.length === 0 ? undefined : short.join("; ");
}
