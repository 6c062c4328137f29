import type * as nodemailer from "nodemailer";
import type { SendMailOptions } from "nodemailer";
import { lazyPackage } from "../../settings/lazy-package.ts";
import type { Mail, MailSender } from "./mail.ts";

export const loadNodemailer = lazyPackage<typeof nodemailer>("nodemailer");

/** Prevents automatic replies: RFC 3834, section 5, and a header of Exchange. */
const NO_ANSWERS = { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" };

/** A mail as nodemailer takes it. */
export function mimeMessage({ to, headers, ...mail }: Mail, from: MailSender): SendMailOptions {
  return {
    ...mail,
    from: typeof from === "string" ? from : { ...from },
    // An object is one address, while a text would be split at its commas.
    to: { name: "", address: to },
    headers: unfolded({ ...NO_ANSWERS, ...headers }),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/**
 * Each header on one line, even a long link: servers that unfold lines after signing a mail break the signature.
 * Source: https://github.com/nodemailer/nodemailer/issues/1654
 */
function unfolded(headers: Record<string, string>): SendMailOptions["headers"] {
  return Object.fromEntries(
    Object.entries(headers).map(([key, value]) => [
      key,
      { prepared: true, value: value.replace(/[\r\n]+/g, " ") },
    ]),
  );
}
