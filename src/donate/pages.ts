import { Router } from "express";
import { admitFew } from "../http/admission.ts";
import type { BaseContext } from "../http/context.ts";
import { readTypedForm } from "../http/form.ts";
import { only } from "../http/methods.ts";
import { requireLogin } from "../http/page.ts";
import type { Previews } from "../previews/previews.ts";
import type { LiveSearch } from "../search/live-search.ts";
import { paths } from "../urls.ts";
import { showShopItem } from "./item-page.ts";
import { showItemPreview } from "./item-preview.ts";
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
