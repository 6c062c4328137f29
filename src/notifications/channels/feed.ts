import { z } from "zod";
import { viewerOf } from "../../web/pages/page.ts";
import { parseInput } from "../../web/request/input.ts";
import { localeOf } from "../../web/request/locale.ts";
import { oneOf } from "../../web/request/params.ts";
import { absoluteUrl, paths } from "../../words/urls.ts";
import { feedToken } from "../feed.ts";
import { renewFeed, saveSettings } from "../settings-queries.ts";
import type { Channel } from "./channel.ts";

const form = z.object({ feed: oneOf(["on", "off", "renew"]) });

/** A private RSS feed, which its user's feed reader fetches. */
export const feed: Channel = {
  name: "feed",
  settings: {
    title: (t) => t("notifications.feed.title"),
    script: "web/copy",
    async load({ config }, req, { feedVersion: version }) {
      const token = feedToken(config.sessionSecret, { userId: viewerOf(req).id, version });
      return { feedLink: absoluteUrl(config.baseUrl, paths.notificationFeed(token)) };
    },
    // Switches the feed on, off, or on under a new link.
    async save({ db }, req) {
      const { feed } = parseInput(form, req);
      const { id } = viewerOf(req);
      if (feed === "renew") await renewFeed(db, id);
      else await saveSettings(db, id, { feed: feed === "on" });
      return { said: localeOf(req).t(`notifications.feed.saved_${feed}`) };
    },
  },
};
