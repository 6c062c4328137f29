import { isDeepStrictEqual } from "node:util";
import { type Actor, recordAction } from "../../db/audit-queries.ts";
import type { Db } from "../../db/connect.ts";
import { selectRows } from "../../db/rows.ts";
import type { Direction } from "../../records/relations/kinds.ts";
import { entryAt, tintBindings } from "../../records/relations/queries.ts";
import type { LiveSearch } from "../../search/live-search.ts";
import {
  type CatalogueKind,
  type EntityKind,
  has,
  isCatalogueKind,
  singularOf,
} from "../../words/kinds/kinds.ts";
import { definitionOf } from "../import/kinds.ts";
import type { EditKind } from "./context.ts";

/** An entry as a form offers it. */
export interface Choice {
  readonly id: string;
  readonly name: string;
}

const CHOICES = 8;
/** Records that are looked into for what attributes there are, and how many of these a form offers. */
const SAMPLE = 500;
const KEYS_AT_MOST = 60;

/**
 * The entry that somebody means by an id or a name: one if that is clear, else those that it may be.
 * @param except the id of an entry that only its id means, such as the one that is edited
 */
export async function findMeant(
  { db, search }: { db: Db; search: LiveSearch },
  kind: CatalogueKind,
  text: string,
  except = "",
): Promise<Choice[]> {
  const exact: Choice[] = await db(kind).where({ id: text }).select("id", "name");
  if (exact.length > 0) return exact;
  const named: Choice[] = await db(kind)
    .whereRaw("lower(name) = lower(?)", [text])
    .whereNot({ id: except })
    .select("id", "name")
    .limit(CHOICES);
  if (named.length > 0) return named;
  const ids = has(kind, "isSearched") ? await search.ids(kind, text, CHOICES) : [];
  return db(kind).whereIn("id", ids).whereNot({ id: except }).select("id", "name");
}

/** The values that records of a kind have in a column. */
export async function listUsedValues(db: Db, kind: EditKind, column: string): Promise<string[]> {
  const { table } = definitionOf(kind);
  return db(table).distinct(column).whereNotNull(column).orderBy(column).limit(KEYS_AT_MOST).pluck(column);
}

/** An attribute that records have; `isFlag` if each of them says yes or no there. */
export interface UsedAttribute {
  readonly key: string;
  readonly isFlag: boolean;
}

/** The attributes that records of a kind have, the frequent ones first. */
export function listUsedAttributes(db: Db, kind: EditKind): Promise<UsedAttribute[]> {
  return selectRows(
    db,
    `select key, bool_and(jsonb_typeof(value) = 'boolean') as "isFlag"
       from (select attributes from ${definitionOf(kind).table} limit ${SAMPLE}) sample cross join jsonb_each(attributes)
      group by key order by count(*) desc, key limit ${KEYS_AT_MOST}`,
  );
}

/** A relation that was imported or written, not one that an attribute makes. */
export interface OwnRelation {
  readonly id: string;
  readonly relation: string;
  readonly direction: Direction;
  readonly kind: EntityKind;
  /** The id of the record at the other end. */
  readonly otherId: string;
  readonly name: string | null;
  readonly count: string | null;
  readonly chance: string | null;
}

const RELATIONS_AT_MOST = 300;

/** The relations of an entry that the form can remove. */
export async function listOwnRelations(db: Db, kind: CatalogueKind, id: string): Promise<OwnRelation[]> {
  const end = (here: Direction, there: Direction) => `
    select r.id, r.kind as relation, '${here}' as direction, r.${there}_kind as kind, r.${there}_id as "otherId", e.name,
           trim_scale(r.count)::text as count, trim_scale(r.chance)::text as chance, r.position
      from relations r left join lateral ${entryAt(there)} e on true
     where r.${here}_kind = :word and r.${here}_id = :id`;
  return selectRows(
    db,
    `select * from (${end("from", "to")} union all ${end("to", "from")}) own
      order by direction, relation, position, "otherId" limit ${RELATIONS_AT_MOST}`,
    { word: singularOf(kind), id, ...tintBindings(undefined) },
  );
}

/** A record that can be restored. */
export interface RemovedRecord {
  readonly kind: EditKind;
  readonly id: string;
  readonly name: string;
  readonly hidden: boolean;
  readonly removed_at: Date;
}

const REMOVED_AT_MOST = 100;

/** The records that are hidden, then those that were removed last. */
export async function listRemoved(db: Db, kinds: readonly EditKind[]): Promise<RemovedRecord[]> {
  return db("catalogue_tombstones")
    .whereIn("kind", kinds)
    .whereNotNull("record")
    .orderBy([{ column: "hidden", order: "desc" }, { column: "removed_at", order: "desc" }, "id"])
    .limit(REMOVED_AT_MOST)
    .select("kind", "id", "hidden", "removed_at", db.raw("record ->> 'name' as name"));
}

/** The fields of a record that imports leave alone. */
export async function findLocked(db: Db, kind: EditKind, id: string): Promise<string[]> {
  if (!isCatalogueKind(kind)) return [];
  const found: { locked: string[] } | undefined = await db(kind).where({ id }).first("locked");
  return found?.locked ?? [];
}

/** Locks and unlocks fields of a record in the transaction of its write; resolves to whether that changed any. */
export async function writeLocked(
  transaction: Db,
  by: Actor,
  { kind, id }: { readonly kind: CatalogueKind; readonly id: string },
  change: (locked: readonly string[]) => readonly string[] | undefined,
): Promise<boolean> {
  const before = await findLocked(transaction, kind, id);
  const locked = change(before);
  if (!locked || isDeepStrictEqual(locked, before)) return false;
  // A later time than that of an import makes its undo leave the record alone.
  await transaction.raw(
    `update ?? set locked = ?::text[], locked_at = greatest(clock_timestamp(), updated_at + interval '1 microsecond')
      where id = ?`,
    [kind, [...locked], id],
  );
  const states = { before: { locked: before }, after: { locked } };
  await recordAction(transaction, by, { action: "record.changed", subject: `${kind}/${id}`, ...states });
  return true;
}

/** The last state of a record that was removed or hidden. */
export async function findRemovedRecord(db: Db, kind: EditKind, id: string) {
  const found: { record: Record<string, unknown>; isHidden: boolean } | undefined = await db(
    "catalogue_tombstones",
  )
    .where({ kind, id })
    .whereNotNull("record")
    .first("record", "hidden as isHidden");
  return found;
}

/** Keeps the last state of a server or shop item that is about to be removed; triggers do so for entries. */
export async function keepRemoved(transaction: Db, kind: EditKind, id: string): Promise<void> {
  await transaction.raw(
    `insert into catalogue_tombstones (kind, id, version, record)
     select :kind, id, 0, to_jsonb(t) - 'demo' from :table: t where id = :id`,
    { kind, id, table: definitionOf(kind).table },
  );
}

/** How the server that was added last is polled, as the form of a new one has it; the first ones are of SA-MP. */
export async function findUsualPolling(db: Db): Promise<Record<string, string>> {
  const last = await db("servers").whereNotNull("adapter").orderBy("number", "desc").first();
  const { adapter, adapter_options } = last ?? { adapter: "gamedig", adapter_options: { type: "gtasam" } };
  return { adapter, "adapter_options.type": String(adapter_options.type ?? "") };
}

/** The records that were merged into an entry and have not been separated from it since, the latest first. */
export async function listMerges(
  db: Db,
  kind: CatalogueKind,
  id: string,
): Promise<{ import: number; from: string; at: Date; author: string | null; via: string }[]> {
  return db("imports as i")
    .leftJoin("imports as u", "u.undo_of", "i.id")
    .where({ "i.kind": kind, "i.merged_into": id, "i.undo_of": null, "u.id": null })
    .whereNotNull("i.via")
    .orderBy("i.id", "desc")
    .select("i.id as import", "i.merged_from as from", "i.at", "i.user_name as author", "i.via");
}

/** Lists who made the revisions of a record, and why. */
export async function listAuthors(
  db: Db,
  kind: CatalogueKind,
  id: string,
): Promise<{ revision: number; author: string | null; note: string | null }[]> {
  return db("catalogue_revisions").where({ kind, entry_id: id }).select("revision", "author", "note");
}
