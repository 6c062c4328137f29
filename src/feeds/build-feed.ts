import { type Format, formatFor } from "../http/format.ts";
import type { Language } from "../i18n/languages.ts";
import { localName } from "../i18n/local-name.ts";
import { type Translate, translate } from "../i18n/translate.ts";
import type { FeedKind } from "../kinds/kinds.ts";
import type { ActiveDiscount } from "../prices/queries.ts";
import { localPaths, type Paths } from "../urls.ts";
import type { FeedEntry } from "./queries.ts";
import { type Entry, escapeHtml, toRss } from "./rss.ts";

/** The site that a feed belongs to. */
export interface FeedSite {
  name: string;
  baseUrl: string;
}

/**
 * Whom a feed is for. Each language has a feed of its own, and nothing but that and `prefix`, what its address begins
 * with, decides what is in it: a feed's bytes change with its content alone.
 */
export interface FeedReader {
  readonly language: Language;
  readonly prefix: string;
}

/** What a feed is written with. Times are in UTC. */
interface Writing {
  readonly language: Language;
  readonly paths: Paths;
  readonly t: Translate;
  readonly format: Format;
}

const EXCERPT_CHARACTERS = 300;

/** RSS of what was added to a kind or changed last, in the order given. */
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
    entries.map((entry) => changeOf(kind, entry, writing)),
  );
}

/** RSS of the active discounts, in the order given; `changedAt` is the last time that one began, ended or changed. */
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
    discounts.map((discount) => discountEntry(discount, writing)),
  );
}

function writingFor({ language, prefix }: FeedReader): Writing {
  return { language, paths: localPaths(prefix), t: translate(language), format: formatFor(language) };
}

function changeOf(kind: FeedKind, entry: FeedEntry, { language, paths, t, format }: Writing): Entry {
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
    html: paragraphs([facts, entry.description === null ? null : excerpt(entry.description)]),
  };
}

function discountEntry(discount: ActiveDiscount, writing: Writing): Entry {
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
  };
}

/** `399.20 EUR instead of 499.00 EUR`, or as much of it as is known. */
function describeOffer(
  { old_price, new_price, percent, currency }: ActiveDiscount,
  { t, format }: Writing,
): string {
  if (new_price === null) return t("donate.terms.percent", { percent: format.number(Number(percent)) });
  return offerText({ old_price, new_price, currency }, { t, format });
}

/** What something costs, and instead of what where that is known. Prices are decimal texts. */
export function offerText(
  { old_price, new_price, currency }: { old_price: string | null; new_price: string; currency: string },
  { t, format }: Pick<Writing, "t" | "format">,
): string {
  const price = format.money(new_price, currency);
  if (old_price === null) return price;
  return t("feeds.instead_of", { price, before: format.money(old_price, currency) });
}

/** Where several discounts of an item run at once, the lowest price is what it costs. */
function describeRival(
  { new_price, current_price, currency }: ActiveDiscount,
  { t, format }: Writing,
): string | null {
  if (current_price === null || current_price === new_price) return null;
  return t("feeds.discounts.lower", { price: format.money(current_price, currency) });
}

/**
 * Stable for one revision and new for the next. By the time of the change and not by the revision's number: a record
 * that was removed and comes back counts from 1 again, and readers would take it for one that they showed long ago.
 */
function revisionGuid(noun: string, { id, updated_at }: { id: string; updated_at: Date }): string {
  return `${noun}/${encodeURIComponent(id)}/${updated_at.toISOString()}`;
}

/** Until when something lasts, for readers and for programs; null: nobody knows. */
export function untilWhen(end: Date | null, { t, format }: Pick<Writing, "t" | "format">): string {
  if (end === null) return t("feeds.no_end");
  return t("feeds.until", { time: format.time(end), iso: end.toISOString() });
}

function paragraphs(texts: (string | null)[]): string {
  return texts.flatMap((text) => (text === null ? [] : [`<p>${escapeHtml(text)}</p>`])).join("");
}

/** The beginning of a text on one line, cut between words where there are any. */
function excerpt(text: string): string {
  const line = text
    .slice(0, EXCERPT_CHARACTERS * 20)
    .replace(/\s+/g, " ")
    .trim();
  const characters = [...line];
  if (characters.length <= EXCERPT_CHARACTERS) return line;
  const cut = characters.slice(0, EXCERPT_CHARACTERS).join("");
  return `${cut.replace(/ [^ ]{0,60}$/, "")}…`;
}
