import { Router } from "express";
import type { Previews } from "../discovery/previews/previews.ts";
import type { LiveSearch } from "../search/live-search.ts";
import type { BaseContext } from "../web/pages/context.ts";
import { requireLogin } from "../web/pages/page.ts";
import { readTypedForm } from "../web/request/form.ts";
import { admitFew } from "../web/server/admission.ts";
import { only } from "../web/server/methods.ts";
import { paths } from "../words/urls.ts";
import { showItemPreview, showShopItem } from "./item-page.ts";
import { showShop } from "./shop-page.ts";
import { sendWish, showWish, WISH_FIELDS } from "./wish-page.ts";

/** The donate shop and the page of each of its items. */
export function donatePages(context: BaseContext & { previews: Previews; search: LiveSearch }): Router {
  const router = Router({ caseSensitive: true });
  router.get(paths.donate(), admitFew()(showShop(context)));
  router.get(`${paths.donate()}/:key`, showShopItem(context.db));
  router
    .route(`${paths.donate()}/:key/wish`)
    .get(requireLogin, showWish(context.db))
    .post(readTypedForm(WISH_FIELDS), sendWish(context.db))
    .all(only("GET", "HEAD", "POST"));
  router.get(`${paths.donate()}/:key/preview/:file`, showItemPreview(context));
  return router;
}
