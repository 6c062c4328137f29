import { randomUUID } from "node:crypto";
import { type Request, type RequestHandler, type Response, Router } from "express";
import type { BaseContext } from "../../web/pages/context.ts";
import { notFound } from "../../web/pages/errors.ts";
import { type PageHead, renderPage, requireLogin, viewerOf } from "../../web/pages/page.ts";
import {
  type FieldErrors,
  readForm,
  readTypedForm,
  requireOperator,
  typedText,
} from "../../web/request/form.ts";
import { type Locale, localeOf } from "../../web/request/locale.ts";
import { readNumber } from "../../web/request/params.ts";
import { refuseOthers } from "../../web/server/methods.ts";
import { logSecurity } from "../../web/server/security-log.ts";
import { leaveFlash } from "../../web/session/session.ts";
import { LANGUAGES, languageName } from "../../words/i18n/languages.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { isHidden } from "../../words/kinds/hidden-sections.ts";
import { paths } from "../../words/urls.ts";
import { actOnWebhook } from "./actions.ts";
import { EVENTS } from "./events.ts";
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
import { newWebhookForm, OUTAGE_MINUTES, outageChoices, readChoice, USUAL_OUTAGE_MIN } from "./schemas.ts";
import { eventLabels, eventText, kindChoices, reasonText, shortAddress, shownWebhook } from "./shown.ts";
import { webhookSecret } from "./signed-message.ts";

/** Fields that a repeated form shows as typed. The address is not one, because it is a secret for most receivers. */
const OF_SERVERS = ["outage_min", "quiet_from", "quiet_until"] as const;
const TYPED = ["name", ...EVENTS, "scope", "kind", "language", ...OF_SERVERS] as const;

/** The owner of the webhooks on some pages. */
interface WebhookOwnerPages {
  readonly isSite: boolean;
  owner(req: Request): Owner;
  list(locale: Locale): string;
  one(locale: Locale, id: number): string;
}

const OF_USER: WebhookOwnerPages = {
  isSite: false,
  owner: (req) => viewerOf(req).id,
  list: ({ paths }) => paths.webhooks(),
  one: ({ paths }, id) => paths.webhook(id),
};

const OF_SITE: WebhookOwnerPages = {
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

function mount(router: Router, context: BaseContext, side: WebhookOwnerPages, path: string): void {
  const allowed = side.isSite ? requireOperator : requireLogin;
  const read = [...readTypedForm([...TYPED, "form_id", "action"]), allowed];
  router
    .route(path)
    .get(allowed, (req, res) => renderList(context, side, req, res))
    .post(allowed, read, addNew(context, side))
    .all(refuseOthers);
  router
    .route(`${path}/:id`)
    .get(allowed, async (req, res) =>
      renderOne(context, side, req, res, await requireWebhook(context, side, req)),
    )
    .post(allowed, read, act(context, side))
    .all(refuseOthers);
}

async function requireWebhook({ db }: BaseContext, side: WebhookOwnerPages, req: Request): Promise<Webhook> {
  const found = await findWebhook(db, side.owner(req), readNumber(req.params.id));
  if (!found) throw notFound("webhook");
  return found;
}

/**
 * Adds a webhook. The response for a server's webhook contains its secret, this once; the others redirect to its page.
 */
function addNew(context: BaseContext, side: WebhookOwnerPages): RequestHandler {
  const { config, db } = context;
  return async (req, res) => {
    const { t } = localeOf(req);
    const form = readForm(newWebhookForm, req);
    if (form.errors) return renderList(context, side, req, res, form.errors);
    const { values } = form;
    const read = readChoice(values, side, config, t);
    if ("errors" in read) return renderList(context, side, req, res, read.errors);
    const { choice, destination } = read;
    if (!destination) throw new Error("the form has an address");
    const { url, format } = destination;
    const added = await addWebhook(db, side.owner(req), {
      ...destination,
      name: values.name ?? (format === "discord" ? "Discord" : new URL(url).hostname),
      ...choice,
      formId: values.form_id,
      sessionId: req.sessionID,
    });
    if (added === "too many") {
      const count = side.isSite ? SITE_WEBHOOKS_AT_MOST : WEBHOOKS_AT_MOST;
      return renderList(context, side, req, res, { form: t("webhooks.error.too_many", { count }) });
    }
    if (added === "made already") return res.redirect(303, side.list(localeOf(req)));
    logSecurity(req, "webhook.added", { webhook: added.id });
    if (format === "signed") return renderSecret(context, side, req, res, added.id, added.salt);
    await leaveFlash(req, lazyText("webhooks.flash.added"));
    res.redirect(303, side.one(localeOf(req), added.id));
  };
}

/** The buttons of a webhook's page. */
function act(context: BaseContext, side: WebhookOwnerPages): RequestHandler {
  return async (req, res) => {
    const hook = await requireWebhook(context, side, req);
    const locale = localeOf(req);
    const done = await actOnWebhook(context, side, req, hook);
    if ("errors" in done) return renderOne(context, side, req, res, hook, done.errors);
    if ("salt" in done) return renderSecret(context, side, req, res, hook.id, done.salt);
    await leaveFlash(req, done.said, { tone: done.tone ?? "success" });
    const path = done.isGone ? side.list(locale) : side.one(locale, hook.id);
    res.redirect(303, path);
  };
}

async function renderList(
  { db }: BaseContext,
  side: WebhookOwnerPages,
  req: Request,
  res: Response,
  errors: FieldErrors = {},
): Promise<void> {
  const locale = localeOf(req);
  const { t, language } = locale;
  const hooks = await listWebhooks(db, side.owner(req));
  const title = side.isSite ? t("webhooks.site.title") : t("webhooks.title");
  const usual: Shown = {
    ...{ name: "", events: ["discount"], scope: "favorites", kind: null, language },
    outage_min: USUAL_OUTAGE_MIN,
  };
  await renderPage(req, res, "notifications/webhooks/list", createHead(title, errors), {
    side: { isSite: side.isSite, list: side.list(locale) },
    hooks: hooks.map((hook) => ({ ...shownWebhook(hook, t), href: side.one(locale, hook.id) })),
    most: side.isSite ? SITE_WEBHOOKS_AT_MOST : WEBHOOKS_AT_MOST,
    form: {
      ...formData(req, errors, usual),
      id: sentFormId(req),
      address: "",
    },
  });
}

async function renderOne(
  { db }: BaseContext,
  side: WebhookOwnerPages,
  req: Request,
  res: Response,
  hook: Webhook,
  errors: FieldErrors = {},
): Promise<void> {
  const locale = localeOf(req);
  const { t } = locale;
  const deliveries = await listDeliveries(db, hook.id);
  await renderPage(req, res, "notifications/webhooks/one", createHead(hook.name, errors), {
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
    form: { ...formData(req, errors, hook), id: undefined, address: shortAddress(hook.url) },
  });
}

function createHead(title: string, errors: FieldErrors): PageHead {
  return {
    title,
    noindex: true,
    neverStore: true,
    scripts: ["web/send-once"],
    styles: ["notifications/webhooks"],
    ...(Object.keys(errors).length > 0 && { status: 400 }),
  };
}

type Shown = Pick<Webhook, "name" | "events" | "scope" | "kind" | "language" | "outage_min"> &
  Partial<Pick<Webhook, "quiet_from" | "quiet_until">>;

/** The content of a form: what the user typed, if it is repeated, otherwise what is saved. */
function formData(req: Request, errors: FieldErrors, saved: Shown) {
  const isRefused = Object.keys(errors).length > 0;
  const isTyped = isRefused || req.isReplay === true;
  const typed = typedText(req, [...TYPED, "address"]);
  return {
    choices: formChoices(localeOf(req)),
    errors,
    typed: isRefused ? (typed.address ?? "") : "",
    chosen: isTyped ? EVENTS.filter((word) => typed[word] === "1") : saved.events,
    name: isTyped ? (typed.name ?? "") : saved.name,
    scope: (isTyped && typed.scope) || saved.scope,
    kind: isTyped ? (typed.kind ?? "") : (saved.kind ?? ""),
    language: (isTyped && typed.language) || saved.language,
    ofServers: isTyped ? typed : saved,
  };
}

function formChoices({ t }: Locale) {
  const hours = Array.from({ length: 24 }, (_, hour) => [`${hour}`, `${String(hour).padStart(2, "0")}:00`]);
  return {
    outages: outageChoices(OUTAGE_MINUTES, t),
    hours: [["", t("notifications.quiet.none")], ...hours],
    events: Object.entries(eventLabels(t)).filter(([word]) => word !== "discount" || !isHidden("discounts")),
    kinds: kindChoices(t),
    languages: LANGUAGES.map((code): [string, string, string] => [code, languageName(code), code]),
  };
}

async function renderSecret(
  { config }: BaseContext,
  side: WebhookOwnerPages,
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

/** Keeps the id of a repeated form, so that it adds one webhook however often it is sent. */
function sentFormId(req: Request): string {
  return newWebhookForm.shape.form_id.parse(req.body?.form_id) ?? randomUUID();
}
