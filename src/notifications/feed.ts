import { type FeedSite, offerText, untilWhen } from "../feeds/build-feed.ts";
import { type Entry, toRss } from "../feeds/rss.ts";
import { type Format, formatFor } from "../http/format.ts";
import { readToken, signToken } from "../http/signed-token.ts";
import { type Language, languageFor } from "../i18n/languages.ts";
import { localName } from "../i18n/local-name.ts";
import { type Translate, translate } from "../i18n/translate.ts";
import { mailPaths } from "../mail/links.ts";
import { type SharedPicture, sharedPictureOf } from "../records/picture.ts";
import { escapeHtml } from "../text/escape-html.ts";
import type { Paths } from "../urls.ts";
import type { InboxNotification } from "./inbox-queries.ts";

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
  const writing = { language, paths, t: translate(language), format };
  const channel = {
    baseUrl: site.baseUrl,
    language,
    title: writing.t("feeds.notifications.title", { site: site.name }),
    description: writing.t("feeds.notifications.description"),
    path: paths.notifications(),
    feedPath: paths.notificationFeed(token),
    changedAt,
    minutes: 15,
  };
  return toRss(
    channel,
    notifications.map((notification) => {
      const pictured = { picture: notification.item_picture, image: notification.item_image };
      return notificationEntry(notification, sharedPictureOf(pictured, site), writing);
    }),
  );
}

function notificationEntry(
  notification: InboxNotification,
  picture: SharedPicture | undefined,
  writing: Writing,
): Entry {
  const { paths, language, t } = writing;
  const offer = offerText(notification, writing);
  const { name } = localName({ name: notification.item_name, names: notification.item_names }, language);
  const until = notification.gone ? t("feeds.notifications.over") : untilWhen(notification.ends_at, writing);
  return {
    title: `${name}: ${offer}`,
    // The item, not the notification: whoever reads feeds elsewhere may not be logged in there.
    path: notification.item_key === null ? paths.notifications() : paths.donateItem(notification.item_key),
    guid: `notifications/${notification.id}`,
    date: notification.created_at,
    category: null,
    html: [notification.title, `${offer}.`, until]
      .flatMap((text) => (text === null ? [] : [`<p>${escapeHtml(text)}</p>`]))
      .join(""),
    picture,
  };
}
