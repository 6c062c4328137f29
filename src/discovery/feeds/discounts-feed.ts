import ejs from "ejs";
import { chooseSharedPicture, type PictureSite } from "../../records/picture.ts";
import { offerText } from "../../records/prices/prices.ts";
import type { ActiveDiscount } from "../../records/prices/queries.ts";
import { shownTitle } from "../../records/shown-title.ts";
import { type Format, formatFor } from "../../web/request/format.ts";
import { localName } from "../../words/i18n/local-name.ts";
import { type Translate, translate } from "../../words/i18n/translate.ts";
import { localPaths, withQuery } from "../../words/urls.ts";
import { byFormat, type Entry, type FeedDocument } from "./document.ts";
import type { FeedLocale } from "./send-feed.ts";
import { tagUri } from "./tag-uri.ts";

export interface FeedSite extends PictureSite {
  name: string;
}

interface Writing {
  readonly site: FeedSite;
  readonly reader: FeedLocale;
  readonly t: Translate;
  readonly format: Format;
  /** Identifies the feed; each of its entries adds to it. */
  readonly tag: (...parts: string[]) => string;
}

/**
 * The active discounts, in the given order, or those of a category of the shop. The time `changedAt` is when one last
 * began, ended or changed, and `shown` is the category's label.
 */
export function buildDiscountsFeed(
  site: FeedSite,
  reader: FeedLocale,
  discounts: ActiveDiscount[],
  changedAt: Date | null,
  category?: { readonly word: string; readonly shown: string },
): FeedDocument {
  const { language, prefix } = reader;
  const t = translate(language);
  const paths = localPaths(prefix);
  const name = category === undefined ? ["discounts"] : ["discounts", "in", category.word];
  const tag = (...parts: string[]) => tagUri(site.baseUrl, prefix, ...name, ...parts);
  const writing = { site, reader, t, format: formatFor(language), tag };
  const title = t("feeds.discounts.title", { site: site.name });
  return {
    channel: {
      baseUrl: site.baseUrl,
      id: tag(),
      language,
      title: category === undefined ? title : t("feeds.in_category", { title, category: category.shown }),
      description: t("feeds.discounts.description"),
      path: withQuery(paths.donate(), { category: category?.word }),
      selfPaths: byFormat((format) => paths.discountsFeed(format, category?.word)),
      changedAt,
      minutes: 15,
    },
    entries: discounts.map((discount) => discountEntry(discount, writing)),
  };
}

function discountEntry(discount: ActiveDiscount, writing: Writing): Entry {
  const { site, reader } = writing;
  const offer = describeOffer(discount, writing);
  const { name } = localName({ name: discount.item_name, names: discount.item_names }, reader.language);
  return {
    title: `${name}: ${offer}`,
    path: localPaths(reader.prefix).donateItem(discount.item_key),
    // One per run, even if its record is corrected, because another GUID would post the discount again.
    guid: writing.tag(discount.id, String(discount.run)),
    date: later(discount.starts_at, discount.created_at),
    updated: later(discount.starts_at, discount.updated_at),
    category: discount.item_category,
    html: paragraphs([
      shownTitle(discount, reader.language)?.text ?? null,
      `${offer}.`,
      untilWhen(discount.ends_at, writing),
      describeRival(discount, writing),
    ]),
    picture: chooseSharedPicture({ picture: discount.item_picture, image: discount.item_image }, site),
  };
}

function later(one: Date, other: Date): Date {
  return one > other ? one : other;
}

/** `399.20 EUR instead of 499.00 EUR`, or the known part of it. */
function describeOffer(
  { old_price, new_price, percent, currency }: ActiveDiscount,
  { t, format }: Writing,
): string {
  if (new_price === null) return t("donate.terms.percent", { percent: format.number(Number(percent)) });
  return offerText({ old_price, new_price, currency }, { t, format });
}

/** The item's lower price if another of its discounts wins. */
function describeRival(
  { new_price, current_price, currency }: ActiveDiscount,
  { t, format }: Writing,
): string | null {
  if (current_price === null || current_price === new_price) return null;
  return t("feeds.discounts.lower", { price: format.money(current_price, currency) });
}

/** The end as text for people and programs; null for open-ended. */
export function untilWhen(end: Date | null, { t, format }: Pick<Writing, "t" | "format">): string {
  if (end === null) return t("feeds.no_end");
  return t("feeds.until", { time: format.time(end), iso: end.toISOString() });
}

/** Texts as HTML; null is left out. */
export function paragraphs(texts: (string | null)[]): string {
  return texts.flatMap((text) => (text === null ? [] : [`<p>${ejs.escapeXML(text)}</p>`])).join("");
}
