import { type RequestHandler, Router } from "express";
import { otherNames } from "../catalogue/entry.ts";
import { CATALOGUE_KINDS, KIND_LABELS } from "../catalogue/kinds.ts";
import { countKinds, listNewest } from "../catalogue/queries.ts";
import { saving } from "../donate/prices.ts";
import { type ActiveDiscount, listActiveDiscounts } from "../donate/queries.ts";
import type { AppContext } from "../http/context.ts";
import { renderPage } from "../http/page.ts";
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

function showHome({ db, config }: AppContext): RequestHandler {
  return async (req, res) => {
    const [counts, newest, busiest, discounts] = await Promise.all([
      countKinds(db),
      listNewest(db, "items", NEWEST),
      findBusiestServers(db, SERVERS),
      listActiveDiscounts(db),
    ]);
    const sales = winning(discounts);
    await renderPage(
      req,
      res,
      "home/home",
      { title: config.siteName },
      {
        kinds: CATALOGUE_KINDS.map((kind) => ({ kind, many: KIND_LABELS[kind].many, ...counts[kind] })),
        newest: newest.map((entry) => ({ ...entry, others: otherNames(entry) })),
        busiest,
        sales: sales.slice(0, SALES),
        moreSales: Math.max(0, sales.length - SALES),
      },
    );
  };
}

/** Of each item the discount that decides its price, with what it saves; what ends soonest first. */
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
