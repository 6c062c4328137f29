import type { ActiveDiscount } from "../donate/queries.ts";
import { money, number, time } from "../http/format.ts";
import { paths } from "../urls.ts";
import type { FeedItem } from "./queries.ts";
import { type Entry, escapeHtml, toRss } from "./rss.ts";

/** The site that a feed belongs to. */
export interface FeedSite {
  name: string;
  baseUrl: string;
}

const EXCERPT_CHARACTERS = 300;

/** RSS of the newest additions and updates, in the order given. */
export function buildItemsFeed(site: FeedSite, items: FeedItem[]): string {
  const channel = {
    baseUrl: site.baseUrl,
    title: `${site.name}: new and updated items`,
    description: "Items that were added or updated last.",
    path: paths.catalogue("items"),
    feedPath: paths.itemsFeed(),
    changedAt: items[0]?.updated_at ?? null,
    minutes: 60,
  };
  return toRss(channel, items.map(itemEntry));
}

/** RSS of the active discounts, in the order given; `changedAt` is the last time that one began, ended or changed. */
export function buildDiscountsFeed(
  site: FeedSite,
  discounts: ActiveDiscount[],
  changedAt: Date | null,
): string {
  const channel = {
    baseUrl: site.baseUrl,
    title: `${site.name}: discounts in the shop`,
    description: "Discounts that are active now, those that end first before the others.",
    path: paths.donate(),
    feedPath: paths.discountsFeed(),
    changedAt,
    minutes: 15,
  };
  return toRss(channel, discounts.map(discountEntry));
}

function itemEntry(item: FeedItem): Entry {
  const what = item.revision === 1 ? "Added" : "Updated";
  const category = item.category === null ? "" : ` Category: ${item.category}.`;
  const facts = `${what} ${time(item.updated_at)}.${category}`;
  return {
    title: item.name,
    path: paths.entry("items", item.id),
    guid: revisionGuid("items", item),
    date: item.updated_at,
    category: item.category,
    html: paragraphs([facts, item.description === null ? null : excerpt(item.description)]),
  };
}

function discountEntry(discount: ActiveDiscount): Entry {
  const offer = describeOffer(discount);
  return {
    title: `${discount.item_name}: ${offer}`,
    path: paths.donateItem(discount.item_key),
    guid: revisionGuid("discounts", discount),
    date: new Date(Math.max(Number(discount.starts_at), Number(discount.updated_at))),
    category: null,
    html: paragraphs([discount.title, `${offer}.`, untilWhen(discount.ends_at), describeRival(discount)]),
  };
}

/** `399.20 EUR instead of 499.00 EUR`, or as much of it as is known. */
function describeOffer({ old_price, new_price, percent, currency }: ActiveDiscount): string {
  if (new_price === null) return `${number(Number(percent))} % off`;
  const price = money(new_price, currency);
  return old_price === null ? price : `${price} instead of ${money(old_price, currency)}`;
}

/** Where several discounts of an item run at once, the lowest price is what it costs. */
function describeRival({ new_price, current_price, currency }: ActiveDiscount): string | null {
  if (current_price === null || current_price === new_price) return null;
  return `It costs ${money(current_price, currency)} now: another price is lower.`;
}

/**
 * Stable for one revision and new for the next. By the time of the change and not by the revision's number: a record
 * that was removed and comes back counts from 1 again, and readers would take it for one that they showed long ago.
 */
function revisionGuid(noun: string, { id, updated_at }: { id: string; updated_at: Date }): string {
  return `${noun}/${encodeURIComponent(id)}/${updated_at.toISOString()}`;
}

function untilWhen(end: Date | null): string {
  return end === null ? "Until further notice." : `Until ${time(end)} (${end.toISOString()}).`;
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
