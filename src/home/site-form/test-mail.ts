import { randomUUID } from "node:crypto";
import ejs from "ejs";
import type { Logger } from "pino";
import { createMailer, mailHost } from "../../notifications/mail/mailer.ts";
import type { AppConfig } from "../../web/pages/context.ts";
import type { Locale } from "../../web/request/locale.ts";
import type { Tone } from "../../web/session/session.ts";

const LONGEST_ANSWER = 500;
/** Short, because somebody waits for the page. */
const TIMES = { connect: 5_000, silence: 5_000, send: 12_000, close: 0 };

/** Sends a mail as the site does. Says what the server answered, and how long that took. */
export async function sendTestMail(
  { mail, mailFrom: from, siteName, baseUrl }: AppConfig,
  { to, log, locale: { t, format } }: { to: string; log: Logger; locale: Pick<Locale, "t" | "format"> },
): Promise<{ text: string; tone: Tone }> {
  const mailer = createMailer(mail, { from, siteName, baseUrl, log, times: TIMES });
  if (!mailer || to === "") return { text: t("site_settings.test.nothing"), tone: "danger" };
  const subject = t("site_settings.test.subject", { site: siteName });
  const messageId = `<test-${randomUUID()}@${mailHost(baseUrl)}>`;
  const began = performance.now();
  const seconds = () => format.number(Math.round((performance.now() - began) / 100) / 10);
  try {
    const answer = await mailer.send({ to, messageId, subject, text: subject, html: ejs.escapeXML(subject) });
    return {
      text: t("site_settings.test.sent", { seconds: seconds(), answer: answer.slice(0, LONGEST_ANSWER) }),
      tone: "success",
    };
  } catch (error) {
    const reason = describeFailure(error as SmtpError, t);
    return { text: t("site_settings.test.failed", { seconds: seconds(), reason }), tone: "danger" };
  } finally {
    await mailer.close();
  }
}

type SmtpError = Error & { readonly response?: string; readonly code?: string };

function describeFailure(error: SmtpError, t: Locale["t"]): string {
  const said = `${error.code} ${error.message}`;
  const answer = error.response ?? (error.cause as SmtpError | undefined)?.response;
  if (answer) return t("site_settings.test.refused", { answer: answer.slice(0, LONGEST_ANSWER) });
  if (/is not on the Internet/.test(said)) return t("site_settings.test.private");
  if (/ENOTFOUND|EAI_AGAIN|EDNS/.test(said)) return t("site_settings.test.unknown");
  if (/ECONNREFUSED|ETIMEDOUT|timeout|within \d+ s|in time/i.test(said))
    return t("site_settings.test.silent");
  return error.message;
}
