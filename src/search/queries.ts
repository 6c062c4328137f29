import { hash } from "node:crypto";
import type { Knex } from "knex";
import type { Versions } from "../db/change-feed.ts";
import type { Db } from "../db/connect.ts";
import { selectRow, selectRows } from "../db/rows.ts";
import { LANGUAGES } from "../words/i18n/languages.ts";
import { translate } from "../words/i18n/translate.ts";
import { hiddenSections } from "../words/kinds/hidden-sections.ts";
import { type CatalogueKind, catalogueKinds, singularOf } from "../words/kinds/kinds.ts";
import type { IndexedKind } from "../words/kinds/searchable-kinds.ts";
import { paths } from "../words/urls.ts";
import type { RecordToIndex } from "./index/records.ts";

/** Attributes are judged by so many records. */
const SAMPLE = 20_000;
/** Texts that a list offers as filters, as facets.ts decides for the pages: few, shared and short. */
const VALUES = { atMost: 30, longest: 60, keys: 20 } as const;

/** Rows per round trip: about 2 MB. */
const BATCH = 5_000;

/**
 * A number that changes with every committed change of what is indexed of a kind. An item of the shop is also found by
 * the names of its entry in the catalogue, so its version counts changes of the kinds that have one.
 */
export function indexVersion(kind: IndexedKind, { kinds, servers, shop, sold }: Versions): number {
  if (kind === "pages") return numberOf(hiddenSections().join(" "));
  if (kind === "servers") return numberOf(servers);
  if (kind !== "shop") return kinds[kind] ?? 0;
  const versions = catalogueKinds().map((each) => sold.includes(singularOf(each)) && kinds[each]);
  return numberOf([shop, ...versions].join(" "));
}

/** A number of 48 bits, which is another one for another text. */
function numberOf(text: string): number {
  return Number.parseInt(hash("sha256", text).slice(0, 12), 16);
}

/** The attributes whose texts many records share, such as a quality, commonest first. */
export async function readValueKeys(db: Db, kind: CatalogueKind): Promise<string[]> {
  const rows = await selectRows<{ key: string }>(
    db,
    `with sample as materialized (select attributes from ?? limit ${SAMPLE}),
     counted as (
       select key, value #>> '{}' as text, count(*) as records
         from sample, jsonb_each(attributes)
        where jsonb_typeof(value) = 'string' and value <> '""'
        group by key, value)
     select key from counted
      group by key
     having count(*) <= ${VALUES.atMost} and sum(records) > count(*) and max(char_length(text)) <= ${VALUES.longest}
      order by sum(records) desc, key limit ${VALUES.keys}`,
    [kind],
  );
  return rows.map(({ key }) => key);
}

/** Adds what records of their kind are called to the values of records. */
export function addKindWords(records: readonly RecordToIndex[], words: readonly string[]): RecordToIndex[] {
  return records.map((record) => ({ ...record, values: [...(record.values ?? []), ...words] }));
}

/** The attribute `aliases`: a list of texts, or a text that lists them. */
const ALIASES = `
  case jsonb_typeof(attributes -> 'aliases')
    when 'array' then array(select jsonb_array_elements_text(attributes -> 'aliases'))
    when 'string' then regexp_split_to_array(attributes ->> 'aliases', '\\s*[,;\\n]\\s*')
  end`;

/** The picture in the site's store, else the address that a source gives. */
const SHOWN_IMAGE = `
  case when picture is null then image
       else replace('${paths.picture("*", "128.webp")}', '*', split_part(picture, '_', 1)) end`;

/** The columns of a `RecordToIndex`, with the texts of these attributes, and their bindings. */
function columnsWith(keys: readonly string[]): { sql: string; bindings: readonly string[] } {
  const values = ["category", ...keys.map(() => "attributes ->> ?")].join(", ");
  return {
    sql: `id, name, names, category, ${SHOWN_IMAGE} as image, popularity, ${ALIASES} as aliases,
          array_remove(array[${values}], null) as values`,
    bindings: keys,
  };
}

/** What has changed in a kind between two versions. */
export interface CatalogueChanges {
  /** The later version. */
  readonly version: number;
  /** The records that are new or may differ, as they are at that version. */
  readonly changed: readonly RecordToIndex[];
  /** The ids of those that are gone. */
  readonly removed: readonly string[];
}

/** Which changes to read. */
interface ChangesRange {
  /** The version after which they begin. */
  readonly since: number;
  /** How many records may have changed. */
  readonly most: number;
  /** The attributes whose texts are read, see `readValueKeys`. */
  readonly keys: readonly string[];
}

/**
 * The changes of a kind since a version, from one snapshot. Undefined if they are no longer known, as after a huge
 * import, or if more than `most` records changed.
 */
export async function readChanges(
  db: Db,
  kind: CatalogueKind,
  { since, most, keys }: ChangesRange,
): Promise<CatalogueChanges | undefined> {
  return db.transaction(
    async (transaction) => {
      const { version, listed_from } = await selectRow<{ version: number; listed_from: number }>(
        transaction,
        "select version, listed_from from catalogue_versions where kind = ?",
        [kind],
      );
      if (since < listed_from || since > version) return undefined;
      const touched = await selectRows<{ id: string }>(
        transaction,
        "select distinct id from catalogue_changes where kind = ? and version > ? limit ?",
        [kind, since, most + 1],
      );
      if (touched.length > most) return undefined;
      const ids = touched.map(({ id }) => id);
      const columns = columnsWith(keys);
      const changed = await selectRows<RecordToIndex>(
        transaction,
        `select ${columns.sql} from ?? where id = any(?)`,
        [...columns.bindings, kind, ids],
      );
      const there = new Set(changed.map(({ id }) => id));
      return {
        version,
        changed: addKindWords(changed, kindWords(kind)),
        removed: ids.filter((id) => !there.has(id)),
      };
    },
    { isolationLevel: "repeatable read", readOnly: true },
  );
}

/** Whether a kind has more than `count` records, without counting further. */
export async function hasMoreThan(db: Db, kind: CatalogueKind, count: number): Promise<boolean> {
  const row = await selectRow<{ more: boolean }>(db, "select exists (select from ?? offset ?) as more", [
    kind,
    count,
  ]);
  return row.more;
}

/**
 * All records of a kind in batches: by popularity if known, then name and id by code point.
 * Reads the texts of the attributes `keys`. Needs a transaction, for its cursor.
 */
export async function* readInRankOrder(
  transaction: Knex.Transaction,
  kind: CatalogueKind,
  keys: readonly string[],
): AsyncGenerator<RecordToIndex[]> {
  const columns = columnsWith(keys);
  await transaction.raw(
    `declare ranked no scroll cursor for
       select ${columns.sql} from ??
        order by popularity desc nulls last, name collate "C", id`,
    [...columns.bindings, kind],
  );
  for (;;) {
    const rows = await selectRows<RecordToIndex>(transaction, `fetch ${BATCH} from ranked`);
    if (rows.length > 0) yield rows;
    if (rows.length < BATCH) return;
  }
}

/** What an item of the shop can be found by. */
export interface ShopNames {
  key: string;
  name: string;
  names: Record<string, string>;
  category: string | null;
  /** An https address or a path of this site. */
  image: string | null;
  /** The entry of the catalogue that the item is or unlocks. */
  entry: EntryNames | undefined;
}

type EntryNames = Pick<ShopNames, "name" | "names">;

/** The names of some items, or of all. */
export async function listShopNames(db: Db, keys?: readonly string[]): Promise<ShopNames[]> {
  const rows: Row[] = await db<Row>("donate_items")
    .select("id as key", "name", "names", "category", "entity_kind", "entity_id")
    .select(db.raw(`${SHOWN_IMAGE} as image`))
    .where((where) => void (keys && where.whereRaw("id = any(:keys)", { keys })));
  const entries = await findEntryNames(db, rows);
  return rows.map(({ entity_kind: kind, entity_id: id, ...names }) => {
    return { ...names, entry: entries.get(entryKey(kind, id)) };
  });
}

interface Row extends Omit<ShopNames, "entry"> {
  entity_kind: string | null;
  entity_id: string | null;
}

/** One query for each kind in use: a union of them would scan whole tables. */
async function findEntryNames(db: Db, rows: Row[]): Promise<Map<string, EntryNames>> {
  const found = await Promise.all(
    catalogueKinds().map(async (kind): Promise<[string, EntryNames][]> => {
      const word = singularOf(kind);
      const ids = rows.filter((row) => row.entity_kind === word).map((row) => row.entity_id);
      if (ids.length === 0) return [];
      const entries = db<EntryNames & { id: string }>(kind).select("id", "name", "names");
      const known = await entries.whereRaw("id = any(:ids)", { ids });
      return known.map(({ id, name, names }) => [entryKey(word, id), { name, names }]);
    }),
  );
  return new Map(found.flat());
}

function entryKey(kind: string | null, id: string | null): string {
  return `${kind} ${id}`;
}

/** What a record of a kind is called, in all languages of the site: people type it beside the name. */
export function kindWords(kind: IndexedKind): string[] {
  const words = LANGUAGES.flatMap((language) => {
    const t = translate(language);
    return [t(`kinds.${kind}.one`), t(`kinds.${kind}.many`)];
  });
  return [...new Set(words)];
}
