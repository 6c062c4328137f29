import type { Db } from "../../db/connect.ts";
import { definitionOf, type ImportKind } from "../import/kinds.ts";

/** A record that is there, in the fields of an import. */
export type CurrentRecord = Readonly<Record<string, unknown>> & { readonly id: string };

/** The records with these ids as an import would bring them; ids without one are left out. */
export async function findCurrent(
  db: Db,
  kind: ImportKind,
  ids: readonly string[],
): Promise<Map<string, CurrentRecord>> {
  const { table, content } = definitionOf(kind);
  const columns = Object.keys(content).filter((column) => column !== "picture");
  const rows: CurrentRecord[] = await db(table)
    .select("id", ...columns)
    .whereRaw("id = any(?::text[])", [[...ids]]);
  return new Map(rows.map((row) => [row.id, withTexts(row)]));
}

/** Times as texts. */
function withTexts(row: CurrentRecord): CurrentRecord {
  const entries = Object.entries(row).map(([column, value]) => [
    column,
    value instanceof Date ? value.toISOString() : value,
  ]);
  return Object.fromEntries(entries);
}
