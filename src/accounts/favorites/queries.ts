import type { Db } from "../../db/connect.ts";
import { type UserAlert, userAlertsSql } from "../../notifications/alerts/user-alert-queries.ts";
import { notifyOfNewFavorite } from "../../notifications/notify.ts";
import { comparePrices } from "../../records/prices/prices.ts";
import { findShopItem, type ShopItem } from "../../records/prices/queries.ts";
import { IS_WATCHED, SHOWN_SERVER_NAME } from "../../records/server-sql.ts";
import type { ServerFigures } from "../../search/answers.ts";
import { type FindServerFigures, UNKNOWN_FIGURES } from "../../search/figures.ts";
import { shownDigits } from "../../words/currencies.ts";
import { type EntityKind, favoriteKinds, kindBySingular } from "../../words/kinds/kinds.ts";

/** A record that can be a favorite: a server, an item of the shop (`donate`), or an entry of the catalogue. */
export type Favorable = "server" | "donate" | EntityKind;

/** The tables of favorites and of their records. */
function findTables(kind: Favorable) {
  if (kind === "server")
    return { table: "server_favorites", records: "servers", column: "server_id" } as const;
  if (kind === "donate")
    return { table: "donate_favorites", records: "donate_items", column: "item_key" } as const;
  return { table: "entity_favorites", records: kindBySingular(kind), column: `${kind}_id` };
}

/** Whether the record is a favorite after the toggle, or why nothing was stored. */
type Toggled = boolean | "no such record" | "no such user";

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

/** A favorite of the shop with a target price. */
interface Wish {
  /** A decimal text. */
  readonly price: string;
  readonly currency: string;
}

/** The outcome of a wish. `isMet`: the item already costs no more than that. */
type SavedWish = { readonly isMet: boolean } | "no such record" | "no such user";

/** A user's target prices by item, as amounts of the item's currency. Leaves out those in a former currency. */
export async function findWishes(
  db: Db,
  userId: number,
  keys: readonly string[],
): Promise<Map<string, Wish>> {
  const rows: { key: string; price: string; currency: string }[] = await db("donate_favorites as favorite")
    .join("donate_items as item", "item.id", "favorite.item_key")
    .where("favorite.user_id", userId)
    .whereRaw("item.id = any(?) and favorite.wish_currency = item.currency", [[...keys]])
    .select("item.id as key", "favorite.wish as price", "item.currency");
  return new Map(
    rows.map(({ key, price, currency }) => [key, { price: shownDigits(price, currency), currency }]),
  );
}

/** Whether an item costs no more than a target price in its currency, now. */
export function meetsWish(item: ShopItem, price: string): boolean {
  const cost = item.sale?.newPrice ?? item.price;
  return cost !== null && comparePrices(cost, price) <= 0;
}

/**
 * Sets a target price, and makes the item a favorite. With null the user waits for any discount, and is notified of
 * those that run. A target that the price has already reached counts the next time that the price falls to it.
 */
export async function saveWish(
  db: Db,
  userId: number,
  itemKey: string,
  price: string | null,
): Promise<SavedWish> {
  return db.transaction(async (transaction) => {
    const user = await transaction("users").where({ id: userId }).forNoKeyUpdate().first("id");
    if (!user) return "no such user";
    // The lock is the one of a foreign key, which keeps the item until the transaction ends.
    const locked = await transaction("donate_items").where({ id: itemKey }).forKeyShare().first("id");
    const item = locked && (await findShopItem(transaction, itemKey));
    if (!item) return "no such record";
    const isMet = price !== null && meetsWish(item, price);
    const wish = { wish: price, wish_currency: price === null ? null : item.currency, wish_met: isMet };
    const row = { user_id: userId, item_key: itemKey };
    await transaction("donate_favorites")
      .insert({ ...row, ...wish })
      .onConflict(["user_id", "item_key"])
      .merge(wish);
    if (price === null) await notifyOfNewFavorite(transaction, userId, itemKey);
    return { isMet };
  });
}

/** The maximum number of favorites listed per kind. */
export const LISTED_AT_MOST = 500;

interface FavoriteServer extends ServerFigures {
  id: string;
  name: string;
  alerts: UserAlert[];
  /** Whether its figures are still updated, so that alerts are possible. */
  watched: boolean;
}

export interface FavoriteEntity {
  kind: EntityKind;
  id: string;
  name: string;
  /** Its names by language. */
  names: Record<string, string> | null;
  category: string | null;
  picture: string | null;
  image: string | null;
}

/**
 * A user's favorite servers, in the site's order of servers.
 * @param findServers reads their figures; passed in, because the servers feature is on a higher floor
 */
export async function listFavoriteServers(
  db: Db,
  userId: number,
  findServers: FindServerFigures,
): Promise<FavoriteServer[]> {
  const favorites: Pick<FavoriteServer, "id" | "name" | "alerts" | "watched">[] = await db(
    "server_favorites as favorite",
  )
    .join("servers as server", "server.id", "favorite.server_id")
    .where("favorite.user_id", userId)
    .select("server.id", db.raw(`${SHOWN_SERVER_NAME} as name, ${IS_WATCHED} as watched`))
    .select(db.raw(`${userAlertsSql("favorite.user_id")} as alerts`))
    .orderByRaw("server.position nulls last, server.name collate name_order, server.id")
    .limit(LISTED_AT_MOST);
  const ids = favorites.map(({ id }) => id);
  const states = new Map((await findServers(db, ids)).map((state) => [state.id, state]));
  return favorites.map((server) => ({ ...UNKNOWN_FIGURES, ...states.get(server.id), ...server }));
}

/** Keys of a user's favorite shop items, by name. */
export async function listFavoriteDonateKeys(db: Db, userId: number): Promise<string[]> {
  return db("donate_favorites as favorite")
    .join("donate_items as item", "item.id", "favorite.item_key")
    .where("favorite.user_id", userId)
    .orderByRaw("item.name collate name_order, item.id")
    .limit(LISTED_AT_MOST)
    .pluck("item.id");
}

/** A user's favorite entries of the catalogue, kind by kind, each by name. */
export async function listFavoriteEntities(db: Db, userId: number): Promise<FavoriteEntity[]> {
  const lists = favoriteKinds().map((kind) => findEntities(db, userId, kind));
  return (await Promise.all(lists)).flat();
}

async function findEntities(db: Db, userId: number, kind: EntityKind): Promise<FavoriteEntity[]> {
  const rows: Omit<FavoriteEntity, "kind">[] = await db("entity_favorites as favorite")
    .join(`${kindBySingular(kind)} as entity`, "entity.id", `favorite.${kind}_id`)
    .where("favorite.user_id", userId)
    .select("entity.id", "entity.name", "entity.names", "entity.category")
    .select("entity.picture", "entity.image")
    .orderByRaw("entity.name collate name_order, entity.id")
    .limit(LISTED_AT_MOST);
  return rows.map((row) => ({ kind, ...row }));
}
