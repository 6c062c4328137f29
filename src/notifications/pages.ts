import { type Request, type RequestHandler, type Response, Router } from "express";
import { z } from "zod";
import type { Db } from "../db/connect.ts";
import { shownTitle } from "../records/shown-title.ts";
import type { BaseContext } from "../web/pages/context.ts";
import { notFound } from "../web/pages/errors.ts";
import { renderPage, requireLogin, viewerOf } from "../web/pages/page.ts";
import { type FieldErrors, readOwnForm } from "../web/request/form.ts";
import { parseInput } from "../web/request/input.ts";
import { localeOf } from "../web/request/locale.ts";
import { oneOf, readNumber, wholeNumber } from "../web/request/params.ts";
import { refuseOthers } from "../web/server/methods.ts";
import { leaveFlash } from "../web/session/session.ts";
import { localName } from "../words/i18n/local-name.ts";
import { paths, withQuery } from "../words/urls.ts";
import { alertWords } from "./alerts/alert-words.ts";
import type { Channel, SettingsContext, SettingsSection } from "./channels/channel.ts";
import { CHANNELS } from "./channels.ts";
import { replanDigest } from "./email/digest.ts";
import {
  countInbox,
  findNotificationSubject,
  type InboxDiscount,
  listInbox,
  markNotificationsRead,
  markNotificationUnread,
  NOTIFICATIONS_LISTED,
  type NotificationSubject,
} from "./inbox-queries.ts";
import { removeSubscription } from "./push/queries.ts";
import { quietHours } from "./quiet-hours-settings.ts";
import { findMailAddress, loadSettings } from "./settings-queries.ts";

const notificationId = wholeNumber(1, 999_999_999_999_999);

/** Which notifications the inbox shows. Forms pass it on, to return to the same list. */
const show = oneOf(["all", "unread"]).default("all");

const notificationInput = z.object({ id: notificationId });
export const inboxInput = z.object({ show });
/** If there is no id, all of them are marked. */
const readInput = z.object({ id: notificationId.optional(), show });
const unreadInput = z.object({ id: notificationId, show });

/** The inbox, and the settings of notifications. */
export function notificationPages(context: BaseContext): Router {
  const { db } = context;
  const router = Router({ caseSensitive: true });
  mountPage(router, paths.notifications(), showInbox(db));
  mountForm(router, paths.notificationsRead(), markRead(db));
  mountForm(router, paths.notificationsUnread(), markUnread(db));
  mountPage(router, paths.notificationSettings(), (req, res) => renderSettings(context, req, res));
  for (const channel of SECTIONS) {
    mountForm(router, paths.notificationChannel(channel.name), saveChannel(context, channel));
  }
  mountForm(router, `${paths.notificationChannel("push")}/:id/remove`, removeBrowser(context));
  mountPage(router, `${paths.notifications()}/:id`, openNotification(db));
  return router;
}

function mountPage(router: Router, path: string, show: RequestHandler): void {
  router.route(path).get(requireLogin, show).all(refuseOthers);
}

function mountForm(router: Router, path: string, take: RequestHandler): void {
  router.route(path).post(readOwnForm, take).all(refuseOthers);
}

function showInbox(db: Db): RequestHandler {
  return async (req, res) => {
    const { show } = parseInput(inboxInput, req);
    const { t, paths, language } = localeOf(req);
    const userId = viewerOf(req).id;
    const [notifications, counts] = await Promise.all([
      listInbox(db, userId, { unread: show === "unread" }),
      countInbox(db, userId),
    ]);
    const head = {
      title: t("notifications.inbox.title"),
      noindex: true,
      styles: ["notifications/notifications"],
    };
    await renderPage(req, res, "notifications/list", head, {
      notifications: notifications.map((notification) => ({
        id: notification.id,
        created_at: notification.created_at,
        read_at: notification.read_at,
        alert:
          notification.alert === null
            ? undefined
            : { ...notification.alert, ...alertWords(notification.alert, t, language) },
        suggestion: notification.suggestion && {
          ...notification.suggestion,
          title: t(`suggestions.outcome.${notification.suggestion.state}`, notification.suggestion),
        },
        discount:
          notification.alert === null && notification.suggestion === null
            ? {
                ...notification,
                shown: localName(nameOf(notification), language),
                titled: shownTitle(notification, language),
              }
            : undefined,
      })),
      counts,
      show,
      listed: NOTIFICATIONS_LISTED,
      unreadList: withQuery(paths.notifications(), { show: "unread" }),
    });
  };
}

/** The item's name when the notification was created, and its current names by language. */
function nameOf({ item_name, item_names }: InboxDiscount) {
  return { name: item_name, names: item_names };
}

function markRead(db: Db): RequestHandler {
  return async (req, res) => {
    const { id, show } = parseInput(readInput, req);
    const userId = viewerOf(req).id;
    if (id !== undefined) await requireNotification(db, userId, id);
    await markNotificationsRead(db, userId, id);
    backToInbox(req, res, show);
  };
}

function markUnread(db: Db): RequestHandler {
  return async (req, res) => {
    const { id, show } = parseInput(unreadInput, req);
    const userId = viewerOf(req).id;
    await requireNotification(db, userId, id);
    await markNotificationUnread(db, userId, id);
    backToInbox(req, res, show);
  };
}

/** Marks the notification as read and redirects to its subject. It is a GET, because push notifications link here. */
function openNotification(db: Db): RequestHandler {
  return async (req, res) => {
    const { id } = notificationInput.safeParse(req.params).data ?? {};
    const userId = viewerOf(req).id;
    const { itemKey, serverId, kind, entryId } = await requireNotification(db, userId, id);
    if (isOpenedByUser(req)) await markNotificationsRead(db, userId, id);
    const { paths } = localeOf(req);
    const entry = kind !== null && entryId !== null ? paths.reported(kind, entryId) : paths.notifications();
    const shown =
      serverId !== null ? paths.server(serverId) : itemKey !== null ? paths.donateItem(itemKey) : entry;
    res.redirect(303, shown);
  };
}

/**
 * Browsers load some links ahead of a click that may never happen: https://wicg.github.io/nav-speculation/prefetch.html
 */
function isOpenedByUser(req: Request): boolean {
  return req.method === "GET" && !/\bprefetch\b/.test(req.get("sec-purpose") ?? "");
}

async function requireNotification(
  db: Db,
  userId: number,
  id: number | undefined,
): Promise<NotificationSubject> {
  const notification = id === undefined ? undefined : await findNotificationSubject(db, userId, id);
  if (!notification) throw notFound("notification");
  return notification;
}

function backToInbox(req: Request, res: Response, show: "all" | "unread"): void {
  const { paths } = localeOf(req);
  const list = withQuery(paths.notifications(), { show: show === "all" ? undefined : show });
  res.redirect(303, list);
}

type WithSettings = Pick<Channel, "name"> & { readonly settings: SettingsSection };

/** The sections of the settings page, in its order: those of the channels, then those about all channels. */
const SECTIONS: readonly WithSettings[] = [
  ...CHANNELS.flatMap(({ name, settings }) => (settings ? [{ name, settings }] : [])),
  { name: "quiet", settings: quietHours },
];

/** `POST /notifications/settings/<channel>` */
function saveChannel(context: SettingsContext, { settings }: WithSettings): RequestHandler {
  return async (req, res) => {
    const saved = await settings.save(context, req);
    if ("errors" in saved) {
      return renderSettings(context, req, res, saved.errors, settings.labels?.(localeOf(req).t));
    }
    await replanDigest(context.db, viewerOf(req).id);
    await backToSettings(req, res, saved.said);
  };
}

/** `POST /notifications/settings/push/:id/remove` */
function removeBrowser({ db }: SettingsContext): RequestHandler {
  return async (req, res) => {
    const removed = await removeSubscription(db, viewerOf(req).id, { id: readNumber(req.params.id) });
    if (!removed) throw notFound("browser");
    const { t } = localeOf(req);
    const browser = removed.browser ?? t("notifications.push.the_browser");
    await backToSettings(req, res, t("notifications.push.removed", { browser }));
  };
}

async function backToSettings(req: Request, res: Response, flash: string): Promise<void> {
  await leaveFlash(req, flash);
  res.redirect(303, localeOf(req).paths.notificationSettings());
}

/** The whole page, with the errors of a refused form beside its fields. */
async function renderSettings(
  context: SettingsContext,
  req: Request,
  res: Response,
  refused: FieldErrors = {},
  labels: Record<string, string> = {},
): Promise<void> {
  const { t } = localeOf(req);
  const errors = Object.fromEntries(
    Object.entries(labels).flatMap(([field, label]) =>
      refused[field] === undefined ? [] : [[field, t("input.sentence", { label, message: refused[field] })]],
    ),
  );
  const { id } = viewerOf(req);
  const [settings, address] = await Promise.all([
    loadSettings(context.db, id),
    findMailAddress(context.db, id),
  ]);
  const sections = await Promise.all(
    SECTIONS.map(async ({ name, settings: section }) => ({
      name,
      title: section.title(t),
      data: await section.load?.(context, req, settings),
    })),
  );
  const head = {
    title: t("notifications.settings.title"),
    noindex: true,
    // The page shows the feed's secret link.
    neverStore: true,
    scripts: SECTIONS.flatMap(({ settings: { script } }) => script ?? []),
    styles: ["notifications/notifications"],
    ...(Object.keys(errors).length > 0 && { status: 400 }),
  };
  await renderPage(req, res, "notifications/settings", head, { settings, address, errors, sections });
}
