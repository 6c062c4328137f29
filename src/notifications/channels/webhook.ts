import { createWebhookTransport } from "../webhooks/sender.ts";
import type { Channel } from "./channel.ts";

/** Messages to Discord and to other servers. Owners set them up on pages of their own: ../webhooks/pages.ts. */
export const webhook: Channel = {
  name: "webhook",
  delivery: {
    label: "webhooks.title",
    sends: "event",
    createTransport: ({ db, log, site, mailer, config: { privateAddresses } }) =>
      createWebhookTransport({
        db,
        log,
        site,
        egress: { opened: privateAddresses },
        sendsMail: mailer !== undefined,
      }),
  },
};
