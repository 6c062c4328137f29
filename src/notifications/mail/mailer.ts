import { isIP } from "node:net";
import type { Logger } from "pino";
import type { MailSetting } from "../../settings/mail.ts";
import type { Metrics } from "../../web/metrics/metrics.ts";
import { folderMailer } from "./folder.ts";
import type { Mailer } from "./mail.ts";
import { MailRefusedError, type SmtpTimes, smtpMailer } from "./smtp.ts";

export interface MailerOptions {
  /** `Name <address>` or an address; by default the site's name, at its host. */
  readonly from: string | undefined;
  readonly siteName: string;
  readonly baseUrl: string;
  readonly log: Logger;
  /** For tests. */
  readonly times?: Partial<SmtpTimes>;
}

/** Undefined if the site sends no mail. */
export function createMailer(setting: MailSetting, options: MailerOptions): Mailer | undefined {
  const from = options.from ?? { name: options.siteName, address: `no-reply@${mailHost(options.baseUrl)}` };
  if (setting.kind === "smtp") return smtpMailer(setting, from, options.times);
  if (setting.kind === "files") return folderMailer(setting.directory, from, options.log);
  return undefined;
}

/** Wraps a mailer to count its attempts. */
export function measureMailer({ mails }: Metrics, mailer: Mailer): Mailer {
  return {
    close: () => mailer.close(),
    send: async (mail) => {
      try {
        const answer = await mailer.send(mail);
        mails.inc({ outcome: "sent" });
        return answer;
      } catch (error) {
        mails.inc({ outcome: error instanceof MailRefusedError ? "refused" : "failed" });
        throw error;
      }
    },
  };
}

/** A site's host as written after the @ of an address; an IP address as RFC 5321, section 4.1.3, writes it. */
export function mailHost(baseUrl: string): string {
  const host = new URL(baseUrl).hostname;
  if (host.startsWith("[")) return `[IPv6:${host.slice(1)}`;
  return isIP(host) ? `[${host}]` : host;
}
