import type { Db } from "../db/connect.ts";
import type { CatalogueKind } from "../kinds/kinds.ts";
import type { Entry } from "./entry-queries.ts";
import type { KeptRevision } from "./revisions.ts";

/**
 * What is kept of a record's history, the newest revision first: its 50 newest, the first one never (it is the record as
 * it came). No newer than the record as it was read, though an import may have changed it since.
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
