import { createHash } from "node:crypto";
import type { Request, RequestHandler, Response } from "express";
import type { AppContext } from "../http/context.ts";
import { notFound } from "../http/errors.ts";
import { type FieldErrors, readForm, typedText } from "../http/form.ts";
import { parseInput } from "../http/input.ts";
import { localeOf } from "../http/locale.ts";
import { renderPage, viewerOf } from "../http/page.ts";
import { leaveFlash } from "../http/session.ts";
import { absoluteUrl, paths } from "../urls.ts";
import { feedToken } from "./feed.ts";
import { listSubscriptions, removeSubscription, type Subscription } from "./push/queries.ts";
import { vapidKeys } from "./push/vapid-queries.ts";
import { emailForm, feedForm, pushForm } from "./schemas.ts";
import {
  type EmailChoice,
  findMailAddress,
  loadSettings,
  type NotificationSettings,
  renewFeed,
  saveSettings,
} from "./settings-queries.ts";

type Context = Pick<AppContext, "config" | "db">;

/** `GET /notifications/settings` */
export function showSettings(context: Context): RequestHandler {
  return (req, res) => renderSettings(context, req, res);
}

/** `POST /notifications/settings/email`: refused where no mail could ever come, so that nobody waits for it. */
export function saveEmail(context: Context): RequestHandler {
  const { db, config } = context;
  return async (req, res) => {
    const form = readForm(emailForm, req);
    if (form.errors) return renderSettings(context, req, res, form.errors);
    const { email, digest_hour } = form.values;
    const { id } = viewerOf(req);
    const { t } = localeOf(req);
    const fault = email === "off" ? undefined : await mailFault(context, id);
    if (fault !== undefined) return renderSettings(context, req, res, { email: t(fault) });
    await saveSettings(db, id, { email, ...(digest_hour !== undefined && { digestHour: digest_hour }) });
    await backToSettings(req, res, t(SAVED[email]));
  };

  async function mailFault({ db }: Context, userId: number) {
    if (config.mail.kind === "none") return "notifications.fault.no_mail";
    const { confirmedEmail } = await findMailAddress(db, userId);
    return confirmedEmail === null ? "notifications.fault.no_address" : undefined;
  }
}

/** What is said once it is saved. */
const SAVED = {
  off: "notifications.email.saved_off",
  each: "notifications.email.saved_each",
  daily: "notifications.email.saved_daily",
} as const satisfies Record<EmailChoice, string>;

/** `POST /notifications/settings/push`: stops it for all browsers, or goes on. */
export function switchPush({ db }: Context): RequestHandler {
  return async (req, res) => {
    const { push } = parseInput(pushForm, req);
    await saveSettings(db, viewerOf(req).id, { push: push === "on" });
    const { t } = localeOf(req);
    const done = push === "on" ? t("notifications.push.is_on") : t("notifications.push.is_paused");
    await backToSettings(req, res, done);
  };
}

/** `POST /notifications/settings/push/:id/remove` */
export function removeBrowser({ db }: Context): RequestHandler {
  return async (req, res) => {
    const id = /^\d{1,15}$/.exec(String(req.params.id))?.[0];
    const removed = id && (await removeSubscription(db, viewerOf(req).id, { id: Number(id) }));
    if (!removed) throw notFound("browser");
    const { t } = localeOf(req);
    const browser = removed.browser ?? t("notifications.push.the_browser");
    await backToSettings(req, res, t("notifications.push.removed", { browser }));
  };
}

/** `POST /notifications/settings/feed`: on, off, or on under a new link. */
export function switchFeed({ db }: Context): RequestHandler {
  const said = {
    on: "notifications.feed.is_on",
    off: "notifications.feed.is_off",
    renew: "notifications.feed.is_renewed",
  } as const;
  return async (req, res) => {
    const { feed } = parseInput(feedForm, req);
    const { id } = viewerOf(req);
    if (feed === "renew") await renewFeed(db, id);
    else await saveSettings(db, id, { feed: feed === "on" });
    await backToSettings(req, res, localeOf(req).t(said[feed]));
  };
}

async function backToSettings(req: Request, res: Response, flash: string): Promise<void> {
  await leaveFlash(req, flash);
  res.set("Cache-Control", "no-store").redirect(303, localeOf(req).paths.notificationSettings());
}

/** The whole page; with the e-mail form refused, its messages beside its fields. */
async function renderSettings(
  { db, config }: Context,
  req: Request,
  res: Response,
  faults: FieldErrors = {},
): Promise<void> {
  const { t } = localeOf(req);
  const labels = { email: t("notifications.email.title"), digest_hour: t("notifications.email.hour_short") };
  const errors = Object.fromEntries(
    Object.entries(labels).flatMap(([field, label]) =>
      faults[field] === undefined ? [] : [[field, t("input.sentence", { label, message: faults[field] })]],
    ),
  );
  const { id } = viewerOf(req);
  const [settings, address, browsers, keys] = await Promise.all([
    loadSettings(db, id),
    findMailAddress(db, id),
    listSubscriptions(db, id),
    vapidKeys(db),
  ]);
  const head = {
    title: t("notifications.settings.title"),
    noindex: true,
    // The feed's link is a secret.
    neverStore: true,
    scripts: ["copy", "notifications-push"],
    styles: ["notifications"],
    ...(Object.keys(errors).length > 0 && { status: 400 }),
  };
  const token = feedToken(config.sessionSecret, { userId: id, version: settings.feedVersion });
  await renderPage(req, res, "notifications/settings", head, {
    settings,
    address,
    errors,
    typed: typedEmail(req, settings),
    sendsMail: config.mail.kind !== "none",
    browsers: browsers.map(withFingerprint),
    pushKey: keys.publicKey,
    feedLink: absoluteUrl(config.baseUrl, paths.notificationFeed(token)),
  });
}

/** What was sent stays in the form where it was refused. */
function typedEmail(req: Request, { email, digestHour }: NotificationSettings) {
  const typed = typedText(req, ["email", "digest_hour"]);
  return { email: typed.email || email, hour: typed.digest_hour || digestHour };
}

/** By this the page's script knows its own browser in the list: an endpoint itself is a secret of that browser. */
function withFingerprint({ endpoint, ...browser }: Subscription) {
  return { ...browser, fingerprint: createHash("sha256").update(endpoint).digest("base64url") };
}
