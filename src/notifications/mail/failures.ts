import type { NodemailerError } from "nodemailer";

/** The server refused this mail or its recipient for good; a retry cannot help. */
export class MailRefusedError extends Error {
  override name = "MailRefusedError";
}

/** Commands whose replies are about this mail. MAIL FROM is not, because the operator has to fix a wrong sender. */
const ABOUT_THE_MAIL = new Set(["RCPT TO", "DATA"]);

/**
 * Enhanced status codes that refuse this recipient or this mail: no such address or domain, a malformed address, a
 * disabled mailbox, too large a mail, refused content. All others are temporary: a full mailbox or system, routing, and
 * above all the sender's quota, reputation or DNS records (5.4.5 and 5.7.x). Sources: RFC 3463, section 3, RFC 7293,
 * section 7, RFC 7505, section 5.
 */
const FINAL_STATUS = /^5\.(1\.([12346]|10)|2\.[13]|3\.4|5\.[24]|6\.\d+|7\.1[78])$/;

/**
 * Replies without an enhanced status code that refuse the recipient or the mail (RFC 5321, section 4.2.3, and RFC 7504).
 * Not 552, which also says that a mailbox is full.
 */
const FINAL_REPLY = new Set([501, 550, 551, 553, 554, 555, 556]);

/** Many servers use a final code for a temporary refusal, and say so in words. */
const SAYS_LATER = /\b(re)?try\b[^.;]{0,60}\blater\b|\btry again\b|\btemporar(y|ily)\b/i;

/** Words of replies without an enhanced status code that are about the sender: its quota, reputation or DNS records. */
const ABOUT_THE_SENDER =
  /\b(sender|sending|rate|quota|limit(s|ed)?|too many|reputation|(black|block|deny)[ -]?list(s|ed)?|unsolicited|spam|your (ip|host|domain|server)|spf|dkim|dmarc|dns(bl)?)\b/i;

/**
 * Converts a failure to MailRefusedError if it is final, otherwise to an error with a readable message. A wrong log-in,
 * a used-up quota or a server that is down are not final: the operator can fix them while the mail waits.
 */
export function explainFailure(error: NodemailerError, sendMs: number): Error {
  if (isFinal(error)) return new MailRefusedError(error.message, { cause: error });
  if (error.code !== "EABORT") return error;
  return new Error(`The mail server did not take the e-mail within ${sendMs / 1000} s`, { cause: error });
}

function isFinal({ code, command = "", responseCode, response = "" }: NodemailerError): boolean {
  // Without a reply nodemailer itself refused it, for example because of an invalid address or its size.
  if (responseCode === undefined) return code === "EENVELOPE" || code === "EMESSAGE";
  if (responseCode < 500 || !ABOUT_THE_MAIL.has(command) || SAYS_LATER.test(response)) return false;
  const status = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/m.exec(response)?.[1];
  if (status !== undefined) return FINAL_STATUS.test(status);
  return FINAL_REPLY.has(responseCode) && !ABOUT_THE_SENDER.test(response);
}
