import { shownTitle } from "../../records/shown-title.ts";
import { storedPicture } from "../../records/stored-picture.ts";
import { type Language, languageFor } from "../../words/i18n/languages.ts";
import { localName } from "../../words/i18n/local-name.ts";
import { type Translate, translate } from "../../words/i18n/translate.ts";
import { paths } from "../../words/urls.ts";
import { alertWords } from "../alerts/alert-words.ts";
import type { AlertNotification, DiscountNotification, DueDelivery } from "../channels/channel.ts";
import { type MailFormat, mailFormat } from "../mail/format.ts";

/**
 * Push services take messages of 4096 bytes, 103 of them for the encryption (RFC 8291, section 4). An item's path can take
 * 2400.
 */
const NAME_BYTES = 400;
const BODY_BYTES = 800;

/**
 * The message for public/service-worker.js, as JSON in the user's language. Every message about the notification has
 * the same `tag`. Its `url` marks it as read and redirects to `item`, the page of the item or server. Both `icon` and
 * `image` are the item's picture, small and large.
 */
export function pushPayload({ user, notification }: DueDelivery): string {
  const language = languageFor(user.language);
  const { title, body, ...rest } =
    "alert" in notification
      ? alertParts(notification, language)
      : discountParts(notification, language, user.timeZone);
  return JSON.stringify({
    title: cut(title, NAME_BYTES),
    body: cut(body, BODY_BYTES),
    lang: language,
    tag: `notification-${notification.id}`,
    url: paths.notification(notification.id),
    ...rest,
  });
}

function discountParts(notification: DiscountNotification, language: Language, timeZone: string | null) {
  const { itemName: name, itemNames: names } = notification;
  return {
    title: localName({ name, names }, language).name,
    body: describe(notification, language, timeZone),
    item: paths.donateItem(notification.itemKey),
    ...picturesOf(notification.picture),
  };
}

function alertParts({ alert }: AlertNotification, language: Language) {
  const { title, figures = "" } = alertWords(alert, translate(language), language);
  return { title, body: figures, item: paths.server(alert.serverId) };
}

/** Only pictures in the site's store: the service worker loads nothing from elsewhere. */
function picturesOf(column: string | null) {
  const stored = storedPicture(column);
  if (!stored) return {};
  return { icon: paths.picture(stored.name, "128.webp"), image: paths.picture(stored.name, "640.webp") };
}

/** Lines: `66.70 EUR instead of 100.00 EUR`, any low, the end, and the discount's title. */
function describe(notification: DiscountNotification, language: Language, timeZone: string | null): string {
  const text = translate(language);
  const format = mailFormat(language, timeZone);
  const price = format.money(notification.newPrice, notification.currency);
  const before =
    notification.oldPrice === null ? null : format.money(notification.oldPrice, notification.currency);
  const title = shownTitle(notification, language);
  return [
    before === null ? text("push.price", { price }) : text("push.price_instead", { price, before }),
    ...(notification.low === null ? [] : [text(`donate.lows.at_${notification.low}`)]),
    ...(notification.isRegular ? [] : [untilText(notification.endsAt, text, format)]),
    ...(title === undefined ? [] : [title.text]),
  ].join("\n");
}

function untilText(endsAt: Date | null, text: Translate, format: MailFormat): string {
  return endsAt === null ? text("push.no_end") : text("push.until", { time: format.time(endsAt) });
}

/** Cuts a text to this many bytes of JSON, between graphemes. */
function cut(text: string, bytes: number): string {
  if (countBytes(text) <= bytes) return text;
  let kept = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (countBytes(`${kept}${segment}…`) > bytes) break;
    kept += segment;
  }
  return `${kept}…`;
}

function countBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}
