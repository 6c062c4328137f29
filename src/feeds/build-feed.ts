import { type Format, formatFor } from "../http/format.ts";
import type { Language } from "../i18n/languages.ts";
import { localName } from "../i18n/local-name.ts";
import { type Translate, translate } from "../i18n/translate.ts";
import type { FeedKind } from "../kinds/kinds.ts";
import type { ActiveDiscount } from "../prices/queries.ts";
import { type PictureSite, type SharedPicture, sharedPictureOf } from "../records/picture.ts";
import { escapeHtml } from "../text/escape-html.ts";
import { excerptHtml } from "../text/excerpt.ts";
import { localPaths, type Paths } from "../urls.ts";
import type { FeedEntry } from "./queries.ts";
import { type Entry, toRss } from "./rss.ts";

/** The site that a feed belongs to. */
export interface FeedSite extends PictureSite {
  name: string;
}

/**
 * The language of a feed and `prefix`, the beginning of its address. Each language has its own feed, and nothing else
 * about the reader affects it, so that a feed's bytes change only with its content.
 */
export interface FeedReader {
  readonly language: Language;
  readonly prefix: string;
}

/** Texts, paths and formats of a feed. Times are in UTC. */
interface Writing {
  readonly language: Language;
  readonly paths: Paths;
  readonly t: Translate;
  readonly format: Format;
}

const EXCERPT_CHARACTERS = 300;

/** RSS of a kind's latest additions and changes, in the given order. */
export function buildKindFeed(
  site: FeedSite,
  reader: FeedReader,
  kind: FeedKind,
  entries: FeedEntry[],
): string {
  const writing = writingFor(reader);
  const { paths, t } = writing;
  const channel = {
    baseUrl: site.baseUrl,
    language: reader.language,
    title: t(`kinds.${kind}.feed.title`, { site: site.name }),
    description: t(`kinds.${kind}.feed.description`),
    path: paths.catalogue(kind),
    feedPath: paths.feed(kind),
    changedAt: entries[0]?.updated_at ?? null,
    minutes: 60,
  };
  return toRss(
    channel,
    entries.map((entry) => changeOf(kind, entry, sharedPictureOf(entry, site), writing)),
  );
}

/** RSS of the active discounts, in the given order; `changedAt` is when one last began, ended or changed. */
export function buildDiscountsFeed(
  site: FeedSite,
  reader: FeedReader,
  discounts: ActiveDiscount[],
  changedAt: Date | null,
): string {
  const writing = writingFor(reader);
  const { paths, t } = writing;
  const channel = {
    baseUrl: site.baseUrl,
    language: reader.language,
    title: t("feeds.discounts.title", { site: site.name }),
    description: t("feeds.discounts.description"),
    path: paths.donate(),
    feedPath: paths.discountsFeed(),
    changedAt,
    minutes: 15,
  };
  return toRss(
    channel,
    discounts.map((discount) => {
      const pictured = { picture: discount.item_picture, image: discount.item_image };
      return discountEntry(discount, sharedPictureOf(pictured, site), writing);
    }),
  );
}

function writingFor({ language, prefix }: FeedReader): Writing {
  return { language, paths: localPaths(prefix), t: translate(language), format: formatFor(language) };
}

function changeOf(
  kind: FeedKind,
  entry: FeedEntry,
  picture: SharedPicture | undefined,
  { language, paths, t, format }: Writing,
): Entry {
  const time = format.time(entry.updated_at);
  const what = entry.revision === 1 ? t("feeds.items.added", { time }) : t("feeds.items.updated", { time });
  const { category } = entry;
  const facts = category === null ? what : `${what} ${t("feeds.items.category", { category })}`;
  return {
    title: localName(entry, language).name,
    path: paths.entry(kind, entry.id),
    guid: revisionGuid(kind, entry),
    date: entry.updated_at,
    category,
    html: paragraphs([facts]) + excerptHtml(entry.description ?? "", EXCERPT_CHARACTERS),
    picture,
  };
}

function discountEntry(
  discount: ActiveDiscount,
  picture: SharedPicture | undefined,
  writing: Writing,
): Entry {
  const { language, paths } = writing;
  const offer = describeOffer(discount, writing);
  const { name } = localName({ name: discount.item_name, names: discount.item_names }, language);
  const until = untilWhen(discount.ends_at, writing);
  return {
    title: `${name}: ${offer}`,
    path: paths.donateItem(discount.item_key),
    guid: revisionGuid("discounts", discount),
    date: new Date(Math.max(Number(discount.starts_at), Number(discount.updated_at))),
    category: null,
    html: paragraphs([discount.title, `${offer}.`, until, describeRival(discount, writing)]),
    picture,
  };
}

/** `399.20 EUR instead of 499.00 EUR`, or the known part of it. */
function describeOffer(
  { old_price, new_price, percent, currency }: ActiveDiscount,
  { t, format }: Writing,
): string {
  if (new_price === null) return t("donate.terms.percent", { percent: format.number(Number(percent)) });
  return offerText({ old_price, new_price, currency }, { t, format });
}

/** The new price, with the old one if known. Prices are decimal texts. */
export function offerText(
  { old_price, new_price, currency }: { old_price: string | null; new_price: string; currency: string },
  { t, format }: Pick<Writing, "t" | "format">,
): string {
  const price = format.money(new_price, currency);
  if (old_price === null) return price;
  return t("feeds.instead_of", { price, before: format.money(old_price, currency) });
}

/** The item's lower price if another of its discounts wins. */
function describeRival(
  { new_price, current_price, currency }: ActiveDiscount,
  { t, format }: Writing,
): string | null {
  if (current_price === null || current_price === new_price) return null;
  return t("feeds.discounts.lower", { price: format.money(current_price, currency) });
}

/**
 * Stable for one revision and new for the next. Uses the time of the change, not the revision's number: a removed
 * record that comes back starts at 1 again, and feed readers would treat it as already seen.
 */
function revisionGuid(noun: string, { id, updated_at }: { id: string; updated_at: Date }): string {
  return `${noun}/${encodeURIComponent(id)}/${updated_at.toISOString()}`;
}

/** The end as text for people and programs; null: open-ended. */
export function untilWhen(end: Date | null, { t, format }: Pick<Writing, "t" | "format">): string {
  if (end === null) return t("feeds.no_end");
  return t("feeds.until", { time: format.time(end), iso: end.toISOString() });
}

function paragraphs(texts: (string | null)[]): string {
  return texts.flatMap((text) => (text === null ? [] : [`<p>${escapeHtml(text)}</p>`])).join("");
}
