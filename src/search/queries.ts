import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import { selectRow, selectRows } from "../db/rows.ts";
import type { CatalogueKind } from "../kinds/kinds.ts";
import type { IndexedRecord } from "./index/records.ts";

/** By kind, a number that changes with every committed change of its records. */
export type CatalogueVersions = Record<CatalogueKind, number>;

/** Those of an `IndexedRecord`. */
const COLUMNS = "id, name, names, category, image, popularity";

/** Rows per round trip: about 2 MB. */
const BATCH = 5_000;

export async function readVersions(db: Db): Promise<CatalogueVersions> {
  const rows = await db("catalogue_versions").select<{ kind: CatalogueKind; version: number }[]>();
  return Object.fromEntries(rows.map(({ kind, version }) => [kind, version])) as CatalogueVersions;
}

/** What has changed in a kind between two versions. */
export interface CatalogueChanges {
  /** The later version. */
  readonly version: number;
  /** The records that are new or may differ, as they are at that version. */
  readonly changed: readonly IndexedRecord[];
  /** The ids of those that are gone. */
  readonly removed: readonly string[];
}

/**
 * The changes of a kind since a version, from one snapshot; undefined if they are not known any more, as after a huge
 * import, or if more than `most` records were touched.
 */
export async function readChanges(
  db: Db,
  kind: CatalogueKind,
  since: number,
  most: number,
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
      const changed = await selectRows<IndexedRecord>(
        transaction,
        `select ${COLUMNS} from ?? where id = any(?)`,
        [kind, ids],
      );
      const there = new Set(changed.map(({ id }) => id));
      return { version, changed, removed: ids.filter((id) => !there.has(id)) };
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

export async function countRecords(db: Db, kind: CatalogueKind): Promise<number> {
  const { count } = await selectRow<{ count: number }>(db, "select count(*) from ??", [kind]);
  return count;
}

/**
 * All records of a kind in batches, best first: by popularity if known, then shorter name, name and id by code point.
 * Needs a transaction, for its cursor.
 */
export async function* readInRankOrder(
  transaction: Knex.Transaction,
  kind: CatalogueKind,
): AsyncGenerator<IndexedRecord[]> {
  await transaction.raw(
    `declare ranked no scroll cursor for
       select ${COLUMNS} from ??
        order by popularity desc nulls last, char_length(name), name collate "C", id`,
    [kind],
  );
  for (;;) {
    const rows = await selectRows<IndexedRecord>(transaction, `fetch ${BATCH} from ranked`);
    if (rows.length > 0) yield rows;
    if (rows.length < BATCH) return;
  }
}
