import type * as library from "feed";
import { absoluteUrl } from "../../words/urls.ts";
import type { Entry, FeedDocument } from "./document.ts";
import { contentHtml, loadFeed, NEVER } from "./xml.ts";

/** A JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/) with the same content as the RSS. */
export function toJsonFeed({ channel, entries }: FeedDocument): string {
  const { baseUrl, selfPaths, olderPaths } = channel;
  const { Feed } = loadFeed();
  const feed = new Feed({
    title: channel.title,
    description: channel.description,
    link: absoluteUrl(baseUrl, channel.path),
    feedLinks: { json: selfPaths.json && absoluteUrl(baseUrl, selfPaths.json) },
    updated: channel.changedAt ?? NEVER,
  });
  // The library writes version 1.0, which has no language, and does not support pages.
  extend(feed, "version", "https://jsonfeed.org/version/1.1");
  extend(feed, "language", channel.language);
  if (olderPaths?.json) extend(feed, "next_url", absoluteUrl(baseUrl, olderPaths.json));
  for (const entry of entries) feed.addItem(toItem(baseUrl, entry));
  return feed.json1();
}

/** Adds a text; the library's types only allow objects, because its XML formats need them. */
function extend(feed: library.Feed, name: string, value: string): void {
  feed.addExtension({ name, objects: value as never });
}

function toItem(baseUrl: string, entry: Entry) {
  const { guid, path, title, picture, date, updated = date, category } = entry;
  return {
    id: guid,
    link: absoluteUrl(baseUrl, path),
    title: title.toWellFormed(),
    content: contentHtml(entry).toWellFormed(),
    ...(picture && { image: picture.url }),
    date: updated,
    published: date,
    ...(category !== null && { category: [{ name: category }] }),
  };
}
