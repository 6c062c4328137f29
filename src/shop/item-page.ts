import type { RequestHandler } from "express";
import type { Knex } from "knex";
import {
  type AttributeWords,
  attributeLabel,
  attributeText,
  sortAttributes,
} from "../catalogue/attributes.ts";
import { languageWord } from "../catalogue/entry/entry.ts";
import { findEntry } from "../catalogue/entry/queries.ts";
import { isLink } from "../catalogue/linked-values.ts";
import type { Db } from "../db/connect.ts";
import { discountFeedLinks } from "../discovery/feeds/feed-links.ts";
import type { PreviewCard } from "../discovery/previews/card.ts";
import { type PreviewSite, previewGlyph, previewLook } from "../discovery/previews/look.ts";
import { createPreview, previewLocale, previewName, previewPath } from "../discovery/previews/preview.ts";
import type { Previews } from "../discovery/previews/previews.ts";
import { priceFigure } from "../discovery/previews/price.ts";
import { choosePicture, chooseSharedPicture } from "../records/picture.ts";
import { loadPriceLows, loadPriorPrices, showLows } from "../records/prices/price-lows.ts";
import { discountedPrice } from "../records/prices/prices.ts";
import {
  type Discount,
  findShopItem,
  listDiscountsOf,
  readDatabaseClock,
  type ShopItem,
  type WholeShopItem,
} from "../records/prices/queries.ts";
import { endText, startText } from "../records/prices/sale-words.ts";
import { titlesIn } from "../records/shown-title.ts";
import { storedPicture } from "../records/stored-picture.ts";
import { textLanguage } from "../records/text-language.ts";
import { snapshotFor } from "../web/answers/answer-scope.ts";
import type { Site } from "../web/look/site.ts";
import { breadcrumbList, type NamedPath, productWithOffer } from "../web/look/structured-data.ts";
import type { BaseContext } from "../web/pages/context.ts";
import { notFound } from "../web/pages/errors.ts";
import { renderPage } from "../web/pages/page.ts";
import { type Locale, localeOf } from "../web/request/locale.ts";
import { id } from "../web/request/params.ts";
import type { Language } from "../words/i18n/languages.ts";
import { type LocalName, localName } from "../words/i18n/local-name.ts";
import { shownDescription } from "../words/i18n/shown-description.ts";
import { isHidden } from "../words/kinds/hidden-sections.ts";
import { kindBySingular } from "../words/kinds/kinds.ts";
import { plainText, renderProse, shorten } from "../words/text/prose.ts";
import { absoluteUrl, type Paths, paths, withQuery } from "../words/urls.ts";
import { describeHistory } from "./price-chart.ts";
import { presentItem, shopUrl } from "./shop-page.ts";

/** Discounts listed in each phase. */
const DISCOUNTS_SHOWN = 20;

/** `GET /donate/:key` */
export function showShopItem(database: Knex): RequestHandler<{ key: string }> {
  return async (req, res) => {
    const db = await snapshotFor(req, database);
    const key = id().safeParse(req.params.key);
    if (!key.success) throw notFound("shop_item");
    const [item, discounts, lows, priors, now] = await Promise.all([
      findShopItem(db, key.data),
      listDiscountsOf(db, key.data),
      loadPriceLows(db, [key.data]),
      loadPriorPrices(db, [key.data]),
      readDatabaseClock(db),
    ]);
    if (!item) throw notFound("shop_item");
    const locale = localeOf(req);
    const presented = presentItem(item, locale);
    const { name } = presented.shown;
    const description = shownDescription(item, locale.language);
    const [entry, history] = await Promise.all([
      findCatalogueEntry(db, item, locale),
      describeHistory(db, { key: item.key, name }, now, locale),
    ]);
    const head = {
      title: locale.t("donate.item.title", { name }),
      description: summary({ ...item, description: description.text }, name, locale),
      canonical: paths.donateItem(item.key),
      preview: createPreview(itemCard(req.site, item, locale.language), itemPreviewPath(item.key), req.site),
      scripts: ["accounts/favorites", "shop/price-chart", "shop/shop", "web/share"],
      styles: ["shop/shop"],
      dependsOn: ["catalogue", "shop"] as const,
      isTimeSensitive: true,
      structured: structuredItem(item, name, description.text, req.site, locale),
      feeds: discountFeedLinks(req.site, locale),
    };
    await renderPage(req, res, "shop/item", head, {
      ...presented,
      lows: showLows(item, lows.get(item.key)),
      prior: item.sale && priors.get(item.key),
      picture: choosePicture(item, req.site.imageHosts),
      description: renderProse(description.text),
      descriptionLang: description.lang ?? textLanguage(item),
      ...describeOffer(item, { ...locale, vocabulary: req.site.vocabulary.shared }),
      others: otherNames(item, presented.shown, locale.language),
      entry,
      groups: groupByPhase(item, discounts.filter(isShown)),
      history,
      now,
      titleOf: titlesIn(locale.language),
      endText,
      startText,
      share: { url: absoluteUrl(req.site.baseUrl, locale.paths.donateItem(item.key)), title: name },
      categoryUrl: shopUrl(locale.paths.donate(), { category: item.category }),
      newDiscountUrl: isHidden("discounts")
        ? undefined
        : withQuery(locale.paths.operatorNewDiscount(), { item: item.key }),
    });
  };
}

/** The breadcrumbs of the item, and its price. */
function structuredItem(
  item: WholeShopItem,
  name: string,
  description: string | null,
  site: Pick<Site, "baseUrl" | "imageHosts" | "category">,
  locale: Locale,
): object[] {
  const { baseUrl } = site;
  const { language, paths: local } = locale;
  const category = item.category === null ? undefined : site.category(item.category, language).text;
  const path = local.donateItem(item.key);
  const trail: NamedPath[] = [
    [locale.t("donate.shop.title"), local.donate()],
    ...(category === undefined
      ? []
      : [[category, shopUrl(local.donate(), { category: item.category })] as const]),
    [name, path],
  ];
  const product = productWithOffer(baseUrl, {
    key: item.key,
    name,
    path,
    description: shorten(plainText(description ?? ""), 500) || name,
    category,
    image: chooseSharedPicture(item, site)?.url,
    price: item.sale?.newPrice ?? item.price ?? undefined,
    currency: item.currency,
    until: item.sale?.discount.ends_at ?? undefined,
  });
  return [breadcrumbList(baseUrl, trail), ...(product ? [product] : [])];
}

/** Attributes with an address to buy the item. The first one that it has counts. */
const BUY_KEYS = ["buy_url", "shop_url", "store_url", "url", "link"];

/** The address to buy the item, and its other attributes in the words of the vocabulary. */
function describeOffer({ attributes }: WholeShopItem, words: AttributeWords) {
  const buyKey = BUY_KEYS.find((key) => isLink(attributes[key]));
  const href = buyKey === undefined ? undefined : attributes[buyKey];
  return {
    buy: isLink(href) ? { href, host: new URL(href).host.replace(/^www\./, "") } : undefined,
    attributes: sortAttributes(attributes, words.vocabulary)
      .filter(([key]) => key !== buyKey)
      .map(([key, value]) => {
        return { label: attributeLabel(key, words, value), text: attributeText(key, value, words) };
      }),
  };
}

/** The catalogue's entry that the item is or unlocks. */
async function findCatalogueEntry(
  db: Db,
  { entity_kind, entity_id }: WholeShopItem,
  { language, paths }: Locale,
): Promise<(LocalName & { kind: string; href: string }) | undefined> {
  const kind = kindBySingular(entity_kind);
  const entry = kind && entity_id !== null ? await findEntry(db, kind, entity_id) : undefined;
  return kind && entry && { kind, href: paths.entry(kind, entry.id), ...localName(entry, language) };
}

/** Names that the heading does not show, with the names of their languages. */
function otherNames({ name, names }: ShopItem, shown: LocalName, language: Language) {
  const translations = Object.entries(names)
    .filter(([, other]) => other !== shown.name)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([locale, other]) => ({ locale, language: languageWord(locale, language), name: other }));
  const isListed = name === shown.name || translations.some((other) => other.name === name);
  return isListed ? translations : [{ locale: "", language: undefined, name }, ...translations];
}

/** A coming discount is shown once it is announced. */
function isShown({ phase, announced }: Discount): boolean {
  return phase !== "coming" || announced;
}

/** Discounts by phase, with their prices: the winner first of the running ones, and coming ones by their start. */
function groupByPhase(item: ShopItem, discounts: Discount[]) {
  const winner = item.sale?.discount.id;
  const of = (phase: Discount["phase"]) => discounts.filter((discount) => discount.phase === phase);
  const running = of("running").toSorted((a, b) => Number(b.id === winner) - Number(a.id === winner));
  return [
    { phase: "running", all: running },
    { phase: "coming", all: of("coming").reverse() },
    { phase: "past", all: of("past") },
  ]
    .filter(({ all }) => all.length > 0)
    .map(({ phase, all }) => ({
      phase,
      more: Math.max(0, all.length - DISCOUNTS_SHOWN),
      discounts: all.slice(0, DISCOUNTS_SHOWN).map((discount) => ({
        ...discount,
        newPrice: discountedPrice(item, discount),
        wins: discount.id === winner,
      })),
    }));
}

function summary(item: ShopItem, name: string, { t, format }: Locale): string {
  const price = item.sale?.newPrice ?? item.price;
  if (price === null) return t("donate.item.description", { name });
  return t("donate.item.description_priced", { name, price: format.money(price, item.currency) });
}

/** `GET /donate/<key>/preview/<version>.jpeg`: the picture that chats show for a link to a shop item. */
export function showItemPreview({
  db: database,
  previews,
}: Pick<BaseContext, "db"> & { previews: Previews }): RequestHandler<{ key: string; file: string }> {
  return previews.serve(async (req) => {
    const key = id().safeParse(req.params.key);
    const item = key.success && (await findShopItem(await snapshotFor(req, database), key.data));
    if (!item) return undefined;
    const card = itemCard(req.site, item, localeOf(req).language);
    return { card, path: previewPath(card, itemPreviewPath(item.key)) };
  });
}

/** The address of an item's picture. */
function itemPreviewPath(key: string) {
  return (paths: Paths, file: string) => paths.donateItemPreview(key, file);
}

/** A preview of an item: its price, and a discount's saving and end. */
function itemCard(site: PreviewSite, item: ShopItem, language: Language): PreviewCard {
  const locale = previewLocale(language);
  const { t, format } = locale;
  const { shown, saved, price } = presentItem(item, locale);
  const category = item.category === null ? undefined : site.category(item.category, language).text;
  const endsAt = item.sale?.discount.ends_at;
  return {
    language,
    kicker: [t("donate.shop.title"), category].filter(Boolean).join(" · "),
    name: previewName([shown.name, ...Object.values(item.names), item.name], item.key),
    figure: priceFigure(price, saved?.percent, locale),
    facts: [],
    note: endsAt ? t("donate.item.preview_until", { time: format.time(endsAt) }) : undefined,
    picture: storedPicture(item.picture)?.name,
    glyphs: [previewGlyph(site, "shop", item.category)],
    look: previewLook(site),
  };
}
