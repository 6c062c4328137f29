import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import { selectRow, selectRows } from "../db/rows.ts";
import type { CatalogueKind } from "../kinds/kinds.ts";
import type { IndexedRecord } from "./index/records.ts";

/** By kind, a number that changes with every committed change of its records. */
export type CatalogueVersions = Record<CatalogueKind, number>;

/** Rows per round trip: about 2 MB. */
const BATCH = 5_000;

export async function readVersions(db: Db): Promise<CatalogueVersions> {
  const rows = await db("catalogue_versions").select<{ kind: CatalogueKind; version: number }[]>();
  return Object.fromEntries(rows.map(({ kind, version }) => [kind, version])) as CatalogueVersions;
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
       select id, name, names, category, image, popularity from ??
        order by popularity desc nulls last, char_length(name), name collate "C", id`,
    [kind],
  );
  for (;;) {
    const rows = await selectRows<IndexedRecord>(transaction, `fetch ${BATCH} from ranked`);
    if (rows.length > 0) yield rows;
    if (rows.length < BATCH) return;
  }
}
