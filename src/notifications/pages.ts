import { type RequestHandler, Router } from "express";
import { z } from "zod";
import type { Db } from "../db/connect.ts";
import type { AppContext } from "../http/context.ts";
import { methodNotAllowed, notFound } from "../http/errors.ts";
import { parseInput, readBody } from "../http/input.ts";
import { renderPage, requireLogin, viewerOf } from "../http/page.ts";
import { wholeNumber } from "../http/params.ts";
import { paths } from "../urls.ts";
import { hasNotice, listNotices, markRead, NOTICES_KEPT } from "./queries.ts";

/** Without an id: all of them. */
const readInput = z.object({ id: wholeNumber(1, 999_999_999_999_999).optional() });

/** The inbox of notices. */
export function notificationPages({ db }: AppContext): Router {
  const router = Router({ caseSensitive: true });
  router
    .route(paths.notifications())
    .get(requireLogin, showNotifications(db))
    .all((_req, _res, next) => next(methodNotAllowed(["GET", "HEAD"])));
  router
    .route(paths.notificationsRead())
    .post(requireLogin, readBody, markNotificationsRead(db))
    .all((_req, _res, next) => next(methodNotAllowed(["POST"])));
  return router;
}

function showNotifications(db: Db): RequestHandler {
  return async (req, res) => {
    const notices = await listNotices(db, viewerOf(req).id);
    const head = { title: "Notifications", noindex: true };
    await renderPage(req, res, "notifications/list", head, { notices, kept: NOTICES_KEPT });
  };
}

function markNotificationsRead(db: Db): RequestHandler {
  return async (req, res) => {
    const { id } = parseInput(readInput, req);
    const userId = viewerOf(req).id;
    if (id !== undefined && !(await hasNotice(db, userId, id))) throw notFound("notification");
    await markRead(db, userId, id);
    res.set("Cache-Control", "no-store").redirect(303, paths.notifications());
  };
}
