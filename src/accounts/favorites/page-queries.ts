import type { Db } from "../../db/connect.ts";
import { type UserAlert, userAlertsSql } from "../../notifications/alerts/user-alert-queries.ts";
import { IS_WATCHED, SHOWN_SERVER_NAME } from "../../records/server-sql.ts";
import type { ServerFigures } from "../../search/answers.ts";
import { type FindServerFigures, UNKNOWN_FIGURES } from "../../search/figures.ts";
import { type FavoriteKind, favoriteKinds, kindBySingular } from "../../words/kinds/kinds.ts";

/** The maximum number of favorites listed per kind. */
export const LISTED_AT_MOST = 500;

export interface FavoriteServer extends ServerFigures {
  id: string;
  name: string;
  /** The user's alerts for it. */
  alerts: UserAlert[];
  /** Whether its figures are still updated, so that alerts are possible. */
  watched: boolean;
}

export interface FavoriteEntity {
  kind: FavoriteKind;
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

async function findEntities(db: Db, userId: number, kind: FavoriteKind): Promise<FavoriteEntity[]> {
  const rows: Omit<FavoriteEntity, "kind">[] = await db("entity_favorites as favorite")
    .join(`${kindBySingular(kind)} as entity`, "entity.id", `favorite.${kind}_id`)
    .where("favorite.user_id", userId)
    .select("entity.id", "entity.name", "entity.names", "entity.category")
    .select("entity.picture", "entity.image")
    .orderByRaw("entity.name collate name_order, entity.id")
    .limit(LISTED_AT_MOST);
  return rows.map((row) => ({ kind, ...row }));
}
