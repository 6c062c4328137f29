import type { Knex } from "knex";
import { BUILT_IN_KINDS, type CatalogueKind } from "../../src/words/kinds/kinds.ts";
import { emptyTables } from "./database.ts";

export interface TestEntry {
  id: string;
  name?: string;
  names?: Record<string, string>;
  category?: string | null;
  description?: string | null;
  image?: string | null;
  attributes?: Record<string, unknown>;
  popularity?: number | null;
  demo?: boolean;
  revision?: number;
  created_at?: string;
  updated_at?: string;
}

/** Stores records as an import does; the name defaults to the id. */
export async function insertRecords(db: Knex, kind: CatalogueKind, entries: TestEntry[]): Promise<void> {
  const rows = entries.map(({ names = {}, attributes = {}, ...entry }) => {
    const texts = { names: JSON.stringify(names), attributes: JSON.stringify(attributes) };
    return { ...entry, ...texts, name: entry.name ?? entry.id };
  });
  await db.batchInsert(kind, rows, 500);
}

/** Empties the tables of all kinds. */
export async function emptyCatalogue(db: Knex): Promise<void> {
  await emptyTables(db, BUILT_IN_KINDS.join(", "));
}
