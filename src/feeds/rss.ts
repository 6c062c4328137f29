import { Feed } from "feed";
import type { Language } from "../i18n/languages.ts";
import { absoluteUrl } from "../urls.ts";

/** A feed as a whole; paths are the site's own. */
export interface Channel {
  baseUrl: string;
  /** What its texts are written in. */
  language: Language;
  title: string;
  description: string;
  /** The page that the feed is about. */
  path: string;
  /** The feed itself. */
  feedPath: string;
  /** When anything of the feed changed last; null where it never held anything. */
  changedAt: Date | null;
  /** How long a reader may wait before it asks again. */
  minutes: number;
}

/** One entry; texts are plain but for `html`. */
export interface Entry {
  title: string;
  path: string;
  /** The same for as long as readers should take the entry for the same. */
  guid: string;
  date: Date;
  category: string | null;
  html: string;
}

/** The element cannot be left out, and a time of the request would make each answer another. */
const NEVER = new Date(0);

/** An RSS 2.0 document. It depends on its arguments alone: the same content is the same text. */
export function toRss(channel: Channel, entries: Entry[]): string {
  const feed = new Feed({
    title: libraryText(channel.title),
    description: libraryText(channel.description),
    link: absoluteUrl(channel.baseUrl, channel.path),
    feed: absoluteUrl(channel.baseUrl, channel.feedPath),
    updated: channel.changedAt ?? NEVER,
    ttl: channel.minutes,
    language: channel.language,
    generator: "Almanac",
  });
  for (const entry of entries) feed.addItem(toLibraryItem(channel.baseUrl, entry));
  return feed.rss2();
}

/** HTML in which a text shows as it is. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

function toLibraryItem(baseUrl: string, { title, path, guid, date, category, html }: Entry) {
  return {
    title,
    link: absoluteUrl(baseUrl, path),
    guid: libraryText(guid),
    date,
    description: xmlText(html),
    ...(category !== null && { category: [{ name: libraryText(category) }] }),
    // By itself the library puts titles into CDATA sections, and splits a title at its first "]]>" only.
    extensions: [{ name: "title", objects: { _text: libraryText(title) } }],
  };
}

/** xml-js takes "&amp;" in a text for an ampersand that was escaped before; escaped once more, it is kept. */
function libraryText(text: string): string {
  return xmlText(text).replaceAll("&", "&amp;");
}

/** The text without the characters that no XML 1.0 document may hold (https://www.w3.org/TR/xml/#charsets). */
function xmlText(text: string): string {
  return text.toWellFormed().replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "");
}
