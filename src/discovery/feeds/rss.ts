import ejs from "ejs";
import { xmlText } from "../../words/text/xml.ts";
import { absoluteUrl } from "../../words/urls.ts";
import { type Entry, FEED_TYPES, type FeedDocument } from "./document.ts";
import { contentHtml, feedLinks, HISTORY, loadFeed, MEDIA, NEVER } from "./xml.ts";

/** An RSS 2.0 document. It depends only on its arguments, so the same content produces the same text. */
export function toRss({ channel, entries }: FeedDocument): string {
  const { baseUrl, currentPaths } = channel;
  const links = feedLinks(channel, "rss");
  const { Feed } = loadFeed();
  const feed = new Feed({
    title: libraryText(channel.title),
    description: libraryText(channel.description),
    link: absoluteUrl(baseUrl, channel.path),
    // Declares the prefix `atom`; the extension below replaces this link by all of them.
    feed: links[0]?.href,
    updated: channel.changedAt ?? NEVER,
    ttl: channel.minutes,
    language: channel.language,
    docs: "https://www.rssboard.org/rss-specification",
    generator: "Almanac",
  });
  const elements = links.map(({ rel, href }) => {
    return { _attributes: { href: ejs.escapeXML(href), rel, type: FEED_TYPES.rss } };
  });
  // A list repeats the element, though the library's types do not allow one.
  feed.addExtension({ name: "atom:link", objects: elements as never });
  if (currentPaths) feed.addExtension({ name: "fh:archive", objects: {} });
  for (const entry of entries) feed.addItem(toItem(baseUrl, entry));
  // The library only declares the namespaces that it knows.
  const media = entries.some(({ picture }) => picture) ? ` xmlns:media="${MEDIA}"` : "";
  const history = currentPaths ? ` xmlns:fh="${HISTORY}"` : "";
  return feed.rss2().replace("<rss ", `<rss${media}${history} `);
}

function toItem(baseUrl: string, entry: Entry) {
  const { title, path, guid, date, category, picture } = entry;
  return {
    title,
    link: absoluteUrl(baseUrl, path),
    guid: libraryText(guid),
    date,
    description: xmlText(contentHtml(entry)),
    ...(category !== null && { category: [{ name: libraryText(category) }] }),
    // By default the library puts titles into CDATA sections, and splits a title only at its first "]]>".
    extensions: [
      { name: "title", objects: { _text: libraryText(title) } },
      ...(picture ? [{ name: "media:thumbnail", objects: { _attributes: renderThumbnail(picture) } }] : []),
    ],
  };
}

/** xml-js, which the library uses, escapes only quotes in attributes. */
function renderThumbnail({ url, size }: NonNullable<Entry["picture"]>) {
  return { url: ejs.escapeXML(url), ...(size && { width: size.width, height: size.height }) };
}

/** Escapes ampersands again, because xml-js considers "&amp;" in a text already escaped. */
function libraryText(text: string): string {
  return xmlText(text).replaceAll("&", "&amp;");
}
