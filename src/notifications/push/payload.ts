import { type Language, languageFor } from "../../i18n/languages.ts";
import { localName } from "../../i18n/local-name.ts";
import { translate } from "../../i18n/translate.ts";
import { mailFormat } from "../../mail/format.ts";
import { paths } from "../../urls.ts";
import type { DueDelivery } from "../channels/channel.ts";

/**
 * Push services take messages of 4096 bytes, 103 of them for the encryption (RFC 8291, section 4). The path of an item can
 * take 2400, where its key is made of the longest characters.
 */
const NAME_BYTES = 400;
const BODY_BYTES = 800;

/**
 * What public/service-worker.js shows: JSON in the user's language, with `tag` the same for every message about the
 * notification, `url` that marks it as read and leads to the item, and `item`, the page that it is about.
 */
export function pushPayload({ user, notification }: DueDelivery): string {
  const language = languageFor(user.language);
  return JSON.stringify({
    title: cut(
      localName({ name: notification.itemName, names: notification.itemNames }, language).name,
      NAME_BYTES,
    ),
    body: cut(describe(notification, language, user.timeZone), BODY_BYTES),
    lang: language,
    tag: `notification-${notification.id}`,
    url: paths.notification(notification.id),
    item: paths.donateItem(notification.itemKey),
  });
}

/** `66.70 EUR instead of 100.00 EUR`, until when, and what the discount is called, one below the other. */
function describe(
  notification: DueDelivery["notification"],
  language: Language,
  timeZone: string | null,
): string {
  const text = translate(language);
  const format = mailFormat(language, timeZone);
  const price = format.money(notification.newPrice, notification.currency);
  const before =
    notification.oldPrice === null ? null : format.money(notification.oldPrice, notification.currency);
  return [
    before === null ? text("push.price", { price }) : text("push.price_instead", { price, before }),
    notification.endsAt === null
      ? text("push.no_end")
      : text("push.until", { time: format.time(notification.endsAt) }),
    ...(notification.title === null ? [] : [notification.title]),
  ].join("\n");
}

/** The text in at most so many bytes as JSON writes it, cut between characters as a reader sees them. */
function cut(text: string, bytes: number): string {
  if (bytesOf(text) <= bytes) return text;
  let kept = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (bytesOf(`${kept}${segment}…`) > bytes) break;
    kept += segment;
  }
  return `${kept}…`;
}

function bytesOf(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}
