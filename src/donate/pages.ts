import { type RequestHandler, Router } from "express";
import { z } from "zod";
import { endText, startText } from "../../public/js/donate-words.js";
import { otherNames, shownImage } from "../catalogue/entry.ts";
import type { Db } from "../db/connect.ts";
import { favoriteDonateItems, isDonateFavorite } from "../favorites/queries.ts";
import type { AppContext } from "../http/context.ts";
import { notFound } from "../http/errors.ts";
import { money } from "../http/format.ts";
import { parseInput } from "../http/input.ts";
import { renderPage } from "../http/page.ts";
import { paginate } from "../http/pagination.ts";
import { id, text, wholeNumber } from "../http/params.ts";
import { paths, withQuery } from "../urls.ts";
import { readDatabaseClock } from "./discount-queries.ts";
import { describeHistory } from "./history-panel.ts";
import { discountedPrice, loweredPrice, saving } from "./prices.ts";
import {
  type AnnouncedDiscount,
  type Discount,
  findShopItem,
  listAnnouncedDiscounts,
  listDiscountsOf,
  listShopCategories,
  listShopItems,
  type ShopItem,
} from "./queries.ts";

const PAGE_SIZE = 60;
/** What comes later than these nobody can wait for yet. */
const COMING_SHOWN = 12;
/** Discounts of an item that its page lists in each phase; what they made of its price is in its history. */
const DISCOUNTS_SHOWN = 20;

const words = { endText, startText };

const shopInput = z.object({
  category: text(1, 300).optional(),
  page: wholeNumber(1, 1_000_000).default(1),
});

/** The donate shop and the page of each of its items. */
export function donatePages({ db }: AppContext): Router {
  const router = Router({ caseSensitive: true });
  router.get(paths.donate(), showShop(db));
  router.get(`${paths.donate()}/:key`, showShopItem(db));
  return router;
}

function showShop(db: Db): RequestHandler {
  return async (req, res) => {
    const { category, page } = parseInput(shopInput, req);
    const categories = await listShopCategories(db);
    const pagination = paginate(countItems(categories, category), page, PAGE_SIZE);
    const items = await listShopItems(db, category, pagination);
    const keys = items.map((item) => item.key);
    const favorites = await favoriteDonateItems(db, req.viewer?.id, keys);
    const coming = page === 1 ? await listAnnouncedDiscounts(db, category, COMING_SHOWN) : [];
    const isUnknown = category !== undefined && pagination.total === 0;
    const head = {
      title: category === undefined ? "Donate shop" : `Donate shop: ${category}`,
      description: "What the donate shop sells, with running discounts and when they end.",
      canonical: shopUrl({ category, page: pagination.page }),
      scripts: ["favorites", "donate"],
      styles: ["donate"],
      ...(isUnknown && { status: 404, noindex: true }),
    };
    await renderPage(req, res, "donate/shop", head, {
      rows: items.map((item) => ({ ...present(item), favorite: favorites.has(item.key) })),
      coming: coming.map(presentComing),
      now: await readDatabaseClock(db),
      ...words,
      categories: categories.filter((known) => known.category !== null),
      category,
      pagination,
      shopUrl,
    });
  };
}

/** The address of one view of the shop; what is as it would be anyway stays out of it. */
function shopUrl({ category, page }: { category?: string | null | undefined; page?: number }): string {
  return withQuery(paths.donate(), { category: category ?? undefined, page: page === 1 ? undefined : page });
}

function countItems(
  categories: { category: string | null; count: number }[],
  wanted: string | undefined,
): number {
  return categories
    .filter(({ category }) => wanted === undefined || category === wanted)
    .reduce((sum, { count }) => sum + count, 0);
}

function showShopItem(db: Db): RequestHandler<{ key: string }> {
  return async (req, res) => {
    const key = id().safeParse(req.params.key);
    const item = key.success ? await findShopItem(db, key.data) : undefined;
    if (!item) throw notFound("item in the shop");
    const discounts = await listDiscountsOf(db, item.key);
    const head = {
      title: `${item.name} · Donate shop`,
      description: summary(item),
      canonical: paths.donateItem(item.key),
      scripts: ["favorites", "donate"],
      styles: ["donate"],
    };
    const now = await readDatabaseClock(db);
    await renderPage(req, res, "donate/item", head, {
      ...present(item),
      attributes: Object.entries(item.attributes),
      others: otherNames(item),
      favorite: await isDonateFavorite(db, req.viewer?.id, item.key),
      groups: groupByPhase(item, discounts.filter(isShown)),
      history: await describeHistory(db, item, now, req.viewer?.timeZone ?? "UTC"),
      now,
      ...words,
      categoryUrl: shopUrl({ category: item.category }),
      newDiscountUrl: withQuery(paths.operatorNewDiscount(), { item: item.key }),
    });
  };
}

function present(item: ShopItem) {
  return { item, image: shownImage(item.image), saved: item.sale && saving(item.price, item.sale.newPrice) };
}

function presentComing(discount: AnnouncedDiscount) {
  const item = { price: discount.item_price, currency: discount.currency };
  return { ...discount, newPrice: loweredPrice(item, discount) };
}

/** What comes is the operator's own matter until they announce it. */
function isShown({ phase, announced }: Discount): boolean {
  return phase !== "coming" || announced;
}

/**
 * Discounts by where they stand, each with its price: of those that run, the one that decides the price comes first; what
 * comes is told in the order in which it comes.
 */
function groupByPhase(item: ShopItem, discounts: Discount[]) {
  const winner = item.sale?.discount.id;
  const of = (phase: Discount["phase"]) => discounts.filter((discount) => discount.phase === phase);
  const running = of("running").toSorted((a, b) => Number(b.id === winner) - Number(a.id === winner));
  return [
    { title: "Running now", phase: "running", all: running },
    { title: "Coming", phase: "coming", all: of("coming").reverse() },
    { title: "Past", phase: "past", all: of("past") },
  ]
    .filter(({ all }) => all.length > 0)
    .map(({ title, phase, all }) => ({
      title,
      phase,
      more: Math.max(0, all.length - DISCOUNTS_SHOWN),
      discounts: all.slice(0, DISCOUNTS_SHOWN).map((discount) => ({
        ...discount,
        newPrice: discountedPrice(item, discount),
        wins: discount.id === winner,
      })),
    }));
}

function summary(item: ShopItem): string {
  const price = item.sale?.newPrice ?? item.price;
  return `${item.name} in the donate shop${price === null ? "" : `: ${money(price, item.currency)}`}.`;
}
