import type { Db } from "../db/connect.ts";
import type { CompareKind } from "../kinds/kinds.ts";
import type { Entry } from "./entry-queries.ts";
import { matching } from "./list-queries.ts";

/** What a comparison shows of an entry. */
export type ComparedEntry = Pick<
  Entry,
  "id" | "name" | "names" | "category" | "popularity" | "attributes" | "demo"
>;

/** The entries with these ids, in the order of the ids; without those that there are none of. */
export async function findCompared(db: Db, kind: CompareKind, ids: string[]): Promise<ComparedEntry[]> {
  const entries: ComparedEntry[] = await matching(db, kind, { ids }).select(
    "id",
    "name",
    "names",
    "category",
    "popularity",
    "attributes",
    "demo",
  );
  return entries.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
}
