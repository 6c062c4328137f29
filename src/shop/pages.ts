import { type Request, type RequestHandler, type Response, Router } from "express";
import { findWishes, meetsWish, saveWish } from "../accounts/favorites/queries.ts";
import type { Db } from "../db/connect.ts";
import type { Previews } from "../discovery/previews/previews.ts";
import { loadPriceLows, showLows } from "../records/prices/price-lows.ts";
import { discountedPrice } from "../records/prices/prices.ts";
import { findShopItem, type ShopItem } from "../records/prices/queries.ts";
import type { LiveSearch } from "../search/live-search.ts";
import type { BaseContext } from "../web/pages/context.ts";
import { notFound, unauthorized } from "../web/pages/errors.ts";
import { renderPage, requireLogin, viewerOf } from "../web/pages/page.ts";
import { readTypedForm, typedText } from "../web/request/form.ts";
import { localeOf } from "../web/request/locale.ts";
import { id } from "../web/request/params.ts";
import { admitFew } from "../web/server/admission.ts";
import { refuseOthers } from "../web/server/methods.ts";
import { leaveFlash } from "../web/session/session.ts";
import { type LazyText, lazyText } from "../words/i18n/lazy-text.ts";
import { paths } from "../words/urls.ts";
import { errorOfFraction, sayError } from "./discount-plan.ts";
import { showItemPreview, showShopItem } from "./item-page.ts";
import { type Read, readReduction } from "./operator/refusals.ts";
import { presentItem, showShop } from "./shop-page.ts";

/** The donate shop and the page of each of its items. */
export function donatePages(context: BaseContext & { previews: Previews; search: LiveSearch }): Router {
  const router = Router({ caseSensitive: true });
  router.get(paths.donate(), admitFew()(showShop(context)));
  router.get(`${paths.donate()}/:key`, showShopItem(context.db));
  router
    .route(`${paths.donate()}/:key/wish`)
    .get(requireLogin, showWish(context.db))
    .post(readTypedForm(WISH_FIELDS), sendWish(context.db))
    .all(refuseOthers);
  router.get(`${paths.donate()}/:key/preview/:file`, showItemPreview(context));
  return router;
}

/** `from` is the page to return to: `favorites`, or the item's. */
const WISH_FIELDS = ["price", "from"] as const;

type TypedWish = Record<(typeof WISH_FIELDS)[number], string>;

/** `GET /donate/:key/wish`: the form of an item's price alert on its own page. */
function showWish(db: Db): RequestHandler<{ key: string }> {
  return async (req, res) => {
    const item = await findItem(db, req.params.key);
    const wish = (await findWishes(db, viewerOf(req).id, [item.key])).get(item.key);
    const isMet = wish !== undefined && meetsWish(item, wish.price);
    await renderWish(db, req, res, { item, isMet, typed: { price: wish?.price ?? "", from: "" } });
  };
}

/** `POST /donate/:key/wish`: sets the user's target price. If blank, the user waits for any discount. */
function sendWish(db: Db): RequestHandler<{ key: string }> {
  return async (req, res) => {
    const item = await findItem(db, req.params.key);
    const typed = typedText(req, WISH_FIELDS) as TypedWish;
    const { value, error } = readWish(typed.price.trim(), item);
    if (req.isReplay || value === undefined) return renderWish(db, req, res, { item, typed, error });
    const saved = await saveWish(db, viewerOf(req).id, item.key, value);
    if (saved === "no such record") throw notFound("shop_item");
    if (saved === "no such user") throw unauthorized(lazyText("errors.detail.account_gone"));
    const locale = localeOf(req);
    await leaveFlash(req, describeSaved(item, value, saved.isMet, locale));
    const back = typed.from === "favorites" ? locale.paths.favorites() : locale.paths.donateItem(item.key);
    res.redirect(303, back);
  };
}

async function findItem(db: Db, key: string): Promise<ShopItem> {
  const item = id().safeParse(key).success ? await findShopItem(db, key) : undefined;
  if (!item) throw notFound("shop_item");
  return item;
}

/** A price in the item's currency; null for a blank one. */
function readWish(text: string, item: ShopItem): Read<string | null> {
  if (text === "") return { value: null };
  const read = readReduction(text, "price");
  if (read.value === undefined) return read;
  const error = errorOfFraction(read.value, item);
  // With two digits, like all prices.
  return error ? { error } : { value: discountedPrice(item, { percent: null, price: read.value }) };
}

function describeSaved(
  item: ShopItem,
  wish: string | null,
  isMet: boolean,
  { language, format }: Pick<ReturnType<typeof localeOf>, "language" | "format">,
): LazyText {
  const { name } = presentItem(item, { language }).shown;
  if (wish === null) return lazyText("favorites.wish.removed", { name });
  const price = format.money(wish, item.currency);
  return isMet
    ? lazyText("favorites.wish.met", { name, price })
    : lazyText("favorites.wish.saved", { name, price });
}

interface ShownWish {
  readonly item: ShopItem;
  readonly typed: TypedWish;
  /** True if the price is at or below the stored wish now. */
  readonly isMet?: boolean;
  readonly error?: LazyText | undefined;
}

async function renderWish(
  db: Db,
  req: Request,
  res: Response,
  { item, typed, isMet = false, error }: ShownWish,
): Promise<void> {
  const { t, format, language, paths } = localeOf(req);
  const { shown, price } = presentItem(item, { language });
  const lows = (await loadPriceLows(db, [item.key])).get(item.key);
  const label = t("favorites.wish.label", { currency: format.currency(item.currency) });
  const head = {
    title: t("favorites.wish.title", { name: shown.name }),
    noindex: true,
    insteadOf: paths.donateWish(item.key),
    styles: ["shop/shop"],
    ...(error && { status: 400 }),
  };
  await renderPage(req, res, "shop/wish", head, {
    item,
    shown,
    price,
    lows: showLows(item, lows),
    wish: typed.price,
    isMet,
    from: typed.from === "favorites" ? "favorites" : "item",
    error: error && t("input.sentence", { label, message: sayError(error, language) }),
  });
}
