import { type RequestHandler, Router } from "express";
import { countKinds, listNewest } from "../catalogue/list-queries.ts";
import { listFavoriteServers } from "../favorites/page-queries.ts";
import { snapshotFor } from "../http/answer-build.ts";
import type { AppContext } from "../http/context.ts";
import { localeOf } from "../http/locale.ts";
import { renderPage } from "../http/page.ts";
import { localName } from "../i18n/local-name.ts";
import { catalogueKinds, kindsWith } from "../kinds/kinds.ts";
import { saving } from "../prices/prices.ts";
import { type ActiveDiscount, listActiveDiscounts } from "../prices/queries.ts";
import { paths } from "../urls.ts";
import { findBusiestServers } from "./queries.ts";

const NEWEST = 8;
const SERVERS = 6;
const SALES = 5;

/** The start page. */
export function homePages(context: AppContext): Router {
  const router = Router({ caseSensitive: true });
  router.get(paths.home(), showHome(context));
  return router;
}

function showHome({ db: database, config }: AppContext): RequestHandler {
  return async (req, res) => {
    const db = await snapshotFor(req, database);
    const { t, language } = localeOf(req);
    const [counts, newest, busiest, discounts, favorites] = await Promise.all([
      countKinds(db),
      listNewest(db, "items", NEWEST),
      findBusiestServers(db, SERVERS),
      listActiveDiscounts(db),
      req.viewer ? listFavoriteServers(db, req.viewer.id) : [],
    ]);
    const sales = winning(discounts);
    const used = catalogueKinds().filter((kind) => counts[kind].count > 0);
    const isEmpty = used.length === 0 && busiest.total === 0;
    // A game without houses has none tomorrow either; only a site that waits for its first import shows every kind.
    const kinds = isEmpty ? catalogueKinds() : used;
    await renderPage(
      req,
      res,
      "home/home",
      {
        title: config.siteName,
        description: t("home.description", { site: config.siteName }),
        styles: ["home"],
        hasSearch: true,
        // A user's page has their favorite servers.
        changesWith: req.viewer ? undefined : ["catalogue", "shop"],
        showsTime: true,
      },
      {
        isEmpty,
        maps: kindsWith("isPlaced").filter((kind) => kinds.includes(kind)),
        sections: kinds.map((kind) => ({ kind, name: t(`kinds.${kind}.many`), ...counts[kind] })),
        newest: newest.map((entry) => ({ ...entry, ...localName(entry, language) })),
        busiest,
        yours: favorites.slice(0, SERVERS),
        sales: sales.slice(0, SALES).map((sale) => {
          const names = { name: sale.item_name, names: sale.item_names };
          return { ...sale, ...localName(names, language) };
        }),
        moreSales: Math.max(0, sales.length - SALES),
      },
    );
  };
}

/** Each item's winning discount, with what it saves; those that end soonest first. */
function winning(discounts: ActiveDiscount[]) {
  const byItem = new Map<string, ActiveDiscount>();
  for (const discount of discounts) {
    const wins = discount.new_price !== null && discount.new_price === discount.current_price;
    if (wins && !byItem.has(discount.item_key)) byItem.set(discount.item_key, discount);
  }
  return [...byItem.values()].map((discount) => ({
    ...discount,
    saved: discount.new_price === null ? undefined : saving(discount.old_price, discount.new_price),
  }));
}
