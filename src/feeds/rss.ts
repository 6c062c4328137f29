import { Feed } from "feed";
import type { Language } from "../i18n/languages.ts";
import type { SharedPicture } from "../records/picture.ts";
import { escapeHtml } from "../text/escape-html.ts";
import { absoluteUrl } from "../urls.ts";

/** A feed; paths are relative to the site. */
export interface Channel {
  baseUrl: string;
  /** Language of the texts. */
  language: Language;
  title: string;
  description: string;
  /** The page that the feed is about. */
  path: string;
  /** The feed itself. */
  feedPath: string;
  /** When the feed last changed; null if it has always been empty. */
  changedAt: Date | null;
  /** How long a feed reader may wait before it polls again. */
  minutes: number;
}

/** One entry; texts are plain except `html`. */
export interface Entry {
  title: string;
  path: string;
  /** Identifies the entry; a new value makes feed readers show it as new. */
  guid: string;
  date: Date;
  category: string | null;
  html: string;
  picture: SharedPicture | undefined;
}

/** https://www.rssboard.org/media-rss: feed readers take pictures of their lists from it. */
const MEDIA = "http://search.yahoo.com/mrss/";

/** The element is required, and the time of the request would make each answer different. */
const NEVER = new Date(0);

/** An RSS 2.0 document. It depends only on its arguments: the same content gives the same text. */
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
  const xml = feed.rss2();
  // The library declares only the namespaces that it knows.
  const hasPictures = entries.some(({ picture }) => picture);
  return hasPictures ? xml.replace("<rss ", `<rss xmlns:media="${MEDIA}" `) : xml;
}

function toLibraryItem(baseUrl: string, { title, path, guid, date, category, html, picture }: Entry) {
  return {
    title,
    link: absoluteUrl(baseUrl, path),
    guid: libraryText(guid),
    date,
    description: xmlText(html + (picture ? imageHtml(picture, title) : "")),
    ...(category !== null && { category: [{ name: libraryText(category) }] }),
    // By default the library puts titles into CDATA sections, and splits a title only at its first "]]>".
    extensions: [
      { name: "title", objects: { _text: libraryText(title) } },
      ...(picture ? [{ name: "media:thumbnail", objects: { _attributes: thumbnailOf(picture) } }] : []),
    ],
  };
}

/**
 * The same picture in the content, for readers that look nowhere else. Not as an enclosure: readers that show content
 * and enclosures would show it twice, and its length is unknown before somebody has asked for the file.
 */
function imageHtml({ url, size }: SharedPicture, name: string): string {
  const room = size ? ` width="${size.width}" height="${size.height}"` : "";
  return `<p><img src="${escapeHtml(url)}" alt="${escapeHtml(name)}"${room}></p>`;
}

/** xml-js escapes nothing but quotes in attributes. */
function thumbnailOf({ url, size }: SharedPicture) {
  return { url: escapeHtml(url), ...(size && { width: size.width, height: size.height }) };
}

/** Escapes ampersands once more, because xml-js takes "&amp;" in a text for an already escaped one. */
function libraryText(text: string): string {
  return xmlText(text).replaceAll("&", "&amp;");
}

/** The text without the characters that XML 1.0 forbids (https://www.w3.org/TR/xml/#charsets). */
function xmlText(text: string): string {
  return text.toWellFormed().replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "");
}
