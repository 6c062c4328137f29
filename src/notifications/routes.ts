import { fileURLToPath } from "node:url";
import { type RequestHandler, Router } from "express";
import type { AppContext } from "../http/context.ts";
import { notFound, problemHandler } from "../http/errors.ts";
import { mountReadOnly } from "../http/read-only.ts";
import { sendBody } from "../http/send.ts";
import { paths } from "../urls.ts";
import { buildNoticesFeed, readFeedToken } from "./feed.ts";
import { inboxChangedAt, listInbox } from "./inbox-queries.ts";
import { mountPushSubscriptions } from "./push/api.ts";
import { findMailAddress, isFeedOn } from "./settings-queries.ts";

const SERVICE_WORKER = fileURLToPath(new URL("../../public/service-worker.js", import.meta.url));
const FEED_ENTRIES = 50;

type Context = Pick<AppContext, "config" | "db" | "sessions">;

/** What of notifications is no page: Web Push with its service worker, and the private feed. */
export function notificationRoutes(context: Context): Router {
  const router = Router({ caseSensitive: true });
  mountReadOnly(router, paths.serviceWorker(), sendServiceWorker);
  mountPushSubscriptions(router, context);
  mountReadOnly(router, paths.notificationFeed(":token"), showFeed(context));
  router.use(problemHandler(context.config.baseUrl));
  return router;
}

/** From the root, because a service worker is in charge of what lies below its own path. */
const sendServiceWorker: RequestHandler = (_req, res) => {
  res.sendFile(SERVICE_WORKER, { cacheControl: false, headers: { "Cache-Control": "no-cache" } });
};

/** No log-in and no cookie: the link is the key. It must not get anywhere by the answer. */
function showFeed({ db, config }: Context): RequestHandler {
  const site = { name: config.siteName, baseUrl: config.baseUrl };
  return async (req, res) => {
    res.set("X-Robots-Tag", "noindex").set("Referrer-Policy", "no-referrer");
    const token = String(req.params.token);
    const key = readFeedToken(config.sessionSecret, token);
    if (!key || !(await isFeedOn(db, key.userId, key.version))) throw notFound("feed");
    // In this order: what changes in between makes Last-Modified too old, so the next request is answered.
    const changedAt = await inboxChangedAt(db, key.userId);
    const notices = await listInbox(db, key.userId, { limit: FEED_ENTRIES });
    const { timeZone } = await findMailAddress(db, key.userId);
    await sendBody(req, res, {
      type: "application/rss+xml",
      body: buildNoticesFeed(site, { token, timeZone }, notices, changedAt),
      cacheControl: "private, no-cache",
      lastModified: changedAt ?? undefined,
    });
  };
}
