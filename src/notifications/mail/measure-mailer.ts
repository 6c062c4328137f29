import type { Metrics } from "../../web/metrics/metrics.ts";
import { MailRefusedError } from "./failures.ts";
import type { Mailer } from "./mail.ts";

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
