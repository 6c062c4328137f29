import type { Request, Response } from "express";
import type { Source } from "../../web/answers/answer-scope.ts";
import { type LastModified, sendBody } from "../../web/answers/send.ts";
import { FALLBACK, type Language } from "../../words/i18n/languages.ts";
import { toAtom } from "./atom.ts";
import { FEED_TYPES, type FeedDocument, type FeedFormat } from "./document.ts";
import { toJsonFeed } from "./json-feed.ts";
import { toRss } from "./rss.ts";

/**
 * The language of a feed and `prefix`, the beginning of its address. Each language has its own feed, and nothing else
 * about the client affects it, so that a feed's bytes change only with its content.
 */
export interface FeedLocale {
  readonly language: Language;
  readonly prefix: string;
}

/** From the path only, so that an address gives the same feed to every machine that fetches it. */
export function readFeedLocale({ pathLanguage }: Request, res: Response): FeedLocale {
  const language = pathLanguage ?? FALLBACK;
  res.set("Content-Language", language);
  return { language, prefix: pathLanguage === undefined ? "" : `/${pathLanguage}` };
}

interface Sending {
  readonly format: FeedFormat;
  readonly siteName: string;
  readonly dependsOn: readonly Source[];
  /** See `hasLateWrites`. */
  readonly isUnsettled: boolean;
  /** When the labels in the feed last changed; its entries have dates of their own. */
  readonly wordsChangedAt: Date | undefined;
}

/** Sends a feed in a format. */
export async function sendFeed(
  req: Request,
  res: Response,
  { format, siteName, dependsOn, isUnsettled, wordsChangedAt }: Sending,
  feed: FeedDocument,
): Promise<void> {
  await sendBody(req, res, {
    type: `${FEED_TYPES[format]}; charset=utf-8`,
    // Feed readers poll often. A minute lets a proxy serve many of them and delays no entry for longer.
    cacheControl: "public, max-age=60, must-revalidate",
    dependsOn,
    body: writeFeed(format, siteName, feed),
    lastModified: isUnsettled ? "unsettled" : lastChange(feed.channel.changedAt, wordsChangedAt),
  });
}

/** A feed that has always been empty has no time. */
function lastChange(entriesAt: Date | null, wordsAt: Date | undefined): LastModified {
  if (entriesAt === null || wordsAt === undefined) return entriesAt ?? undefined;
  return wordsAt > entriesAt ? wordsAt : entriesAt;
}

function writeFeed(format: FeedFormat, siteName: string, feed: FeedDocument): string {
  if (format === "atom") return toAtom(siteName, feed);
  return format === "json" ? toJsonFeed(feed) : toRss(feed);
}
