import { type RequestHandler, Router } from "express";
import type { Db } from "../db/connect.ts";
import { findShopItems } from "../donate/queries.ts";
import type { AppContext } from "../http/context.ts";
import { methodNotAllowed } from "../http/errors.ts";
import { renderPage, requireLogin, viewerOf } from "../http/page.ts";
import { paths } from "../urls.ts";
import { CATALOGUE_OF } from "./api.ts";
import {
  type FavoriteEntity,
  LISTED_AT_MOST,
  listFavoriteDonateKeys,
  listFavoriteEntities,
  listFavoriteServers,
} from "./page-queries.ts";
import { FAVORITE_KINDS, type FavoriteKind } from "./queries.ts";

/** The page of a user's own favorites. */
export function favoritePages({ db }: AppContext): Router {
  const router = Router({ caseSensitive: true });
  router
    .route(paths.favorites())
    .get(requireLogin, showFavorites(db))
    .all((_req, _res, next) => next(methodNotAllowed(["GET", "HEAD"])));
  return router;
}

function showFavorites(db: Db): RequestHandler {
  return async (req, res) => {
    const userId = viewerOf(req).id;
    const [servers, donateItems, entities] = await Promise.all([
      listFavoriteServers(db, userId),
      listFavoriteDonateKeys(db, userId).then((keys) => findShopItems(db, keys)),
      listFavoriteEntities(db, userId),
    ]);
    const head = { title: "Favorites", noindex: true, scripts: ["favorites"] };
    await renderPage(req, res, "favorites/list", head, {
      servers,
      donateItems,
      groups: FAVORITE_KINDS.map((kind) => groupOf(kind, entities)).filter((group) => group.rows.length > 0),
      listedAtMost: LISTED_AT_MOST,
    });
  };
}

const TITLES: Record<FavoriteKind, string> = { item: "Items", house: "Houses", business: "Businesses" };

function groupOf(kind: FavoriteKind, entities: FavoriteEntity[]) {
  const rows = entities.filter((entity) => entity.kind === kind);
  return { kind, title: TITLES[kind], catalogue: CATALOGUE_OF[kind], rows };
}
