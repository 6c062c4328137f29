import type { Metrics } from "../../web/metrics/metrics.ts";
import { MailRefusedError } from "./failures.ts";
import type { Mailer } from "./mail.ts";

/** Wraps a mailer to count its attempts. */
export function measureMailer({ mails }: Metrics, mailer: Mailer): Mailer {
  return {
    close: () => mailer.close(),
    send: async (mail) => {
      try {
        await mailer.send(mail);
      } catch (error) {
        mails.inc({ outcome: error instanceof MailRefusedError ? "refused" : "failed" });
        throw error;
      }
      mails.inc({ outcome: "sent" });
    },
  };
}
