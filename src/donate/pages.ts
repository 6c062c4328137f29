import { Router } from "express";
import type { AppContext } from "../http/context.ts";
import { paths } from "../urls.ts";
import { showShopItem } from "./item-page.ts";
import { showShop } from "./shop-page.ts";

/** The donate shop and the page of each of its items. */
export function donatePages(context: AppContext): Router {
  const router = Router({ caseSensitive: true });
  router.get(paths.donate(), showShop(context));
  router.get(`${paths.donate()}/:key`, showShopItem(context.db));
  return router;
}
