import type { PictureSite } from "../../records/picture.ts";
import { comparePrices } from "../../records/prices/prices.ts";
import { absoluteUrl } from "../../words/urls.ts";
import type { DigestSender, DiscountNotification } from "../channels/channel.ts";
import { mailPaths } from "../mail/links.ts";
import type { Mailer } from "../mail/mail.ts";
import { type MailSite, renderMail } from "../mail/render.ts";
import { mailId, mailOffer, mailReader, sendMail } from "./sender.ts";

/** The maximum number of items listed in one mail, within what mail programs show; the rest are counted. */
const OFFERS_SHOWN = 30;

/** Sends notifications as one mail, to the address that the user confirmed. */
export function createDigestSender(mailer: Pick<Mailer, "send">, site: MailSite & PictureSite): DigestSender {
  return async ({ id, user, notifications }) => {
    const reader = mailReader(site, user);
    const offers = lowestOfEachItem(notifications).map((notification) =>
      mailOffer(site, user.language, notification),
    );
    const mail = await renderMail(site, user.language, "digest", {
      ...reader,
      offers: offers.slice(0, OFFERS_SHOWN),
      more: Math.max(0, offers.length - OFFERS_SHOWN),
      inboxLink: absoluteUrl(site.baseUrl, mailPaths(user.language).notifications()),
    });
    await sendMail(mailer, user, reader.unsubscribeLink, { messageId: mailId(site, "digest", id), ...mail });
  };
}

/** Keeps, for each item, the running discount that decides its price. */
function lowestOfEachItem(notifications: readonly DiscountNotification[]): DiscountNotification[] {
  const lowest = new Map<string, DiscountNotification>();
  for (const notification of notifications) {
    const other = lowest.get(notification.itemKey);
    if (!other || comparePrices(notification.newPrice, other.newPrice) < 0)
      lowest.set(notification.itemKey, notification);
  }
  return [...lowest.values()];
}
