import { randomUUID } from "node:crypto";
import { type Request, type RequestHandler, type Response, Router } from "express";
import type { BaseContext } from "../../web/pages/context.ts";
import { notFound } from "../../web/pages/errors.ts";
import { renderPage, requireLogin, viewerOf } from "../../web/pages/page.ts";
import {
  type FieldErrors,
  readForm,
  readTypedForm,
  requireOperator,
  typedText,
} from "../../web/request/form.ts";
import { type Locale, localeOf } from "../../web/request/locale.ts";
import { only } from "../../web/server/methods.ts";
import { logSecurity } from "../../web/server/security-log.ts";
import { leaveFlash } from "../../web/session/session.ts";
import { LANGUAGES, languageName } from "../../words/i18n/languages.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { isHidden } from "../../words/kinds/hidden-sections.ts";
import { paths } from "../../words/urls.ts";
import { actOnWebhook } from "./actions.ts";
import { readDestination } from "./destination.ts";
import { EVENTS } from "./events.ts";
import { faults } from "./faults.ts";
import {
  addWebhook,
  findWebhook,
  hasRetry,
  listDeliveries,
  listWebhooks,
  type Owner,
  SITE_WEBHOOKS_AT_MOST,
  WEBHOOKS_AT_MOST,
  type Webhook,
} from "./queries.ts";
import { chosenEvents, newWebhookForm, OUTAGE_MINUTES, serverChoice, USUAL_OUTAGE_MIN } from "./schemas.ts";
import { eventLabels, eventText, kindChoices, reasonText, shortAddress, shownWebhook } from "./shown.ts";
import { webhookSecret } from "./signature.ts";

/** Fields that are shown again as they were typed. The address is a secret for most receivers. */
const OF_SERVERS = ["outage_min", "quiet_from", "quiet_until"] as const;
const TYPED = ["name", ...EVENTS, "scope", "kind", "language", ...OF_SERVERS] as const;

/** Whose webhooks some pages are about. */
interface Side {
  readonly isSite: boolean;
  owner(req: Request): Owner;
  list(locale: Locale): string;
  one(locale: Locale, id: number): string;
}

const OF_USER: Side = {
  isSite: false,
  owner: (req) => viewerOf(req).id,
  list: ({ paths }) => paths.webhooks(),
  one: ({ paths }, id) => paths.webhook(id),
};

const OF_SITE: Side = {
  isSite: true,
  owner: () => null,
  list: ({ paths }) => paths.operatorWebhooks(),
  one: ({ paths }, id) => paths.operatorWebhook(id),
};

/** Where users set up their webhooks, and operators those of the site. */
export function webhookPages(context: BaseContext): Router {
  const router = Router({ caseSensitive: true });
  mount(router, context, OF_USER, paths.webhooks());
  mount(router, context, OF_SITE, paths.operatorWebhooks());
  return router;
}

function mount(router: Router, context: BaseContext, side: Side, path: string): void {
  const allowed = side.isSite ? requireOperator : requireLogin;
  const read = [...readTypedForm([...TYPED, "form_id", "action"]), allowed];
  router
    .route(path)
    .get(allowed, (req, res) => renderList(context, side, req, res))
    .post(allowed, read, addNew(context, side))
    .all(only("GET", "HEAD", "POST"));
  router
    .route(`${path}/:id`)
    .get(allowed, async (req, res) => renderOne(context, side, req, res, await webhookOf(context, side, req)))
    .post(allowed, read, act(context, side))
    .all(only("GET", "HEAD", "POST"));
}

async function webhookOf({ db }: BaseContext, side: Side, req: Request): Promise<Webhook> {
  const id = /^\d{1,15}$/.exec(String(req.params.id))?.[0];
  const found = id === undefined ? undefined : await findWebhook(db, side.owner(req), Number(id));
  if (!found) throw notFound("webhook");
  return found;
}

/** Adds a webhook. That of a server is answered with its secret, the only time; the other goes on to its page. */
function addNew(context: BaseContext, side: Side): RequestHandler {
  const { config, db } = context;
  return async (req, res) => {
    const { t } = localeOf(req);
    const form = readForm(newWebhookForm, req);
    if (form.errors) return renderList(context, side, req, res, form.errors);
    const { values } = form;
    const read = readDestination(values.address, side, config);
    const events = chosenEvents(values);
    const ofServers = serverChoice(values);
    const errors = faults(read, { events, ...ofServers }, t);
    if ("fault" in read || Object.keys(errors).length > 0) {
      return renderList(context, side, req, res, errors);
    }
    const added = await addWebhook(db, side.owner(req), {
      ...read,
      name: values.name ?? (read.format === "discord" ? "Discord" : new URL(read.url).hostname),
      events,
      scope: side.isSite ? "all" : values.scope,
      kind: values.kind ?? null,
      language: values.language,
      ...ofServers,
      formId: values.form_id,
      sessionId: req.sessionID,
    });
    if (added === "too many") {
      const count = side.isSite ? SITE_WEBHOOKS_AT_MOST : WEBHOOKS_AT_MOST;
      return renderList(context, side, req, res, { form: t("webhooks.error.too_many", { count }) });
    }
    if (added === "made already") return res.redirect(303, side.list(localeOf(req)));
    logSecurity(req, "webhook.added", { webhook: added.id });
    if (read.format === "signed") return renderSecret(context, side, req, res, added.id, added.salt);
    await leaveFlash(req, lazyText("webhooks.flash.added"));
    res.set("Cache-Control", "no-store").redirect(303, side.one(localeOf(req), added.id));
  };
}

/** The buttons of a webhook's page. */
function act(context: BaseContext, side: Side): RequestHandler {
  return async (req, res) => {
    const hook = await webhookOf(context, side, req);
    const locale = localeOf(req);
    const done = await actOnWebhook(context, side, req, hook);
    if ("errors" in done) return renderOne(context, side, req, res, hook, done.errors);
    if ("salt" in done) return renderSecret(context, side, req, res, hook.id, done.salt);
    await leaveFlash(req, done.said, { tone: done.tone ?? "success" });
    const path = done.isGone ? side.list(locale) : side.one(locale, hook.id);
    res.set("Cache-Control", "no-store").redirect(303, path);
  };
}

async function renderList(
  { db }: BaseContext,
  side: Side,
  req: Request,
  res: Response,
  errors: FieldErrors = {},
): Promise<void> {
  const locale = localeOf(req);
  const { t, language } = locale;
  const hooks = await listWebhooks(db, side.owner(req));
  const isRefused = Object.keys(errors).length > 0;
  const typed = typedText(req, TYPED);
  const isTyped = isRefused || req.isReplay === true;
  const head = {
    title: side.isSite ? t("webhooks.site.title") : t("webhooks.title"),
    noindex: true,
    neverStore: true,
    scripts: ["web/send-once"],
    styles: ["notifications/webhooks"],
    ...(isRefused && { status: 400 }),
  };
  await renderPage(req, res, "notifications/webhooks/list", head, {
    side: { isSite: side.isSite, list: side.list(locale) },
    hooks: hooks.map((hook) => ({ ...shownWebhook(hook, t), href: side.one(locale, hook.id) })),
    most: side.isSite ? SITE_WEBHOOKS_AT_MOST : WEBHOOKS_AT_MOST,
    form: {
      id: sentFormId(req),
      choices: formChoices(locale),
      errors,
      name: typed.name ?? "",
      address: "",
      typed: isRefused ? (typedText(req, ["address"]).address ?? "") : "",
      chosen: isTyped ? EVENTS.filter((word) => typed[word] === "1") : ["discount"],
      scope: typed.scope || "favorites",
      kind: typed.kind ?? "",
      language: typed.language || language,
      ofServers: isTyped ? typed : { outage_min: USUAL_OUTAGE_MIN },
    },
  });
}

async function renderOne(
  { db }: BaseContext,
  side: Side,
  req: Request,
  res: Response,
  hook: Webhook,
  errors: FieldErrors = {},
): Promise<void> {
  const locale = localeOf(req);
  const { t } = locale;
  const deliveries = await listDeliveries(db, hook.id);
  const isRefused = Object.keys(errors).length > 0;
  const typed = typedText(req, TYPED);
  const isTyped = isRefused || req.isReplay === true;
  const head = {
    title: hook.name,
    noindex: true,
    neverStore: true,
    scripts: ["web/send-once"],
    styles: ["notifications/webhooks"],
    ...(isRefused && { status: 400 }),
  };
  await renderPage(req, res, "notifications/webhooks/one", head, {
    side: { isSite: side.isSite, list: side.list(locale), one: side.one(locale, hook.id) },
    hook: { ...shownWebhook(hook, t), isRetried: await hasRetry(db, hook.id) },
    deliveries: deliveries.map(({ id, at, state, reason, attempts, message_id, ...event }) => ({
      id,
      at,
      state,
      attempts,
      messageId: message_id,
      what: eventText(event, locale),
      reason: reasonText(reason, t),
    })),
    form: {
      id: undefined,
      choices: formChoices(locale),
      errors,
      name: isTyped ? (typed.name ?? "") : hook.name,
      address: shortAddress(hook.url),
      typed: isRefused ? (typedText(req, ["address"]).address ?? "") : "",
      chosen: isTyped ? EVENTS.filter((word) => typed[word] === "1") : hook.events,
      scope: (isTyped && typed.scope) || hook.scope,
      kind: isTyped ? (typed.kind ?? "") : (hook.kind ?? ""),
      language: (isTyped && typed.language) || hook.language,
      ofServers: isTyped ? typed : hook,
    },
  });
}

function formChoices({ t }: Locale) {
  const hours = Array.from({ length: 24 }, (_, hour) => [`${hour}`, `${String(hour).padStart(2, "0")}:00`]);
  return {
    outages: OUTAGE_MINUTES.map((count) => [
      `${count}`,
      count === 0 ? t("webhooks.field.outage_none") : t("webhooks.field.outage_minutes", { count }),
    ]),
    hours: [["", t("notifications.quiet.none")], ...hours],
    events: Object.entries(eventLabels(t)).filter(([word]) => word !== "discount" || !isHidden("discounts")),
    kinds: kindChoices(t),
    languages: LANGUAGES.map((code): [string, string, string] => [code, languageName(code), code]),
  };
}

async function renderSecret(
  { config }: BaseContext,
  side: Side,
  req: Request,
  res: Response,
  id: number,
  salt: Buffer,
): Promise<void> {
  const locale = localeOf(req);
  const head = {
    title: locale.t("webhooks.secret.title"),
    noindex: true,
    neverStore: true,
    scripts: ["web/copy"],
    styles: ["notifications/webhooks"],
  };
  const secret = webhookSecret(config.sessionSecret, salt);
  await renderPage(req, res, "notifications/webhooks/secret", head, { secret, back: side.one(locale, id) });
}

/** Keeps the id of a form that is shown again, so that it adds one webhook however often it is sent. */
function sentFormId(req: Request): string {
  return newWebhookForm.shape.form_id.parse(req.body?.form_id) ?? randomUUID();
}
