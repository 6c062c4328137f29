import type { Db } from "../../db/connect.ts";
import type { CatalogueKind } from "../../words/kinds/kinds.ts";

/** The first rows of a kind after an id, by id. */
export async function listAfter(
  db: Db,
  kind: CatalogueKind,
  id: string,
  limit: number,
): Promise<{ id: string }[]> {
  return db(kind).where("id", ">", id).orderBy("id").limit(limit);
}
