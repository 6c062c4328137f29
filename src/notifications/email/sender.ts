import { MailRefusedError } from "../../mail/failures.ts";
import { mailPaths } from "../../mail/links.ts";
import type { Mailer } from "../../mail/mail.ts";
import { mailHost } from "../../mail/mailer.ts";
import { type MailOffer, type MailSite, renderMail } from "../../mail/render.ts";
import { absoluteUrl } from "../../urls.ts";
import { RecipientGoneError, RefusedForGoodError, type Sender } from "../deliveries.ts";
import type { DueDelivery } from "../deliveries-queries.ts";
import { unsubscribeToken } from "./unsubscribe-token.ts";

/** Sends a notification as a mail of its own, to the address that the user confirmed. */
export function createEmailSender(mailer: Mailer, site: MailSite): Sender {
  return async ({ user, notification }) => {
    if (user.email === null) throw new RecipientGoneError("the user has no confirmed address any more");
    const reader = mailReader(site, user);
    const offer = mailOffer(site, user.language, notification);
    const mail = await renderMail(site, user.language, "discount", { ...reader, offer });
    const headers = unsubscribeHeaders(reader.unsubscribeLink);
    try {
      await mailer.send({
        to: user.email,
        messageId: mailId(site, "notification", notification.id),
        headers,
        ...mail,
      });
    } catch (error) {
      if (!(error instanceof MailRefusedError)) throw error;
      throw new RefusedForGoodError(error.message, { cause: error });
    }
  };
}

/** The same for each attempt at one mail. */
export function mailId(site: MailSite, kind: "notification" | "digest", id: number): string {
  return `<${kind}-${id}@${mailHost(site.baseUrl)}>`;
}

/** What mails of discounts tell their reader beside the discounts. */
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

/** A discount as mails show it. `language` is that of the account; null: not told. */
export function mailOffer(
  site: MailSite,
  language: string | null,
  notification: Omit<DueDelivery["notification"], "id">,
): MailOffer {
  const { itemKey, ...shown } = notification;
  return { ...shown, link: absoluteUrl(site.baseUrl, mailPaths(language).donateItem(itemKey)) };
}

/** A button of the mail program's own that needs no visit to the site: RFC 2369 and RFC 8058. */
export function unsubscribeHeaders(link: string): Record<string, string> {
  return { "List-Unsubscribe": `<${link}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" };
}
