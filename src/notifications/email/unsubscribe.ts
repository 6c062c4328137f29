import { type Request, type RequestHandler, Router } from "express";
import type { Db } from "../../db/connect.ts";
import type { BaseContext } from "../../web/pages/context.ts";
import { pageErrorHandler } from "../../web/pages/error-page.ts";
import { notFound } from "../../web/pages/errors.ts";
import { type PageHead, renderPage } from "../../web/pages/page.ts";
import { localeOf } from "../../web/request/locale.ts";
import { refuseOthers } from "../../web/server/methods.ts";
import { keepAddressSecret } from "../../web/server/security.ts";
import { loadViewer } from "../../web/session/viewer.ts";
import { paths } from "../../words/urls.ts";
import { findMailedUser, saveSettings } from "../settings-queries.ts";
import { readUnsubscribeToken } from "./unsubscribe-token.ts";

/**
 * The unsubscribe links of mails. GET shows a button and changes nothing, because mail scanners open links. POST
 * unsubscribes at once, without log-in or cookie, because mail programs post from their own servers (RFC 8058). So it is
 * mounted before the check of cross-site writes.
 */
export function unsubscribeRoutes(context: BaseContext): Router {
  const { db, config } = context;
  const router = Router({ caseSensitive: true });
  router
    .route(paths.unsubscribe(":token"))
    .all(keepAddressSecret, loadViewer(context))
    .get(showUnsubscribe(db, config.sessionSecret))
    .post(unsubscribe(db, config.sessionSecret))
    .all(refuseOthers);
  router.use(pageErrorHandler);
  return router;
}

/** Keeps the token out of referrers, caches and search engines. */
function createHead(req: Request): PageHead {
  const title = localeOf(req).t("notifications.unsubscribe.title");
  return { title, noindex: true, neverStore: true, canonical: paths.notificationSettings() };
}

function showUnsubscribe(db: Db, secret: string): RequestHandler {
  return async (req, res) => {
    const userId = readUser(req, secret);
    const user = await findMailedUser(db, userId);
    await renderPage(req, res, "notifications/unsubscribe", createHead(req), { user, done: !user?.mailed });
  };
}

/** A user who is gone gets no mail either, so that is no error. */
function unsubscribe(db: Db, secret: string): RequestHandler {
  return async (req, res) => {
    const userId = readUser(req, secret);
    const user = await findMailedUser(db, userId);
    // The jobs of waiting mails drop them.
    if (user) await saveSettings(db, userId, { email: "off" });
    await renderPage(req, res, "notifications/unsubscribe", createHead(req), { user, done: true });
  };
}

function readUser(req: Request, secret: string): number {
  const userId = readUnsubscribeToken(secret, String(req.params.token));
  if (userId === undefined) throw notFound("unsubscribe_link");
  return userId;
}
