import ejs from "ejs";
import type * as library from "feed";
import type { SharedPicture } from "../../records/picture.ts";
import { lazyPackage } from "../../settings/lazy-package.ts";
import type { Element } from "../../words/text/xml.ts";
import { absoluteUrl } from "../../words/urls.ts";
import type { Channel, Entry, FeedFormat } from "./document.ts";

export const loadFeed = lazyPackage<typeof library>("feed");

/** https://www.rssboard.org/media-rss: feed readers take the pictures in their lists from it. */
export const MEDIA = "http://search.yahoo.com/mrss/";
/** RFC 5005: pages for older entries. */
export const HISTORY = "http://purl.org/syndication/history/1.0";
export const ATOM = "http://www.w3.org/2005/Atom";

/** RSS and Atom require a time of change, and that of the request would make each response different. */
export const NEVER = new Date(0);

/** The links of a feed to itself and, by RFC 5005, to its pages: `next` for section 3, the others for section 4. */
export function feedLinks(channel: Channel, format: FeedFormat): { rel: string; href: string }[] {
  const { selfPaths, olderPaths, currentPaths } = channel;
  const links = [
    ["self", selfPaths],
    ["current", currentPaths],
    ["next", olderPaths],
    ["prev-archive", olderPaths],
  ] as const;
  return links.flatMap(([rel, paths]) => {
    const path = paths?.[format];
    return path === undefined ? [] : [{ rel, href: absoluteUrl(channel.baseUrl, path) }];
  });
}

/** The entry's picture for a feed reader's list. */
export function thumbnail({ picture }: Entry): Element | undefined {
  if (!picture) return undefined;
  const { url, size } = picture;
  return { "@url": url, ...(size && { "@width": size.width, "@height": size.height }) };
}

/**
 * An entry's text with its picture, for feed readers that show nothing else. It is not an enclosure, because feed
 * readers that show both would show it twice, and its length is unknown before the first request for the file.
 */
export function contentHtml({ html, picture, title }: Entry): string {
  return picture ? html + imageHtml(picture, title) : html;
}

function imageHtml({ url, size }: SharedPicture, name: string): string {
  const room = size ? ` width="${size.width}" height="${size.height}"` : "";
  return `<p><img src="${ejs.escapeXML(url)}" alt="${ejs.escapeXML(name)}"${room}></p>`;
}
