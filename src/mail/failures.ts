import type { NodemailerError } from "nodemailer";

/** The server refused this mail or its recipient for good: the same attempt would end in the same way. */
export class MailRefusedError extends Error {
  override name = "MailRefusedError";
}

/** Commands whose replies are about this mail. MAIL FROM is not: the sender is the operator's to mend. */
const ABOUT_THE_MAIL = new Set(["RCPT TO", "DATA"]);

/**
 * Replies that are about the session or the log-in, whichever command they answer.
 * Source: RFC 5321, section 4.2.3, and RFC 4954, section 6.
 */
const ABOUT_THE_SESSION = new Set([503, 530, 534, 535, 538]);

/**
 * What a failed attempt comes to: MailRefusedError where it is final, an error with a readable message where it may
 * pass. A wrong log-in and a server that is away are the operator's to mend, and the mail can wait for that.
 */
export function explainFailure(error: NodemailerError, sendMs: number): Error {
  if (isFinal(error)) return new MailRefusedError(error.message, { cause: error });
  if (error.code !== "EABORT") return error;
  return new Error(`The mail server did not take the e-mail within ${sendMs / 1000} s`, { cause: error });
}

function isFinal({ code, command = "", responseCode }: NodemailerError): boolean {
  if (responseCode !== undefined) {
    return responseCode >= 500 && ABOUT_THE_MAIL.has(command) && !ABOUT_THE_SESSION.has(responseCode);
  }
  // Without a reply: what nodemailer itself does not let out, such as an address that is none or too large a mail.
  return code === "EENVELOPE" || code === "EMESSAGE";
}
