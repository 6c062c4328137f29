import type { RequestHandler } from "express";
import { z } from "zod";
import { endText, startText } from "../../public/js/donate-words.js";
import type { Db } from "../db/connect.ts";
import { favoriteDonateItems } from "../favorites/queries.ts";
import { parseInput } from "../http/input.ts";
import { type Locale, localeOf } from "../http/locale.ts";
import { renderPage } from "../http/page.ts";
import { paginate } from "../http/pagination.ts";
import { oneOf, text, wholeNumber } from "../http/params.ts";
import { paths, withQuery } from "../urls.ts";
import { readDatabaseClock } from "./discount-queries.ts";
import { type ShownName, shownName } from "./names.ts";
import { loweredPrice, saving } from "./prices.ts";
import { type AnnouncedDiscount, listAnnouncedDiscounts, type ShopItem } from "./queries.ts";
import { listShopCategories, listShopItems, SHOP_SORTS, type ShopCategory } from "./shop-queries.ts";

const PAGE_SIZE = 60;
/** What comes later than these nobody can wait for yet. */
const COMING_SHOWN = 12;

const shopInput = z.object({
  category: text(1, 300).optional(),
  sale: oneOf(["1"]).optional(),
  sort: oneOf(SHOP_SORTS).default("sale"),
  page: wholeNumber(1, 1_000_000).default(1),
});

/** What the shop is asked for. */
type ShopInput = z.output<typeof shopInput>;

/** `GET /donate`: a part of the shop, in an order. */
export function showShop(db: Db): RequestHandler {
  return async (req, res) => {
    const input = parseInput(shopInput, req);
    const { category, sale, sort, page } = input;
    const locale = localeOf(req);
    const { language, t } = locale;
    const urlOf = (changes: Partial<ShopInput>) =>
      shopUrl(locale.paths.donate(), { ...input, page: 1, ...changes });
    const categories = await listShopCategories(db);
    const counts = countItems(categories, category);
    const pagination = paginate(sale ? counts.onSale : counts.count, page, PAGE_SIZE);
    const items = await listShopItems(db, { category, sale: sale !== undefined }, sort, pagination);
    const keys = items.map((item) => item.key);
    const favorites = await favoriteDonateItems(db, req.viewer?.id, keys);
    const coming = page === 1 ? await listAnnouncedDiscounts(db, category, COMING_SHOWN) : [];
    const isUnknown = category !== undefined && counts.count === 0;
    const head = {
      title: category === undefined ? t("donate.shop.title") : t("donate.shop.title_of", { category }),
      description: t("donate.shop.description"),
      canonical: shopUrl(paths.donate(), { category, page: pagination.page }),
      scripts: ["favorites", "donate"],
      styles: ["donate"],
      ...(isUnknown && { status: 404, noindex: true }),
    };
    await renderPage(req, res, "donate/shop", head, {
      rows: items.map((item) => ({ ...presentItem(item, locale), favorite: favorites.has(item.key) })),
      coming: coming.map((discount) => presentComing(discount, locale)),
      now: await readDatabaseClock(db),
      endText,
      startText,
      categories: categories.filter((known) => known.category !== null),
      all: countItems(categories, undefined),
      counts,
      input,
      isUnknown,
      language,
      pagination,
      shopUrl: urlOf,
    });
  };
}

/** The address of one view of the shop; what is as it would be anyway stays out of it. */
export function shopUrl(
  shop: string,
  {
    category,
    sale,
    sort,
    page,
  }: Partial<Omit<ShopInput, "category">> & { category?: string | null | undefined },
): string {
  return withQuery(shop, {
    category: category ?? undefined,
    sale,
    sort: sort === "sale" ? undefined : sort,
    page: page === 1 ? undefined : page,
  });
}

function countItems(categories: ShopCategory[], wanted: string | undefined) {
  const counted = categories.filter(({ category }) => wanted === undefined || category === wanted);
  return {
    count: counted.reduce((sum, { count }) => sum + count, 0),
    onSale: counted.reduce((sum, { onSale }) => sum + onSale, 0),
  };
}

/** What pages show of an item: its name, and its price as views/partials/price.ejs wants it. */
export function presentItem(item: ShopItem, { language }: Pick<Locale, "language">) {
  const saved = item.sale && saving(item.price, item.sale.newPrice);
  return {
    item,
    shown: shownName(item, language),
    saved,
    price: {
      amount: item.sale?.newPrice ?? item.price,
      currency: item.currency,
      sale: item.sale !== undefined,
      ...(saved && { before: item.price }),
    },
  };
}

function presentComing(
  discount: AnnouncedDiscount,
  { language }: Locale,
): AnnouncedDiscount & { shown: ShownName; newPrice: string | null } {
  const item = { price: discount.item_price, currency: discount.currency };
  const shown = shownName({ name: discount.item_name, names: discount.item_names }, language);
  return { ...discount, shown, newPrice: loweredPrice(item, discount) };
}
