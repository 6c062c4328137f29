import type { Db } from "../db/connect.ts";
import { catalogueKinds, singularOf } from "../words/kinds/kinds.ts";
import { SHOWN_IMAGE } from "./queries.ts";

/** What an item of the shop can be found by. */
export interface ShopNames {
  key: string;
  name: string;
  names: Record<string, string>;
  category: string | null;
  /** An https address or a path of this site. */
  image: string | null;
  /** The entry of the catalogue that the item is or unlocks. */
  entry: EntryNames | undefined;
}

type EntryNames = Pick<ShopNames, "name" | "names">;

/** The names of some items, or of all. */
export async function listShopNames(db: Db, keys?: readonly string[]): Promise<ShopNames[]> {
  const rows: Row[] = await db<Row>("donate_items")
    .select("id as key", "name", "names", "category", "entity_kind", "entity_id")
    .select(db.raw(`${SHOWN_IMAGE} as image`))
    .where((where) => void (keys && where.whereRaw("id = any(:keys)", { keys })));
  const entries = await findEntryNames(db, rows);
  return rows.map(({ entity_kind: kind, entity_id: id, ...names }) => {
    return { ...names, entry: entries.get(entryKey(kind, id)) };
  });
}

interface Row extends Omit<ShopNames, "entry"> {
  entity_kind: string | null;
  entity_id: string | null;
}

/** One query for each kind in use: a union of them would scan whole tables. */
async function findEntryNames(db: Db, rows: Row[]): Promise<Map<string, EntryNames>> {
  const found = await Promise.all(
    catalogueKinds().map(async (kind): Promise<[string, EntryNames][]> => {
      const word = singularOf(kind);
      const ids = rows.filter((row) => row.entity_kind === word).map((row) => row.entity_id);
      if (ids.length === 0) return [];
      const entries = db<EntryNames & { id: string }>(kind).select("id", "name", "names");
      const known = await entries.whereRaw("id = any(:ids)", { ids });
      return known.map(({ id, name, names }) => [entryKey(word, id), { name, names }]);
    }),
  );
  return new Map(found.flat());
}

function entryKey(kind: string | null, id: string | null): string {
  return `${kind} ${id}`;
}

/** What a server can be found by. */
interface ServerNames {
  id: string;
  name: string;
  game: string | null;
  address: string | null;
}

/** The names of all servers. */
export function listServerNames(db: Db): Promise<ServerNames[]> {
  return db("servers").select("id", "name", "game", "address");
}
