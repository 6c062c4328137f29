import { createHash } from "node:crypto";
import type { Request, RequestHandler, Response } from "express";
import type { AppContext } from "../http/context.ts";
import { notFound } from "../http/errors.ts";
import { type FieldErrors, readForm } from "../http/form.ts";
import { parseInput } from "../http/input.ts";
import { renderPage, viewerOf } from "../http/page.ts";
import { saveSession } from "../http/session.ts";
import { absoluteUrl, paths } from "../urls.ts";
import { feedToken } from "./feed.ts";
import { listSubscriptions, removeSubscription, type Subscription } from "./push/queries.ts";
import { vapidKeys } from "./push/vapid-queries.ts";
import { emailForm, feedForm, pushForm } from "./schemas.ts";
import { findMailAddress, loadSettings, renewFeed, saveSettings } from "./settings-queries.ts";

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
    const fault = email === "off" ? undefined : await mailFault(context, id);
    if (fault !== undefined) return renderSettings(context, req, res, { email: fault });
    await saveSettings(db, id, { email, ...(digest_hour !== undefined && { digestHour: digest_hour }) });
    const said = { off: "You get no e-mail about discounts.", each: "Each discount is e-mailed to you." };
    const daily = "You get at most one e-mail a day about discounts.";
    await backToSettings(req, res, email === "daily" ? daily : said[email]);
  };

  async function mailFault({ db }: Context, userId: number): Promise<string | undefined> {
    if (config.mail.kind === "none") return "is not possible: this site sends none";
    const { confirmedEmail } = await findMailAddress(db, userId);
    return confirmedEmail === null ? "needs an address that you have confirmed" : undefined;
  }
}

/** `POST /notifications/settings/push`: stops it for all browsers, or goes on. */
export function switchPush({ db }: Context): RequestHandler {
  return async (req, res) => {
    const { push } = parseInput(pushForm, req);
    await saveSettings(db, viewerOf(req).id, { push: push === "on" });
    await backToSettings(req, res, push === "on" ? "Web Push is on again." : "Web Push is paused.");
  };
}

/** `POST /notifications/settings/push/:id/remove` */
export function removeBrowser({ db }: Context): RequestHandler {
  return async (req, res) => {
    const id = /^\d{1,15}$/.exec(String(req.params.id))?.[0];
    const removed = id && (await removeSubscription(db, viewerOf(req).id, { id: Number(id) }));
    if (!removed) throw notFound("browser");
    await backToSettings(req, res, `${removed.browser ?? "The browser"} gets no notices any more.`);
  };
}

/** `POST /notifications/settings/feed`: on, off, or on under a new link. */
export function switchFeed({ db }: Context): RequestHandler {
  const said = {
    on: "Your feed is on.",
    off: "Your feed is off: its link leads nowhere.",
    renew: "Your feed has a new link. The old one leads nowhere.",
  };
  return async (req, res) => {
    const { feed } = parseInput(feedForm, req);
    const { id } = viewerOf(req);
    if (feed === "renew") await renewFeed(db, id);
    else await saveSettings(db, id, { feed: feed === "on" });
    await backToSettings(req, res, said[feed]);
  };
}

async function backToSettings(req: Request, res: Response, flash: string): Promise<void> {
  req.session.flash = flash;
  await saveSession(req);
  res.set("Cache-Control", "no-store").redirect(303, paths.notificationSettings());
}

/** The whole page; with the e-mail form refused, its messages beside its fields. */
async function renderSettings(
  { db, config }: Context,
  req: Request,
  res: Response,
  errors: FieldErrors = {},
): Promise<void> {
  const { id } = viewerOf(req);
  const [settings, address, browsers, keys] = await Promise.all([
    loadSettings(db, id),
    findMailAddress(db, id),
    listSubscriptions(db, id),
    vapidKeys(db),
  ]);
  const head = {
    title: "Notification settings",
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
    sendsMail: config.mail.kind !== "none",
    browsers: browsers.map(withFingerprint),
    pushKey: keys.publicKey,
    feedLink: absoluteUrl(config.baseUrl, paths.notificationFeed(token)),
  });
}

/** By this the page's script knows its own browser in the list: an endpoint itself is a secret of that browser. */
function withFingerprint({ endpoint, ...browser }: Subscription) {
  return { ...browser, fingerprint: createHash("sha256").update(endpoint).digest("base64url") };
}
