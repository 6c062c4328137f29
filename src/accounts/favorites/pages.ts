import { type RequestHandler, Router } from "express";
import type { Db } from "../../db/connect.ts";
import { askedWords } from "../../notifications/alerts/alert-words.ts";
import { findShopItems } from "../../records/prices/queries.ts";
import type { FindServerFigures } from "../../search/figures.ts";
import type { BaseContext } from "../../web/pages/context.ts";
import { renderPage, requireLogin, viewerOf } from "../../web/pages/page.ts";
import { localeOf } from "../../web/request/locale.ts";
import { refuseOthers } from "../../web/server/methods.ts";
import type { Language } from "../../words/i18n/languages.ts";
import { type LocalName, localName } from "../../words/i18n/local-name.ts";
import { compareNames } from "../../words/i18n/name-order.ts";
import { type EntityKind, favoriteKinds, kindBySingular, kindsWith } from "../../words/kinds/kinds.ts";
import { paths } from "../../words/urls.ts";
import {
  type FavoriteEntity,
  findWishes,
  LISTED_AT_MOST,
  listFavoriteDonateKeys,
  listFavoriteEntities,
  listFavoriteServers,
  meetsWish,
} from "./queries.ts";

/** A user's page of favorites. */
export function favoritePages({ db }: BaseContext, findServers: FindServerFigures): Router {
  const router = Router({ caseSensitive: true });
  router.route(paths.favorites()).get(requireLogin, showFavorites(db, findServers)).all(refuseOthers);
  return router;
}

function showFavorites(db: Db, findServers: FindServerFigures): RequestHandler {
  return async (req, res) => {
    const userId = viewerOf(req).id;
    const { language, t } = localeOf(req);
    const [servers, donateItems, entities] = await Promise.all([
      listFavoriteServers(db, userId, findServers),
      listFavoriteShopItems(db, userId),
      listFavoriteEntities(db, userId),
    ]);
    const head = {
      title: t("favorites.page.title"),
      noindex: true,
      scripts: ["accounts/favorites"],
      styles: ["servers/servers", "accounts/favorites"],
    };
    const groups = favoriteKinds().map((kind) => createGroup(kind, entities, language));
    await renderPage(req, res, "accounts/favorites/list", head, {
      servers: servers.map((server) => ({ ...server, asked: askedWords(server.alerts, t, language) })),
      donateItems: donateItems
        .map((item) => ({ ...item, shown: localName(item, language) }))
        .sort(byShownName),
      groups: groups.filter((group) => group.rows.length > 0),
      favoriteKinds: kindsWith("isFavorite"),
      listedAtMost: LISTED_AT_MOST,
    });
  };
}

/** A user's favorites of the shop, each with its target price; blank without one. */
async function listFavoriteShopItems(db: Db, userId: number) {
  const keys = await listFavoriteDonateKeys(db, userId);
  const [items, wishes] = await Promise.all([findShopItems(db, keys), findWishes(db, userId, keys)]);
  return items.map((item) => {
    const { price: wish = "" } = wishes.get(item.key) ?? {};
    return { ...item, wish, isMet: wish !== "" && meetsWish(item, wish) };
  });
}

function byShownName(a: { shown: LocalName }, b: { shown: LocalName }): number {
  return compareNames(a.shown.name, b.shown.name);
}

/** The favorites of one kind; `kinds.<catalogue>` has their heading. */
function createGroup(kind: EntityKind, entities: FavoriteEntity[], language: Language) {
  const rows = entities
    .filter((entity) => entity.kind === kind)
    .map((entity) => ({ ...entity, shown: localName(entity, language) }))
    .sort(byShownName);
  return { kind, catalogue: kindBySingular(kind), rows };
}
