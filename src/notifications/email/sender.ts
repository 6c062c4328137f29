import { MailRefusedError } from "../../mail/failures.ts";
import { mailPaths } from "../../mail/links.ts";
import type { Mail, Mailer } from "../../mail/mail.ts";
import { mailHost } from "../../mail/mailer.ts";
import { type MailOffer, type MailSite, renderMail } from "../../mail/render.ts";
import { type PictureSite, sharedPictureOf } from "../../records/picture.ts";
import { absoluteUrl } from "../../urls.ts";
import {
  type DueDelivery,
  RecipientGoneError,
  RefusedForGoodError,
  type Sender,
} from "../channels/channel.ts";
import { unsubscribeToken } from "./unsubscribe-token.ts";

/** Sends a notification as a mail of its own, to the address that the user confirmed. */
export function createEmailSender(mailer: Mailer, site: MailSite & PictureSite): Sender {
  return async ({ user, notification }) => {
    const reader = mailReader(site, user);
    const offer = mailOffer(site, user.language, notification);
    const mail = await renderMail(site, user.language, "discount", { ...reader, offer });
    const messageId = mailId(site, "notification", notification.id);
    await sendMail(mailer, user, reader.unsubscribeLink, { messageId, ...mail });
  };
}

/**
 * Sends a mail of discounts, with headers for the mail program's own unsubscribe button: RFC 2369 and RFC 8058.
 */
export async function sendMail(
  mailer: Pick<Mailer, "send">,
  { email }: DueDelivery["user"],
  unsubscribeLink: string,
  mail: Omit<Mail, "to" | "headers">,
): Promise<void> {
  if (email === null) throw new RecipientGoneError("the user has no confirmed address any more");
  const headers = {
    "List-Unsubscribe": `<${unsubscribeLink}>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
  };
  try {
    await mailer.send({ to: email, headers, ...mail });
  } catch (error) {
    if (!(error instanceof MailRefusedError)) throw error;
    throw new RefusedForGoodError(error.message, { cause: error });
  }
}

export function mailId(site: MailSite, kind: "notification" | "digest", id: number): string {
  return `<${kind}-${id}@${mailHost(site.baseUrl)}>`;
}

export function mailReader(
  site: MailSite,
  { id, name, timeZone, language }: Pick<DueDelivery["user"], "id" | "name" | "timeZone" | "language">,
) {
  const paths = mailPaths(language);
  return {
    name,
    timeZone,
    settingsLink: absoluteUrl(site.baseUrl, paths.notificationSettings()),
    unsubscribeLink: absoluteUrl(site.baseUrl, paths.unsubscribe(unsubscribeToken(site.secret, id))),
  };
}

/** A discount as mails show it, in the account's language; null: not set. */
export function mailOffer(
  site: PictureSite,
  language: string | null,
  notification: Omit<DueDelivery["notification"], "id">,
): MailOffer {
  const { itemKey, picture, image, ...shown } = notification;
  return {
    ...shown,
    picture: sharedPictureOf({ picture, image }, site, 128),
    link: absoluteUrl(site.baseUrl, mailPaths(language).donateItem(itemKey)),
  };
}
