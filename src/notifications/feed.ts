import { type Entry, escapeHtml, toRss } from "../feeds/rss.ts";
import { type Format, formatFor } from "../http/format.ts";
import { readToken, signToken } from "../http/signed-token.ts";
import { paths } from "../urls.ts";
import type { InboxNotice } from "./inbox-queries.ts";

const PURPOSE = "notification-feed";

/** Whose feed a link opens, and which of the links that the user ever had it is. */
interface FeedKey {
  userId: number;
  version: number;
}

/** The secret part of a feed's link. */
export function feedToken(secret: string, { userId, version }: FeedKey): string {
  return signToken(secret, PURPOSE, `${userId}.${version}`);
}

/** What a feed's link says; undefined for one that this site never gave out. */
export function readFeedToken(secret: string, token: string): FeedKey | undefined {
  const match = /^(\d{1,15})\.(\d{1,9})$/.exec(readToken(secret, PURPOSE, token) ?? "");
  return match ? { userId: Number(match[1]), version: Number(match[2]) } : undefined;
}

/**
 * RSS of a user's notices, in the order given. A notice is one entry for good, whatever becomes of its discount: a
 * reader shows it once. What it says depends on its arguments alone, not on the time of the request. `timeZone`: IANA name;
 * null: times are UTC.
 */
export function buildNoticesFeed(
  site: { name: string; baseUrl: string },
  { token, timeZone }: { token: string; timeZone: string | null },
  notices: InboxNotice[],
  changedAt: Date | null,
): string {
  const format = formatFor(timeZone ?? undefined);
  const channel = {
    baseUrl: site.baseUrl,
    title: `${site.name}: discounts of your favorites`,
    description: "What you were told of. Whoever has this feed's address can read it.",
    path: paths.notifications(),
    feedPath: paths.notificationFeed(token),
    changedAt,
    minutes: 15,
  };
  return toRss(
    channel,
    notices.map((notice) => noticeEntry(notice, format)),
  );
}

function noticeEntry(notice: InboxNotice, format: Format): Entry {
  const price = format.money(notice.new_price, notice.currency);
  const offer =
    notice.old_price === null
      ? price
      : `${price} instead of ${format.money(notice.old_price, notice.currency)}`;
  return {
    title: `${notice.item_name}: ${offer}`,
    // The item, not the notice: whoever reads feeds elsewhere may not be logged in there.
    path: notice.item_key === null ? paths.notifications() : paths.donateItem(notice.item_key),
    guid: `notifications/${notice.id}`,
    date: notice.created_at,
    category: null,
    html: [notice.title, `${offer}.`, untilWhen(notice, format)]
      .flatMap((text) => (text === null ? [] : [`<p>${escapeHtml(text)}</p>`]))
      .join(""),
  };
}

function untilWhen({ gone, ends_at }: InboxNotice, format: Format): string {
  if (gone) return "This discount is over.";
  return ends_at === null
    ? "Until further notice."
    : `Until ${format.time(ends_at)} (${ends_at.toISOString()}).`;
}
