import type { Knex } from "knex";
import { definitionOf, type ImportKind } from "./kinds.ts";
import { beginImport, endImport, lockKind } from "./storage/queries.ts";

/**
 * Removes records as an import that prunes does: they leave tombstones, and favorites and discounts go with them. Ids
 * without a record are left out.
 */
export async function removeRecords(
  transaction: Knex.Transaction,
  kind: ImportKind,
  ids: readonly string[],
): Promise<void> {
  await lockKind(transaction, kind);
  const id = await beginImport(transaction, kind);
  const removed = await transaction(definitionOf(kind).table)
    .whereRaw("id = any(?::text[])", [[...ids]])
    .delete();
  await endImport(transaction, id, { isChange: removed > 0 });
}
