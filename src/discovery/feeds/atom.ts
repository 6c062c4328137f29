import { type Element, xmlDocument } from "../../words/text/xml.ts";
import { absoluteUrl } from "../../words/urls.ts";
import { type Entry, FEED_TYPES, type FeedDocument } from "./document.ts";
import { ATOM, contentHtml, feedLinks, HISTORY, MEDIA, NEVER, thumbnail } from "./xml.ts";

/** An Atom 1.0 document (RFC 4287) with the same content as the RSS. */
export function toAtom(siteName: string, { channel, entries }: FeedDocument): string {
  const { baseUrl, currentPaths } = channel;
  const links = feedLinks(channel, "atom").map(({ rel, href }) => {
    return { "@href": href, "@rel": rel, "@type": FEED_TYPES.atom };
  });
  const page = { "@href": absoluteUrl(baseUrl, channel.path), "@rel": "alternate", "@type": "text/html" };
  return xmlDocument({
    feed: {
      "@xmlns": ATOM,
      "@xmlns:media": entries.some(({ picture }) => picture) ? MEDIA : undefined,
      "@xmlns:fh": currentPaths && HISTORY,
      "@xml:lang": channel.language,
      id: channel.id,
      title: channel.title,
      subtitle: channel.description,
      updated: (channel.changedAt ?? NEVER).toISOString(),
      // Required, because entries have none of their own.
      author: { name: siteName },
      generator: "Almanac",
      link: [page, ...links],
      "fh:archive": currentPaths && "",
      entry: entries.map((entry) => toEntry(baseUrl, entry)),
    },
  });
}

function toEntry(baseUrl: string, entry: Entry): Element {
  const { category } = entry;
  return {
    id: entry.guid,
    title: entry.title,
    link: { "@href": absoluteUrl(baseUrl, entry.path), "@rel": "alternate", "@type": "text/html" },
    published: entry.date.toISOString(),
    updated: (entry.updated ?? entry.date).toISOString(),
    category: category === null ? undefined : { "@term": category },
    content: { "#text": contentHtml(entry), "@type": "html" },
    "media:thumbnail": thumbnail(entry),
  };
}
