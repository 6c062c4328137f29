import type { Knex } from "knex";
import { selectRow } from "../../../db/rows.ts";
import { definitionOf, type ImportKind } from "../kinds.ts";
import { STAGING } from "./staging.ts";

/** SQL: true for records whose id is nowhere in the file, not even in an invalid record. */
export const IS_GONE = `not exists (select from ${STAGING} s where s.id = t.id)`;

/** How many records there are of a kind, and how many of them are not in the file. */
export async function countGone(
  transaction: Knex.Transaction,
  kind: ImportKind,
): Promise<{ there: number; gone: number }> {
  const { table } = definitionOf(kind);
  // Two counts: within one, Postgres would check the condition row by row instead of joining.
  return selectRow<{ there: number; gone: number }>(
    transaction,
    `select (select count(*) from ${table})::int as there,
            (select count(*) from ${table} t where ${IS_GONE})::int as gone`,
  );
}

/** Deletes records that are not in the file; resolves to how many favorites and discounts went with them. */
export async function removeGone(
  transaction: Knex.Transaction,
  kind: ImportKind,
): Promise<{ favorites: number; discounts: number }> {
  const { table, dependents = [] } = definitionOf(kind);
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
