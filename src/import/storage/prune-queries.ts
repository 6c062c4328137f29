import type { Knex } from "knex";
import { selectRow } from "../../db/rows.ts";
import { IMPORT_TABLES, type ImportKind } from "../kinds.ts";
import { STAGING } from "./staging.ts";

/** A record whose id the file has nowhere, not even in a record that is not valid. */
export const IS_GONE = `not exists (select from ${STAGING} s where s.id = t.id)`;

/** How many records there are of a kind, and how many of them the file does not have. */
export async function countGone(
  transaction: Knex.Transaction,
  kind: ImportKind,
): Promise<{ there: number; gone: number }> {
  const { table } = IMPORT_TABLES[kind];
  // Two counts, because a condition beside an aggregate is looked up row by row and not joined.
  return selectRow<{ there: number; gone: number }>(
    transaction,
    `select (select count(*) from ${table})::int as there,
            (select count(*) from ${table} t where ${IS_GONE})::int as gone`,
  );
}

/** Deletes what the file does not have; resolves to how many favorites and discounts went with it. */
export async function removeGone(
  transaction: Knex.Transaction,
  kind: ImportKind,
): Promise<{ favorites: number; discounts: number }> {
  const { table, dependents } = IMPORT_TABLES[kind];
  const counts = { favorites: 0, discounts: 0 };
  for (const { what, table: dependent, column } of dependents) {
    const row = await selectRow<{ count: number }>(
      transaction,
      `select count(*)::int as count from ${dependent} d join ${table} t on t.id = d.${column} where ${IS_GONE}`,
    );
    counts[what] = row.count;
  }
  await transaction.raw(`delete from ${table} t where ${IS_GONE}`);
  return counts;
}
