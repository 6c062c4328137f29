import type { Db } from "../db/connect.ts";
import type { FeedKind } from "../kinds/kinds.ts";

/** A record as the feed of its kind shows it. */
export interface FeedEntry {
  id: string;
  name: string;
  /** Names by language. */
  names: Record<string, string>;
  category: string | null;
  description: string | null;
  revision: number;
  updated_at: Date;
}

const COLUMNS = ["id", "name", "names", "category", "description", "revision", "updated_at"] as const;

/** The records added or updated last, newest first; of several at the same moment the smaller id first. */
export async function listNewestChanges(db: Db, kind: FeedKind, limit: number): Promise<FeedEntry[]> {
  return db(kind).select(COLUMNS).orderBy("updated_at", "desc").orderBy("id").limit(limit);
}
