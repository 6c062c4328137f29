import type { Db } from "../../db/connect.ts";
import { selectRows } from "../../db/rows.ts";
import type { ReadKind } from "./kinds.ts";

/** A record that was there once. */
export interface Removed {
  id: string;
  removed_at: Date;
  /** An operator hides it: no import brings it back. */
  hidden: boolean;
  merged_into: string | null;
}

/** Which of these ids were removed, and when, in any order. */
export async function findRemoved(db: Db, kind: ReadKind, ids: string[]): Promise<Removed[]> {
  return selectRows<Removed>(
    db,
    "select id, removed_at, hidden, merged_into from catalogue_tombstones where kind = ? and id = any(?::text[])",
    [kind, ids],
  );
}
