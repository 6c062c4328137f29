import type { Metrics } from "../../web/metrics/metrics.ts";
import type { Mailer } from "./mail.ts";
import { MailRefusedError } from "./smtp.ts";

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
