import ejs from "ejs";
import type { RequestHandler } from "express";
import { z } from "zod";
import type { Db } from "../db/connect.ts";
import { discountFeedLinks } from "../discovery/feeds/feed-links.ts";
import { showLows } from "../records/prices/price-lows.ts";
import { comparePrices, loweredPrice, saving } from "../records/prices/prices.ts";
import {
  type AnnouncedDiscount,
  listAnnouncedDiscounts,
  readDatabaseClock,
  type ShopItem,
} from "../records/prices/queries.ts";
import { endText, startText } from "../records/prices/sale-words.ts";
import { titlesIn } from "../records/shown-title.ts";
import { matchedFirst } from "../search/hits.ts";
import type { LiveSearch } from "../search/live-search.ts";
import { listShopNames, type ShopNames } from "../search/queries.ts";
import { snapshotFor } from "../web/answers/answer-scope.ts";
import type { Site } from "../web/look/site.ts";
import { itemList, type NamedPath } from "../web/look/structured-data.ts";
import type { BaseContext } from "../web/pages/context.ts";
import { type PageHead, renderPage } from "../web/pages/page.ts";
import { parseInput } from "../web/request/input.ts";
import { type Locale, localeOf } from "../web/request/locale.ts";
import { paginate } from "../web/request/pagination.ts";
import { oneOf, searchText, text, wholeNumber } from "../web/request/params.ts";
import type { Language } from "../words/i18n/languages.ts";
import { type LocalName, localName } from "../words/i18n/local-name.ts";
import type { Translate } from "../words/i18n/translate.ts";
import { paths, withQuery } from "../words/urls.ts";
import { inNameOrder } from "../words/vocabulary/category-text.ts";
import type { PriceStep } from "./price-history.ts";
import {
  listShopCategories,
  listShopItems,
  SHOP_SORTS,
  type ShopCategory,
  type ShopSort,
} from "./shop-queries.ts";

/** The shape of the line; the style sheet stretches it over the card. */
const WIDTH = 90;
const HEIGHT = 32;
/** Free space above and below, for the line's own width. */
const EDGE = 3;

const PAGE_SIZE = 60;
/** Further matches are neither counted nor listed. */
const FOUND_AT_MOST = 1_000;
/** Coming discounts on the first page. */
const COMING_SHOWN = 12;

export const shopInput = z.object({
  category: text(1, 300).optional(),
  q: searchText.default(""),
  sale: oneOf(["1"]).optional(),
  sort: oneOf(SHOP_SORTS).optional(),
  page: wholeNumber(1, 1_000_000).default(1),
});

type ShopInput = z.output<typeof shopInput>;

/** `GET /donate` */
export function showShop({
  db: database,
  search,
}: Pick<BaseContext, "db"> & { search: LiveSearch }): RequestHandler {
  return async (req, res) => {
    const input = parseInput(shopInput, req);
    const locale = localeOf(req);
    // Before the snapshot, because waiting for a second connection while holding one could deadlock.
    const matches = input.q === "" ? undefined : await findMatches(search, input.q, locale.language);
    const db = await snapshotFor(req, database);
    const { items, count, now, ...found } = await findInShop(db, matches?.keys, input, locale.language);
    const names = matches
      ? await listShopNames(
          db,
          items.map(({ key }) => key),
        )
      : [];
    await renderPage(req, res, "shop/shop", shopHead(input, { ...found, items }, req.site, locale), {
      ...found,
      categories: inNameOrder(found.categories, (word) => req.site.category(word, locale.language).text),
      ...shopFields(input, count, locale),
      isPartial: matches?.isPartial === true,
      rows: items.map((item) => ({
        ...presentItem(item, locale),
        lows: showLows(item, item.lows),
        prior: item.prior,
        sparkline: drawPriceLine(item.steps, locale),
        found: otherName(names, item, input.q, locale.language),
      })),
      coming: found.coming.map((discount) => presentComing(discount, locale)),
      now,
    });
  };
}

/** Search engines index the shop and its categories; searches are not indexed. */
function shopHead(
  { category, q }: ShopInput,
  { pagination, isUnknown, items }: Pick<FoundInShop, "pagination" | "isUnknown" | "items">,
  site: Pick<Site, "name" | "baseUrl" | "category">,
  locale: Locale,
): PageHead {
  const { t, language } = locale;
  const shown = category === undefined ? undefined : site.category(category, language).text;
  const pages = items.map((item): NamedPath => {
    return [localName(item, language).name, locale.paths.donateItem(item.key)];
  });
  const isListed = q === "" && !isUnknown && pages.length > 0;
  const ofCategory = category === undefined || shown === undefined ? undefined : { word: category, shown };
  return {
    title: shown === undefined ? t("donate.shop.title") : t("donate.shop.title_of", { category: shown }),
    description: t("donate.shop.description"),
    canonical: shopUrl(paths.donate(), { category, page: pagination.page }),
    noindex: q !== "" || isUnknown,
    structured: isListed ? [itemList(site.baseUrl, pages, pagination.offset)] : [],
    feeds: discountFeedLinks(site, locale, isUnknown ? undefined : ofCategory),
    scripts: ["accounts/favorites", "web/list", "shop/shop"],
    dependsOn: q === "" ? ["catalogue", "shop"] : ["catalogue", "shop", "search"],
    isTimeSensitive: true,
    styles: ["shop/shop"],
    ...(isUnknown && { status: 404 }),
  };
}

function shopFields(input: ShopInput, count: number, { language, t, format, paths: local }: Locale) {
  return {
    input,
    language,
    titleOf: titlesIn(language),
    endText,
    startText,
    countText: t("donate.shop.count", { count, figure: format.number(count) }),
    sorts: sortOptions(input.q, t),
    sortValue: sortValue(chooseSort(input), input.q),
    shopUrl: (changes: Partial<ShopInput>) => shopUrl(local.donate(), { ...input, page: 1, ...changes }),
  };
}

type FoundInShop = Awaited<ReturnType<typeof findInShop>>;

/** The items of a view of the shop; a page past the end becomes the last one. */
async function findInShop(db: Db, keys: string[] | undefined, input: ShopInput, language: Language) {
  const { category, sale, page } = input;
  const filter = { category, sale: sale !== undefined, keys };
  const listPage = (page: number) =>
    listShopItems(
      db,
      filter,
      chooseSort(input),
      { limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE },
      language,
    );
  const [categories, items, coming, now] = await Promise.all([
    listShopCategories(db, keys),
    listPage(page),
    listAnnouncedDiscounts(db, { category, keys }, COMING_SHOWN),
    readDatabaseClock(db),
  ]);
  const counts = countItems(categories, category);
  const count = sale ? counts.onSale : counts.count;
  const pagination = paginate(count, page, PAGE_SIZE);
  return {
    categories: categories.filter((known) => known.category !== null),
    all: countItems(categories, undefined),
    counts,
    count,
    pagination,
    items: pagination.page === page ? items : await listPage(pagination.page),
    coming: pagination.page === 1 ? coming : [],
    now,
    isEmpty: categories.length === 0,
    isUnknown: category !== undefined && !categories.some((known) => known.category === category),
  };
}

/** The address of a view of the shop, without parameters that are at their defaults. */
export function shopUrl(
  shop: string,
  {
    category,
    q = "",
    sale,
    sort,
    page,
  }: Partial<Omit<ShopInput, "category">> & { category?: string | null | undefined },
): string {
  return withQuery(shop, {
    category: category ?? undefined,
    q,
    sale,
    sort: sortValue(chooseSort({ q, sort }), q),
    page: page === 1 ? undefined : page,
  });
}

/** By default the best matches first after a search, otherwise sales first. */
function chooseSort({ q, sort }: Pick<ShopInput, "q" | "sort">): ShopSort {
  const byDefault = q === "" ? "sale" : "match";
  return sort === undefined || sort === "match" ? byDefault : sort;
}

/** The sort in addresses and forms: blank for the default. */
function sortValue(sort: ShopSort, q: string): string {
  return sort === chooseSort({ q }) ? "" : sort;
}

/** The choices of the sort field: `[value, text]`. */
function sortOptions(q: string, t: Translate): [string, string][] {
  const sorts = SHOP_SORTS.filter((sort) => sort !== "match" || q !== "");
  return sorts.map((sort) => [sortValue(sort, q), t(`donate.sort.${sort}`)]);
}

interface NameInLanguage {
  name: string;
  lang: string | undefined;
}

/** The items that match, best first; `isPartial` if none has all typed words. */
async function findMatches(
  search: LiveSearch,
  q: string,
  language: Language,
): Promise<{ keys: string[]; isPartial: boolean }> {
  const { hits } = await search.search("shop", q, { limit: FOUND_AT_MOST, offset: 0, language });
  return { keys: hits.map(({ record }) => record.id), isPartial: hits[0]?.match === "partial" };
}

/** The name that the search found an item by, if the card does not show it. */
function otherName(
  all: readonly ShopNames[],
  item: ShopItem,
  q: string,
  language: Language,
): NameInLanguage | undefined {
  const names = all.find(({ key }) => key === item.key);
  const shown = localName(item, language).name;
  const [best] = names ? matchedFirst([{ name: shown, lang: undefined }, ...listNames(names)], q) : [];
  return best?.name === shown ? undefined : best;
}

function listNames({ name, names, entry }: ShopNames): NameInLanguage[] {
  return [{ name, names }, ...(entry ? [entry] : [])].flatMap((named) => {
    const local = Object.entries(named.names).map(([lang, name]) => ({ name, lang }));
    const isLocal = local.some(({ name }) => name === named.name);
    return isLocal ? local : [{ name: named.name, lang: undefined }, ...local];
  });
}

function countItems(categories: ShopCategory[], wanted: string | undefined) {
  const counted = categories.filter(({ category }) => wanted === undefined || category === wanted);
  return {
    count: counted.reduce((sum, { count }) => sum + count, 0),
    onSale: counted.reduce((sum, { onSale }) => sum + onSale, 0),
  };
}

/** An item for pages, with its price in the form that views/partials/price.ejs expects. */
export function presentItem(item: ShopItem, { language }: Pick<Locale, "language">) {
  const saved = item.sale && saving(item.price, item.sale.newPrice);
  return {
    item,
    shown: localName(item, language),
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
): AnnouncedDiscount & { shown: LocalName; newPrice: string | null } {
  const item = { price: discount.item_price, currency: discount.currency };
  const shown = localName({ name: discount.item_name, names: discount.item_names }, language);
  return { ...discount, shown, newPrice: loweredPrice(item, discount) };
}

/**
 * Draws an item's recent prices as a small SVG of steps without axes, with the same in words. Returns undefined if
 * the price never changed.
 * @param steps in order and without gaps, the last of which ends now
 */
export function drawPriceLine(
  steps: readonly PriceStep[],
  { t, format }: Pick<Locale, "t" | "format">,
): string | undefined {
  const [first, last] = [steps[0], steps.at(-1)];
  const known = steps.flatMap(({ price }) => (price === null ? [] : [price])).toSorted(comparePrices);
  const [lowest, highest] = [known[0], known.at(-1)];
  if (!first || !last || lowest === undefined || highest === undefined || lowest === highest)
    return undefined;
  const [from, span] = [first.from.getTime(), last.to.getTime() - first.from.getTime()];
  const x = (time: Date) => Math.round(((time.getTime() - from) / span) * WIDTH * 10) / 10;
  const [bottom, range] = [Number(lowest), Number(highest) - Number(lowest)];
  const y = (price: string) =>
    Math.round(HEIGHT - EDGE - ((Number(price) - bottom) / range) * (HEIGHT - 2 * EDGE));
  const label = t("donate.history.lately", {
    lowest: format.money(lowest, last.currency),
    highest: format.money(highest, last.currency),
  });
  return (
    `<svg class="sparkline price-line" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" ` +
    `aria-label="${ejs.escapeXML(label)}"><path class="chart-cost" vector-effect="non-scaling-stroke" d="${pathOf(steps, x, y)}"/></svg>`
  );
}

/** Steps, with a gap where no price is known. */
function pathOf(
  steps: readonly PriceStep[],
  x: (time: Date) => number,
  y: (price: string) => number,
): string {
  let path = "";
  let isDrawing = false;
  for (const { from, to, price } of steps) {
    if (price !== null) path += `${isDrawing ? `V${y(price)}` : `M${x(from)} ${y(price)}`}H${x(to)}`;
    isDrawing = price !== null;
  }
  return path;
}
