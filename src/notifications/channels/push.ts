import { createHash } from "node:crypto";
import { z } from "zod";
import { viewerOf } from "../../web/pages/page.ts";
import { parseInput } from "../../web/request/input.ts";
import { localeOf } from "../../web/request/locale.ts";
import { oneOf } from "../../web/request/params.ts";
import { listSubscriptions, type Subscription, vapidKeys } from "../push/queries.ts";
import { createPushSender } from "../push/sender.ts";
import { saveSettings } from "../settings-queries.ts";
import type { Channel } from "./channel.ts";

const form = z.object({ push: oneOf(["on", "off"]) });

/** Web Push to each browser that subscribed. Browsers subscribe by script: ../push/api.ts. */
export const push: Channel = {
  name: "push",
  delivery: {
    label: "operator.deliveries.push",
    sends: "notification",
    toBrowsers: true,
    asked: "setting.push",
    wanted: "setting.push",
    createSender: ({ db, site, config: { pushServices, privateAddresses } }) =>
      createPushSender({ db, site, pushServices, egress: { opened: privateAddresses } }),
  },
  settings: {
    title: () => "Web Push",
    script: "notifications/push",
    async load({ db }, req) {
      const [browsers, keys] = await Promise.all([listSubscriptions(db, viewerOf(req).id), vapidKeys(db)]);
      return { browsers: browsers.map(withFingerprint), pushKey: keys.publicKey };
    },
    // Pauses it for all browsers, or resumes it.
    async save({ db }, req) {
      const isOn = parseInput(form, req).push === "on";
      await saveSettings(db, viewerOf(req).id, { push: isOn });
      const { t } = localeOf(req);
      return { said: isOn ? t("notifications.push.is_on") : t("notifications.push.is_paused") };
    },
  },
};

/** Lets the page's script find its own browser in the list: endpoints themselves are secret. */
function withFingerprint({ endpoint, ...browser }: Subscription) {
  return { ...browser, fingerprint: createHash("sha256").update(endpoint).digest("base64url") };
}
