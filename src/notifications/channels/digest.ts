import { createDigestSender } from "../email/digest-sender.ts";
import type { Channel } from "./channel.ts";
import { email } from "./email.ts";

/** At most one mail a day with all that waits and still runs. Its settings are among those of e-mail. */
export const digest: Channel = {
  name: "digest",
  delivery: {
    label: "operator.deliveries.digest",
    gathered: true,
    byMail: true,
    asked: "setting.email = 'daily'",
    wanted: "setting.email <> 'off'",
    missing: email.delivery?.missing,
    createSender: ({ mailer, site }) => mailer && createDigestSender(mailer, site),
  },
};
