import { type RequestHandler, Router } from "express";
import { hasLateWrites } from "../db/late-writes.ts";
import { sendBody } from "../web/answers/send.ts";
import type { BaseContext } from "../web/pages/context.ts";
import { notFound, problemHandler } from "../web/pages/errors.ts";
import { mountReadOnly } from "../web/server/methods.ts";
import { paths } from "../words/urls.ts";
import { buildNotificationsFeed, readFeedToken } from "./feed.ts";
import { inboxChangedAt, listInbox } from "./inbox-queries.ts";
import { mountPushSubscriptions } from "./push/api.ts";
import { findMailAddress, isFeedOn } from "./settings-queries.ts";

const FEED_ENTRIES = 50;

type Context = Pick<BaseContext, "config" | "db" | "sessions">;

/** Web Push subscriptions and the private feed. */
export function notificationRoutes(context: Context): Router {
  const router = Router({ caseSensitive: true });
  mountPushSubscriptions(router, context);
  mountReadOnly(router, paths.notificationFeed(":token"), showFeed(context));
  router.use(problemHandler(context.config.baseUrl));
  return router;
}

/** Needs no log-in: the link is the key, so the response must not leak it. */
function showFeed({ db, config }: Context): RequestHandler {
  const { siteName: name, baseUrl, imageHosts } = config;
  const site = { name, baseUrl, imageHosts };
  return async (req, res) => {
    res.set("X-Robots-Tag", "noindex").set("Referrer-Policy", "no-referrer");
    const token = String(req.params.token);
    const key = readFeedToken(config.sessionSecret, token);
    if (!key || !(await isFeedOn(db, key.userId, key.version))) throw notFound("feed");
    const isUnsettled = await hasLateWrites(db);
    // In this order, because a change in between makes Last-Modified too old, and the next request gets a full
    // response.
    const changedAt = await inboxChangedAt(db, key.userId);
    const notifications = await listInbox(db, key.userId, { limit: FEED_ENTRIES });
    const { timeZone, language } = await findMailAddress(db, key.userId);
    await sendBody(req, res, {
      type: "application/rss+xml",
      body: buildNotificationsFeed(site, { token, timeZone, language }, notifications, changedAt),
      cacheControl: "private, no-cache",
      lastModified: isUnsettled ? "unsettled" : (changedAt ?? undefined),
    });
  };
}
