import type { SharedPicture } from "../../records/picture.ts";
import type { Language } from "../../words/i18n/languages.ts";

/** A feed's metadata; paths are relative to the site. */
export interface Channel {
  baseUrl: string;
  /** A `tag:` URI, the same in every format. */
  id: string;
  language: Language;
  title: string;
  description: string;
  /** The page that the feed is about. */
  path: string;
  /** The feed's own path in each of its formats. */
  selfPaths: Partial<Record<FeedFormat, string>>;
  /** When the feed last changed; null if it has always been empty. */
  changedAt: Date | null;
  /** How long a feed reader may wait before it polls again. */
  minutes: number;
  /** The page with the next entries, by format; undefined if there are no others. */
  olderPaths?: Partial<Record<FeedFormat, string>> | undefined;
  /** For a page of older entries: the feed that it belongs to, by format. */
  currentPaths?: Partial<Record<FeedFormat, string>> | undefined;
}

/** One entry; texts are plain except `html`. */
export interface Entry {
  title: string;
  path: string;
  /** Identifies the entry, as a `tag:` URI; a new value makes feed readers show it as new. */
  guid: string;
  /** When it was published: does not change with a correction. */
  date: Date;
  /** When it last changed; undefined if not since. */
  updated?: Date;
  category: string | null;
  html: string;
  picture: SharedPicture | undefined;
}

export interface FeedDocument {
  readonly channel: Channel;
  readonly entries: readonly Entry[];
}

/** The formats of public feeds, in the order on pages. */
export const FEED_FORMATS = ["rss", "atom", "json"] as const;
export type FeedFormat = (typeof FEED_FORMATS)[number];

/** https://www.rssboard.org/rss-specification, RFC 4287, https://www.jsonfeed.org/version/1.1/ */
export const FEED_TYPES: Record<FeedFormat, string> = {
  rss: "application/rss+xml",
  atom: "application/atom+xml",
  json: "application/feed+json",
};

/** A value for each format. */
export function byFormat(path: (format: FeedFormat) => string): Record<FeedFormat, string> {
  return { rss: path("rss"), atom: path("atom"), json: path("json") };
}
