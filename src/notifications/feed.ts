import { type FeedSite, offerText, paragraphs, untilWhen } from "../feeds/discounts-feed.ts";
import type { Entry } from "../feeds/document.ts";
import { toRss } from "../feeds/rss.ts";
import { tagUri } from "../feeds/tag-uri.ts";
import { type Format, formatFor } from "../http/format.ts";
import { readToken, signToken } from "../http/signed-token.ts";
import { type Language, languageFor } from "../i18n/languages.ts";
import { localName } from "../i18n/local-name.ts";
import { type Translate, translate } from "../i18n/translate.ts";
import { mailPaths } from "../mail/links.ts";
import { type SharedPicture, sharedPictureOf } from "../records/picture.ts";
import { shownTitle } from "../records/shown-title.ts";
import { escapeHtml } from "../text/escape-html.ts";
import type { Paths } from "../urls.ts";
import { alertWords } from "./alerts/alert-words.ts";
import type { InboxAlert, InboxDiscount, InboxNotification } from "./inbox-queries.ts";

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

/** Whose feed it is: the link's token, and what the account says of how to write; null: it was not told. */
export interface NotificationsReader {
  readonly token: string;
  readonly language: string | null;
  /** IANA name; null: times are UTC. */
  readonly timeZone: string | null;
}

interface Writing {
  readonly language: Language;
  readonly paths: Paths;
  readonly t: Translate;
  readonly format: Format;
  /** Identifies a notification. */
  readonly tag: (id: number) => string;
}

/**
 * RSS of a user's notifications, in the order given. A notification is one entry for good, whatever becomes of its
 * discount: a reader shows it once. What it says depends on its arguments alone, not on the time of the request.
 */
export function buildNotificationsFeed(
  site: FeedSite,
  { token, timeZone, ...reader }: NotificationsReader,
  notifications: InboxNotification[],
  changedAt: Date | null,
): string {
  const language = languageFor(reader.language);
  const paths = mailPaths(reader.language);
  const format = formatFor(language, timeZone ?? undefined);
  const tag = (id: number) => tagUri(site.baseUrl, "", "notifications", String(id));
  const writing = { language, paths, t: translate(language), format, tag };
  const channel = {
    baseUrl: site.baseUrl,
    language,
    title: writing.t("feeds.notifications.title", { site: site.name }),
    description: writing.t("feeds.notifications.description"),
    path: paths.notifications(),
    id: tagUri(site.baseUrl, "", "notifications"),
    selfPaths: { rss: paths.notificationFeed(token) },
    changedAt,
    minutes: 15,
  };
  const entries = notifications.map((notification) => {
    if (notification.alert !== null) return alertEntry(notification, writing);
    const pictured = { picture: notification.item_picture, image: notification.item_image };
    return notificationEntry(notification, sharedPictureOf(pictured, site), writing);
  });
  return toRss({ channel, entries });
}

function alertEntry(
  { id, alert, created_at: date }: InboxAlert,
  { paths, language, t, tag }: Writing,
): Entry {
  const { title, figures } = alertWords(alert, t, language);
  return {
    title,
    path: paths.server(alert.serverId),
    guid: tag(id),
    date,
    category: null,
    html: figures === undefined ? "" : `<p>${escapeHtml(figures)}.</p>`,
    picture: undefined,
  };
}

/** The end of the discount; null: there is none, as the regular price came down. */
function untilOf({ is_regular, gone, ends_at }: InboxDiscount, writing: Writing): string | null {
  if (is_regular) return null;
  return gone ? writing.t("feeds.notifications.over") : untilWhen(ends_at, writing);
}

/** What the item costs by now, where that is not what its user was told. */
function nowWords(notification: InboxDiscount, { t, format }: Writing): string | null {
  const { state, is_regular, new_price, price_now, paid_now, starts_at, currency } = notification;
  if (state === "coming" && starts_at !== null)
    return t("notifications.notification.put_off", { time: format.time(starts_at) });
  if (state === "ended") return is_regular ? t("notifications.notification.regular_over") : null;
  if (paid_now !== null && paid_now !== (price_now ?? new_price))
    return t("feeds.discounts.lower", { price: format.money(paid_now, currency) });
  if (price_now === new_price) return null;
  return price_now === null
    ? t("notifications.notification.no_cheaper")
    : t("notifications.notification.price_now", { price: format.money(price_now, currency) });
}

/** Whether the price was a low, and the wish that it answers. */
function pricedWords({ low, wish, currency }: InboxDiscount, { t, format }: Writing): string[] {
  return [
    ...(low === null ? [] : [`${t(`donate.lows.at_${low}`)}.`]),
    ...(wish === null ? [] : [t("notifications.notification.wish", { price: format.money(wish, currency) })]),
  ];
}

function notificationEntry(
  notification: InboxDiscount,
  picture: SharedPicture | undefined,
  writing: Writing,
): Entry {
  const { paths, language } = writing;
  const offer = offerText(notification, writing);
  const { name } = localName({ name: notification.item_name, names: notification.item_names }, language);
  const until = untilOf(notification, writing);
  return {
    title: `${name}: ${offer}`,
    // The item, not the notification: whoever reads feeds elsewhere may not be logged in there.
    path: notification.item_key === null ? paths.notifications() : paths.donateItem(notification.item_key),
    guid: writing.tag(notification.id),
    date: notification.created_at,
    category: null,
    html: paragraphs([
      shownTitle(notification, language)?.text ?? null,
      `${offer}.`,
      ...pricedWords(notification, writing),
      nowWords(notification, writing),
      until,
    ]),
    picture,
  };
}
