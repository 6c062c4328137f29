import { chooseSharedPicture, type PictureSite } from "../../records/picture.ts";
import { languageFor } from "../../words/i18n/languages.ts";
import { translate } from "../../words/i18n/translate.ts";
import { absoluteUrl } from "../../words/urls.ts";
import type { ServerAlert } from "../alerts/alert.ts";
import { alertWords } from "../alerts/alert-words.ts";
import type { DiscountNotification, DueDelivery, Sender } from "../channels/channel.ts";
import { mailPaths } from "../mail/links.ts";
import type { Mail, Mailer } from "../mail/mail.ts";
import { mailHost } from "../mail/mailer.ts";
import { type MailOffer, type MailSite, renderMail } from "../mail/render.ts";
import { MailRefusedError } from "../mail/smtp.ts";
import { RecipientGoneError, RefusedForGoodError } from "../retries.ts";
import { unsubscribeToken } from "./unsubscribe-token.ts";

/** Sends a notification as a mail of its own, to the address that the user confirmed. */
export function createEmailSender(mailer: Mailer, site: MailSite & PictureSite): Sender {
  return async ({ user, notification }) => {
    const reader = mailReader(site, user);
    const mail =
      "alert" in notification
        ? await renderMail(site, user.language, "server-alert", {
            ...reader,
            ...mailAlert(site, user.language, notification.alert),
          })
        : await renderMail(site, user.language, "discount", {
            ...reader,
            offer: mailOffer(site, user.language, notification),
          });
    const messageId = mailId(site, "notification", notification.id);
    await sendMail(mailer, user, reader.unsubscribeLink, { messageId, ...mail });
  };
}

function mailAlert(site: MailSite, wanted: string | null, alert: ServerAlert) {
  const language = languageFor(wanted);
  return {
    ...alertWords(alert, translate(language), language),
    at: alert.at,
    link: absoluteUrl(site.baseUrl, mailPaths(wanted).server(alert.serverId)),
  };
}

/**
 * Sends a mail of notifications, with headers for the mail program's own unsubscribe button: RFC 2369 and RFC 8058.
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

/** A discount as mails show it, in the account's language; null if not set. */
export function mailOffer(
  site: PictureSite,
  language: string | null,
  notification: Omit<DiscountNotification, "id">,
): MailOffer {
  const { itemKey, picture, image, ...shown } = notification;
  return {
    ...shown,
    picture: chooseSharedPicture({ picture, image }, site, 128),
    link: absoluteUrl(site.baseUrl, mailPaths(language).donateItem(itemKey)),
  };
}
