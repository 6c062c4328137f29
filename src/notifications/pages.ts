import { type Request, type RequestHandler, type Response, Router } from "express";
import type { Db } from "../db/connect.ts";
import type { AppContext } from "../http/context.ts";
import { methodNotAllowed, notFound } from "../http/errors.ts";
import { parseInput, readBody } from "../http/input.ts";
import { renderPage, requireLogin, viewerOf } from "../http/page.ts";
import { paths, withQuery } from "../urls.ts";
import {
  countInbox,
  findNoticeItem,
  listInbox,
  markNoticesRead,
  markNoticeUnread,
  NOTICES_LISTED,
} from "./inbox-queries.ts";
import { inboxInput, noticeInput, readInput, unreadInput } from "./schemas.ts";
import { removeBrowser, saveEmail, showSettings, switchFeed, switchPush } from "./settings.ts";

/** The inbox of notices, and what a user wants to be told how. */
export function notificationPages(context: AppContext): Router {
  const { db } = context;
  const router = Router({ caseSensitive: true });
  mountPage(router, paths.notifications(), showInbox(db));
  mountForm(router, paths.notificationsRead(), markRead(db));
  mountForm(router, paths.notificationsUnread(), markUnread(db));
  mountPage(router, paths.notificationSettings(), showSettings(context));
  mountForm(router, paths.notificationEmail(), saveEmail(context));
  mountForm(router, paths.notificationPush(), switchPush(context));
  mountForm(router, `${paths.notificationPush()}/:id/remove`, removeBrowser(context));
  mountForm(router, paths.notificationFeedSwitch(), switchFeed(context));
  mountPage(router, `${paths.notifications()}/:id`, openNotice(db));
  return router;
}

function mountPage(router: Router, path: string, show: RequestHandler): void {
  const refuse: RequestHandler = (_req, _res, next) => next(methodNotAllowed(["GET", "HEAD"]));
  router.route(path).get(requireLogin, show).all(refuse);
}

function mountForm(router: Router, path: string, take: RequestHandler): void {
  const refuse: RequestHandler = (_req, _res, next) => next(methodNotAllowed(["POST"]));
  router.route(path).post(requireLogin, readBody, take).all(refuse);
}

function showInbox(db: Db): RequestHandler {
  return async (req, res) => {
    const { show } = parseInput(inboxInput, req);
    const userId = viewerOf(req).id;
    const [notices, counts] = await Promise.all([
      listInbox(db, userId, { unread: show === "unread" }),
      countInbox(db, userId),
    ]);
    const head = { title: "Notifications", noindex: true, styles: ["notifications"] };
    await renderPage(req, res, "notifications/list", head, {
      notices,
      counts,
      show,
      listed: NOTICES_LISTED,
      unreadList: withQuery(paths.notifications(), { show: "unread" }),
    });
  };
}

function markRead(db: Db): RequestHandler {
  return async (req, res) => {
    const { id, show } = parseInput(readInput, req);
    const userId = viewerOf(req).id;
    if (id !== undefined) await requireNotice(db, userId, id);
    await markNoticesRead(db, userId, id);
    backToInbox(res, show);
  };
}

function markUnread(db: Db): RequestHandler {
  return async (req, res) => {
    const { id, show } = parseInput(unreadInput, req);
    const userId = viewerOf(req).id;
    await requireNotice(db, userId, id);
    await markNoticeUnread(db, userId, id);
    backToInbox(res, show);
  };
}

/** Marks the notice as read and goes on to its item. Browsers' notices lead here, so it is a link. */
function openNotice(db: Db): RequestHandler {
  return async (req, res) => {
    const { id } = noticeInput.safeParse(req.params).data ?? {};
    const userId = viewerOf(req).id;
    const { itemKey } = await requireNotice(db, userId, id);
    if (isOpenedByUser(req)) await markNoticesRead(db, userId, id);
    const destination = itemKey === null ? paths.notifications() : paths.donateItem(itemKey);
    res.set("Cache-Control", "no-store").redirect(303, destination);
  };
}

/** Browsers load some links ahead of a click that may never come: https://wicg.github.io/nav-speculation/prefetch.html */
function isOpenedByUser(req: Request): boolean {
  return req.method === "GET" && !/\bprefetch\b/.test(req.get("sec-purpose") ?? "");
}

async function requireNotice(
  db: Db,
  userId: number,
  id: number | undefined,
): Promise<{ itemKey: string | null }> {
  const notice = id === undefined ? undefined : await findNoticeItem(db, userId, id);
  if (!notice) throw notFound("notification");
  return notice;
}

function backToInbox(res: Response, show: "all" | "unread"): void {
  const list = withQuery(paths.notifications(), { show: show === "all" ? undefined : show });
  res.set("Cache-Control", "no-store").redirect(303, list);
}
