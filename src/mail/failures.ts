import type { NodemailerError } from "nodemailer";

/** The server refused this mail or its recipient for good; a retry is no use. */
export class MailRefusedError extends Error {
  override name = "MailRefusedError";
}

/** Commands whose replies are about this mail. Not MAIL FROM: a wrong sender is for the operator to fix. */
const ABOUT_THE_MAIL = new Set(["RCPT TO", "DATA"]);

/**
 * Replies that are about the session or the log-in, whichever command they answer.
 * Source: RFC 5321, section 4.2.3, and RFC 4954, section 6.
 */
const ABOUT_THE_SESSION = new Set([503, 530, 534, 535, 538]);

/**
 * Turns a failure into MailRefusedError where it is final, otherwise into an error with a readable message. A wrong log-in
 * or a server that is down are not final: the operator can fix them while the mail waits.
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
  // Without a reply nodemailer itself refused it, such as an invalid address or too large a mail.
  return code === "EENVELOPE" || code === "EMESSAGE";
}
