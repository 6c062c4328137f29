import type { Db } from "../../db/connect.ts";
import { selectRow, selectRows } from "../../db/rows.ts";
import type { Position } from "../../records/position.ts";
import type { CatalogueKind, MapKind } from "../../words/kinds/kinds.ts";

/** One record of the catalogue, as its page shows it. */
export interface Entry {
  id: string;
  name: string;
  /** Locale to name. */
  names: Record<string, string>;
  category: string | null;
  description: string | null;
  /** Locale to description. */
  descriptions: Record<string, string>;
  /** An https address or a path of this site. */
  image: string | null;
  /** In the site's store, see records/stored-picture.ts. */
  picture: string | null;
  attributes: Record<string, unknown>;
  popularity: number | null;
  demo: boolean;
  revision: number;
  created_at: Date;
  updated_at: Date;
}

/** The columns that a list shows, without the large ones. */
export const LISTED_COLUMNS = [
  "id",
  "name",
  "names",
  "category",
  "popularity",
  "picture",
  "image",
  "demo",
  "updated_at",
] as const;

export type EntrySummary = Pick<Entry, (typeof LISTED_COLUMNS)[number]>;

/** A revision as stored: what it replaced; of `names`, `descriptions` and `attributes` only the keys that changed. */
export interface KeptRevision {
  revision: number;
  changed_at: Date;
  before: Partial<Record<keyof Entry, unknown>>;
}

/** One whole record, or undefined. */
export async function findEntry(db: Db, kind: CatalogueKind, id: string): Promise<Entry | undefined> {
  return db<Entry>(kind).where({ id }).first();
}

/**
 * SQL: no row of a kind, of its type. Not `null::name`: that is a type of Postgres, which a kind may be called like, and
 * for `null::constructor` Knex looks for a binding.
 */
export function noRow(kind: CatalogueKind): string {
  return `(select empty from ${kind} as empty where false)`;
}

/** A record that was removed, in its last state. */
export interface RemovedEntry extends Entry {
  removed_at: Date;
  /** The fields that imports left alone; null: there was no locking yet. */
  locked: string[] | null;
  /** The record that it was merged into, by this import. */
  merged_into: string | null;
  import_id: number | null;
}

/** The last state of a record that was removed; undefined for one that is there, is hidden, or never was. */
export async function findRemovedEntry(
  db: Db,
  kind: CatalogueKind,
  id: string,
  { evenHidden = false } = {},
): Promise<RemovedEntry | undefined> {
  const [removed] = await selectRows<RemovedEntry>(
    db,
    `select t.removed_at, t.merged_into, t.import_id, record.*
       from catalogue_tombstones as t cross join lateral jsonb_populate_record(${noRow(kind)}, t.record) as record
      where t.kind = ? and t.id = ? and t.record is not null and (not t.hidden or ?)`,
    [kind, id, evenHidden],
  );
  return removed;
}

/** The record that a removed one was merged into, in the end; null: it was not. It may be gone itself. */
export async function findSuccessor(db: Db, kind: CatalogueKind, id: string): Promise<string | null> {
  const { into } = await selectRow<{ into: string | null }>(db, "select successor_of(?, ?) as into", [
    kind,
    id,
  ]);
  return into;
}

/** The records with these ids, in the order of the ids; ids without a record are left out. */
export async function listByIds(db: Db, kind: CatalogueKind, ids: string[]): Promise<EntrySummary[]> {
  return db(kind)
    .select(LISTED_COLUMNS)
    .whereRaw("id = any(?::text[])", [ids])
    .orderByRaw("array_position(?::text[], id)", [ids]);
}

/** The records whose ids come after one, by code point. */
export async function listAfterId(
  db: Db,
  kind: CatalogueKind,
  id: string,
  limit: number,
): Promise<EntrySummary[]> {
  return db(kind).select(LISTED_COLUMNS).where("id", ">", id).orderBy("id").limit(limit);
}

/** An entry with the revision that made it what it is; null for one that is as it was added. */
export type ChangedEntry = Entry & { last: KeptRevision | null };

/** The entries of a kind that were added or changed last, the newest first. */
export async function listLastChanged(db: Db, kind: CatalogueKind, limit: number): Promise<ChangedEntry[]> {
  return db<Entry>(`${kind} as entry`)
    .select("entry.*")
    .select(
      db.raw(
        `(select json_build_object('revision', kept.revision, 'changed_at', kept.changed_at, 'before', kept.before)
            from catalogue_revisions kept
           where kept.kind = ? and kept.entry_id = entry.id and kept.revision = entry.revision) as last`,
        [kind],
      ),
    )
    .orderByRaw("entry.updated_at desc, entry.id")
    .limit(limit);
}

/** The entries nearest to a place, without the one that is there itself. */
export async function listNearest(
  db: Db,
  kind: MapKind,
  { id, place: { x, y } }: { id: string; place: Position },
  limit: number,
): Promise<(EntrySummary & Pick<Entry, "attributes">)[]> {
  return db(kind)
    .select([...LISTED_COLUMNS, "attributes"])
    .whereRaw("place_among(attributes) is not null")
    .whereNot({ id })
    .orderByRaw("place_among(attributes) <-> point(?::float8, ?::float8)", [x, y])
    .limit(limit);
}

/**
 * The stored revisions of a record, newest first: at most 50, and never the first, which is the record as it was added.
 * Later ones than the record as read are left out.
 */
export async function listRevisions(
  db: Db,
  kind: CatalogueKind,
  entry: Pick<Entry, "id" | "revision">,
): Promise<KeptRevision[]> {
  return db<KeptRevision & { kind: string; entry_id: string }>("catalogue_revisions")
    .select("revision", "changed_at", "before")
    .where({ kind, entry_id: entry.id })
    .where("revision", "<=", entry.revision)
    .orderBy("revision", "desc");
}
