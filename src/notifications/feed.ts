import ejs from "ejs";
import { type FeedSite, paragraphs, untilWhen } from "../discovery/feeds/discounts-feed.ts";
import type { Entry } from "../discovery/feeds/document.ts";
import { toRss } from "../discovery/feeds/rss.ts";
import { tagUri } from "../discovery/feeds/tag-uri.ts";
import { chooseSharedPicture, type SharedPicture } from "../records/picture.ts";
import { offerText } from "../records/prices/prices.ts";
import { shownTitle } from "../records/shown-title.ts";
import { type Format, formatFor } from "../web/request/format.ts";
import { readToken, signToken } from "../web/session/signed-token.ts";
import { type Language, languageFor } from "../words/i18n/languages.ts";
import { localName } from "../words/i18n/local-name.ts";
import { type Translate, translate } from "../words/i18n/translate.ts";
import type { Paths } from "../words/urls.ts";
import { alertWords } from "./alerts/alert-words.ts";
import type { InboxAlert, InboxDiscount, InboxNotification, InboxSuggestion } from "./inbox-queries.ts";
import { mailPaths } from "./mail/links.ts";

const PURPOSE = "notification-feed";

/** The user whose feed a link opens, and the version of the link. */
interface FeedKey {
  userId: number;
  version: number;
}

/** The secret part of a feed's link. */
export function feedToken(secret: string, { userId, version }: FeedKey): string {
  return signToken(secret, PURPOSE, `${userId}.${version}`);
}

/** Parses the secret part of a feed's link; undefined if this site did not issue it. */
export function readFeedToken(secret: string, token: string): FeedKey | undefined {
  const match = /^(\d{1,15})\.(\d{1,9})$/.exec(readToken(secret, PURPOSE, token) ?? "");
  return match ? { userId: Number(match[1]), version: Number(match[2]) } : undefined;
}

/** The owner of a feed: the link's token and the account's language and time zone, null if not set. */
export interface NotificationsReader {
  readonly token: string;
  readonly language: string | null;
  /** An IANA name; null for UTC. */
  readonly timeZone: string | null;
}

interface Writing {
  readonly language: Language;
  readonly paths: Paths;
  readonly t: Translate;
  readonly format: Format;
  readonly tag: (id: number) => string;
}

/**
 * Builds the RSS of a user's notifications, in the given order. A notification stays one entry even if its discount
 * changes, so a feed reader shows it once. The content depends on the arguments only, not on the time of the request.
 */
export function buildNotificationsFeed(
  site: FeedSite,
  { token, timeZone, ...reader }: NotificationsReader,
  notifications: InboxNotification[],
  changedAt: Date | null,
): string {
  const language = languageFor(reader.language);
  const paths = mailPaths(reader.language);
  const format = formatFor(language, timeZone);
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
    if (notification.suggestion !== null) return suggestionEntry(notification, writing);
    const pictured = { picture: notification.item_picture, image: notification.item_image };
    return notificationEntry(notification, chooseSharedPicture(pictured, site), writing);
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
    html: figures === undefined ? "" : `<p>${ejs.escapeXML(figures)}.</p>`,
    picture: undefined,
  };
}

function suggestionEntry(
  { id, suggestion, created_at: date }: InboxSuggestion,
  { paths, t, tag }: Writing,
): Entry {
  const { kind, entryId, reason } = suggestion;
  return {
    title: t(`suggestions.outcome.${suggestion.state}`, suggestion),
    path: paths.reported(kind, entryId),
    guid: tag(id),
    date,
    category: null,
    html: reason === null ? "" : `<p>${ejs.escapeXML(reason)}</p>`,
    picture: undefined,
  };
}

/** The end of the discount; null if the regular price fell instead. */
function renderUntil({ is_regular, gone, ends_at }: InboxDiscount, writing: Writing): string | null {
  if (is_regular) return null;
  return gone ? writing.t("feeds.notifications.over") : untilWhen(ends_at, writing);
}

/** The item's current price, if it differs from the notification's. */
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

/** The low that the price is at, and the target price that it reached. */
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
  const until = renderUntil(notification, writing);
  return {
    title: `${name}: ${offer}`,
    // Links to the item, not to the notification, because feed readers may not be logged in.
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
