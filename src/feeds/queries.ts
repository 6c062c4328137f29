import type { Db } from "../db/connect.ts";
import type { FeedKind } from "../kinds/kinds.ts";

/** A record in the feed of its kind. */
export interface FeedEntry {
  id: string;
  name: string;
  /** Names by language. */
  names: Record<string, string>;
  category: string | null;
  description: string | null;
  /** By language. */
  descriptions: Record<string, string>;
  /** In the site's store, see records/stored-picture.ts. */
  picture: string | null;
  image: string | null;
  revision: number;
  updated_at: Date;
}

const COLUMNS = [
  ...(["id", "name", "names", "category", "description", "descriptions"] as const),
  ...(["picture", "image", "revision", "updated_at"] as const),
] as const;

/** The records last added or updated, newest first, then by id. */
export async function listNewestChanges(db: Db, kind: FeedKind, limit: number): Promise<FeedEntry[]> {
  return db(kind).select(COLUMNS).orderBy("updated_at", "desc").orderBy("id").limit(limit);
}
