import type { Db } from "../db/connect.ts";

/** An item as the feed of newest items shows it. */
export interface FeedItem {
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

/** The items added or updated last, newest first; of several at the same moment the smaller id first. */
export async function listNewestItems(db: Db, limit: number): Promise<FeedItem[]> {
  return db("items").select(COLUMNS).orderBy("updated_at", "desc").orderBy("id").limit(limit);
}
