import type { Db } from "../db/connect.ts";
import { type CatalogueKind, type FavoriteKind, kindOf } from "../kinds/kinds.ts";
import { tellNewFavorite } from "../notifications/telling.ts";

/** Where a kind of favorites is stored, and what they are favorites of. */
interface Place {
  table: string;
  things: string;
  column: string;
}

const SERVERS: Place = { table: "server_favorites", things: "servers", column: "server_id" };
const DONATE_ITEMS: Place = { table: "donate_favorites", things: "donate_items", column: "item_key" };
const entities = (kind: FavoriteKind): Place => ({
  table: "entity_favorites",
  things: kindOf(kind),
  column: `${kind}_id`,
});

/** What came of a toggle: whether the thing is a favorite now, or why nothing was stored. */
export type Toggled = boolean | "no such thing" | "no such user";

/** What it shall be, whatever it is: `yes`, a favorite; `no`, none. Undefined: the other one. */
export type Wanted = "yes" | "no" | undefined;

/** Flips a server in or out of a user's favorites. */
export async function toggleServer(
  db: Db,
  userId: number,
  serverId: string,
  wanted?: Wanted,
): Promise<Toggled> {
  return toggle(db, userId, SERVERS, serverId, wanted);
}

/** Flips a donate-shop item. Where a discount of it is running, who adds it is told with the same stroke. */
export async function toggleDonateItem(
  db: Db,
  userId: number,
  itemKey: string,
  wanted?: Wanted,
): Promise<Toggled> {
  return toggle(db, userId, DONATE_ITEMS, itemKey, wanted, (transaction) =>
    tellNewFavorite(transaction, userId, itemKey),
  );
}

/** Flips an item, a house or a business. */
export async function toggleEntity(
  db: Db,
  userId: number,
  kind: FavoriteKind,
  id: string,
  wanted?: Wanted,
): Promise<Toggled> {
  return toggle(db, userId, entities(kind), id, wanted);
}

/**
 * Flips exactly once, or not at all where it is as wanted, whatever runs beside it: the lock on the user's row lets
 * their toggles pass one at a time. It is the lock that foreign keys do not wait for, so nothing else that refers to the
 * user is held up.
 */
async function toggle(
  db: Db,
  userId: number,
  { table, things, column }: Place,
  id: string,
  wanted: Wanted,
  whenAdded: (transaction: Db) => Promise<unknown> = async () => undefined,
): Promise<Toggled> {
  return db.transaction(async (transaction) => {
    const user = await transaction("users").where({ id: userId }).forNoKeyUpdate().first("id");
    if (!user) return "no such user";
    const row = { user_id: userId, [column]: id };
    const isThere = (await transaction(table).where(row).first("user_id")) !== undefined;
    const becomes = wanted === undefined ? !isThere : wanted === "yes";
    if (!becomes) await transaction(table).where(row).delete();
    if (!becomes || isThere) return becomes;
    // Held until the end, as the foreign key would: what is being removed at this moment is not there. Without a look
    // before, every unknown id would be an error in the database's log.
    const thing = await transaction(things).where({ id }).forKeyShare().first("id");
    if (!thing) return "no such thing";
    await transaction(table).insert(row);
    await whenAdded(transaction);
    return true;
  });
}

/** Which of these servers are a user's favorites; none of a visitor's, without asking. */
export async function favoriteServers(
  db: Db,
  userId: number | undefined,
  ids: string[],
): Promise<Set<string>> {
  return favoritesAmong(db, userId, "server_favorites", "server_id", ids);
}

/** Which of these donate-shop items are a user's favorites. */
export async function favoriteDonateItems(
  db: Db,
  userId: number | undefined,
  keys: string[],
): Promise<Set<string>> {
  return favoritesAmong(db, userId, "donate_favorites", "item_key", keys);
}

/** Which of these items, houses or businesses are a user's favorites. */
export async function favoriteEntities(
  db: Db,
  userId: number | undefined,
  kind: FavoriteKind,
  ids: string[],
): Promise<Set<string>> {
  return favoritesAmong(db, userId, "entity_favorites", `${kind}_id`, ids);
}

async function favoritesAmong(
  db: Db,
  userId: number | undefined,
  table: string,
  column: string,
  ids: string[],
): Promise<Set<string>> {
  if (userId === undefined || ids.length === 0) return new Set();
  const found = await db(table)
    .where({ user_id: userId })
    .whereRaw("?? = any(?)", [column, ids])
    .pluck<string[]>(column);
  return new Set(found);
}

/** Whether one server is a user's favorite. */
export async function isServerFavorite(db: Db, userId: number | undefined, id: string): Promise<boolean> {
  return (await favoriteServers(db, userId, [id])).has(id);
}

/** Whether one donate-shop item is a user's favorite. */
export async function isDonateFavorite(db: Db, userId: number | undefined, key: string): Promise<boolean> {
  return (await favoriteDonateItems(db, userId, [key])).has(key);
}

/** Whether one item, house or business is a user's favorite. */
export async function isEntityFavorite(
  db: Db,
  userId: number | undefined,
  kind: FavoriteKind,
  id: string,
): Promise<boolean> {
  return (await favoriteEntities(db, userId, kind, [id])).has(id);
}

/** The tables of what can be a favorite. */
export type FavoriteTable = "servers" | "donate_items" | CatalogueKind;

/** What a thing is called, also by language; undefined where it is not there any more. A server has its one name. */
export async function findNames(
  db: Db,
  table: FavoriteTable,
  id: string,
): Promise<{ name: string; names?: Record<string, string> } | undefined> {
  const columns = table === "servers" ? ["name"] : ["name", "names"];
  return db(table).where({ id }).first(columns);
}
