import type { Db } from "../../db/connect.ts";
import { notifyOfNewFavorite } from "../../notifications/notify.ts";
import { type FavoriteKind, kindBySingular } from "../../words/kinds/kinds.ts";
import { findWishes } from "./wish-queries.ts";

/** A record that can be a favorite: a server, an item of the shop (`donate`), or an entry of the catalogue. */
export type Favorable = "server" | "donate" | FavoriteKind;

/** The tables of favorites and of their records. */
function findTables(kind: Favorable) {
  if (kind === "server")
    return { table: "server_favorites", records: "servers", column: "server_id" } as const;
  if (kind === "donate")
    return { table: "donate_favorites", records: "donate_items", column: "item_key" } as const;
  return { table: "entity_favorites", records: kindBySingular(kind), column: `${kind}_id` };
}

/** Whether the record is a favorite after the toggle, or why nothing was stored. */
export type Toggled = boolean | "no such record" | "no such user";

/** `yes` adds a favorite, `no` removes it, and undefined flips it. */
export type Wanted = "yes" | "no" | undefined;

/**
 * Flips a favorite exactly once, or not at all if it is already as wanted. The lock on the user's row makes their
 * toggles run one at a time. Foreign keys do not wait for it, so other references to the user are not delayed. Adding a
 * shop item with a running discount also creates its notification, in the same transaction.
 */
export async function toggleFavorite(
  db: Db,
  userId: number,
  kind: Favorable,
  id: string,
  wanted?: Wanted,
): Promise<Toggled> {
  const { table, records, column } = findTables(kind);
  return db.transaction(async (transaction) => {
    const user = await transaction("users").where({ id: userId }).forNoKeyUpdate().first("id");
    if (!user) return "no such user";
    const row = { user_id: userId, [column]: id };
    const isThere = (await transaction(table).where(row).first("user_id")) !== undefined;
    const becomes = wanted === undefined ? !isThere : wanted === "yes";
    if (!becomes) await transaction(table).where(row).delete();
    if (!becomes || isThere) return becomes;
    // Looked up first, because an unknown id would fail the foreign key and fill the database's log. The lock is the
    // one of a foreign key, which keeps the record until the transaction ends.
    const record = await transaction(records).where({ id }).forKeyShare().first("id");
    if (!record) return "no such record";
    await transaction(table).insert(row);
    if (kind === "donate") await notifyOfNewFavorite(transaction, userId, id);
    return true;
  });
}

/** Finds a user's favorites among these records; for a visitor none, without a query. */
export async function favoritesAmong(
  db: Db,
  userId: number | undefined,
  kind: Favorable,
  ids: string[],
): Promise<Set<string>> {
  if (userId === undefined || ids.length === 0) return new Set();
  const { table, column } = findTables(kind);
  const found = await db(table)
    .where({ user_id: userId })
    .whereRaw("?? = any(?)", [column, ids])
    .pluck<string[]>(column);
  return new Set(found);
}

/**
 * Finds a user's favorites among records, all by marks such as `server:ls-one` (see pending-favorite.ts). Each has the
 * user's target price, blank without one.
 */
export async function favoritesByMark(
  db: Db,
  userId: number,
  marks: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<Favorable, string[]>();
  for (const mark of marks) {
    const kind = mark.slice(0, mark.indexOf(":")) as Favorable;
    ids.set(kind, [...(ids.get(kind) ?? []), mark.slice(kind.length + 1)]);
  }
  const found = [...ids].map(async ([kind, some]) => {
    const [favorites, wishes] = await Promise.all([
      favoritesAmong(db, userId, kind, some),
      kind === "donate" ? findWishes(db, userId, some) : undefined,
    ]);
    return [...favorites].map((id): [string, string] => [`${kind}:${id}`, wishes?.get(id)?.price ?? ""]);
  });
  return new Map((await Promise.all(found)).flat());
}

/** True if a record is a user's favorite. */
export async function isFavorite(
  db: Db,
  userId: number | undefined,
  kind: Favorable,
  id: string,
): Promise<boolean> {
  return (await favoritesAmong(db, userId, kind, [id])).has(id);
}

/** A record's names; undefined if it does not exist. A server has one name in all languages. */
export async function findNames(
  db: Db,
  kind: Favorable,
  id: string,
): Promise<{ name: string; names?: Record<string, string> } | undefined> {
  const columns = kind === "server" ? ["name"] : ["name", "names"];
  return db(findTables(kind).records).where({ id }).first(columns);
}
