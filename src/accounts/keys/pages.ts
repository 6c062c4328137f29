import { randomUUID } from "node:crypto";
import { type Request, type RequestHandler, type Response, Router } from "express";
import type { Db } from "../../db/connect.ts";
import type { BaseContext } from "../../web/pages/context.ts";
import { findProblem, notFound } from "../../web/pages/errors.ts";
import { renderPage, requireLogin, viewerOf } from "../../web/pages/page.ts";
import { type FieldErrors, readForm, readTypedForm, typedText } from "../../web/request/form.ts";
import { type Locale, localeOf } from "../../web/request/locale.ts";
import { readNumber } from "../../web/request/params.ts";
import { refuseOthers } from "../../web/server/methods.ts";
import { logSecurity } from "../../web/server/security-log.ts";
import { leaveFlash } from "../../web/session/session.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { OWNER_SCOPES } from "../../words/scopes.ts";
import { paths } from "../../words/urls.ts";
import { keyPrefix } from "./keys.ts";
import type { KnownKeys } from "./known-keys.ts";
import { type ApiKey, createKey, findKeyOfForm, KEYS_AT_MOST, listKeys, revokeKey } from "./queries.ts";
import { keyForm, readExpiry, readScopes } from "./schemas.ts";
import { drawKeyUse } from "./use-chart.ts";
import { findKeyUses, type KeyUseShown } from "./use-queries.ts";

/** The fields of the form that users fill in. */
const TYPED = ["name", "expiry", "expires_on", ...OWNER_SCOPES];

/** Creating and revoking API keys, below the profile. */
export function apiKeyPages({ db, keys }: BaseContext & { keys: KnownKeys }): Router {
  const router = Router({ caseSensitive: true });
  router
    .route(paths.apiKeys())
    .get(requireLogin, (req, res) => renderKeys(db, req, res))
    .post(readTypedForm([...TYPED, "form_id"]), makeKey(db))
    .all(refuseOthers);
  router.route(`${paths.apiKeys()}/:id/revoke`).post(requireLogin, revoke(db, keys)).all(refuseOthers);
  return router;
}

/**
 * Sends the page that shows the key, this once. A form creates one key, so that a reload of that page or a double click
 * creates no other.
 */
function makeKey(db: Db): RequestHandler {
  return async (req, res) => {
    const form = readForm(keyForm, req);
    if (form.errors) return renderKeys(db, req, res, form.errors);
    const { name, form_id: formId } = form.values;
    const userId = viewerOf(req).id;
    const key = await createKey(db, userId, {
      name,
      formId,
      expiry: readExpiry(form.values),
      scopes: readScopes(form.values),
      sessionId: req.sessionID,
    });
    if (key !== undefined) {
      const scopes = readScopes(form.values);
      logSecurity(req, "key.created", { key: keyPrefix(key), ...(scopes.length > 0 && { scopes }) });
      return renderNewKey(req, res, key, name);
    }
    const made = await findKeyOfForm(db, userId, formId);
    if (made === undefined) {
      const { t } = localeOf(req);
      return renderKeys(db, req, res, { form: t("api_keys.error.too_many", { count: KEYS_AT_MOST }) });
    }
    if (made.name !== name) return offerAnother(db, req, res, made.name);
    await leaveFlash(req, lazyText("api_keys.flash.made_already", { name }), { tone: "info" });
    res.redirect(303, localeOf(req).paths.apiKeys());
  };
}

/** The user went back and typed another name, so the form is offered again with a new id. */
async function offerAnother(db: Db, req: Request, res: Response, made: string): Promise<void> {
  const { t } = localeOf(req);
  await renderKeys(db, req, res, { form: t("api_keys.error.form_used", { name: made }) }, randomUUID());
}

async function renderNewKey(req: Request, res: Response, key: string, name: string): Promise<void> {
  const head = {
    title: localeOf(req).t("api_keys.created.title"),
    noindex: true,
    neverStore: true,
    scripts: ["web/copy"],
    styles: ["accounts/api-keys"],
  };
  await renderPage(req, res, "accounts/keys/created", head, { key, name });
}

function revoke(db: Db, keys: KnownKeys): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const id = readNumber(req.params.id);
    const { id: userId } = viewerOf(req);
    const name = await revokeKey(db, userId, id);
    keys.forgetUser(userId);
    if (name === undefined) throw notFound("api_key");
    logSecurity(req, "key.revoked", { key: id });
    await leaveFlash(req, lazyText("api_keys.flash.revoked", { name }));
    res.redirect(303, localeOf(req).paths.apiKeys());
  };
}

async function renderKeys(
  db: Db,
  req: Request,
  res: Response,
  errors: FieldErrors = {},
  formId = sentFormId(req),
): Promise<void> {
  const failed = Object.keys(errors).length > 0;
  const head = {
    title: localeOf(req).t("api_keys.list.title"),
    noindex: true,
    scripts: ["web/send-once"],
    styles: ["accounts/api-keys"],
    ...(failed && { status: 400 }),
  };
  const { id: userId } = viewerOf(req);
  const [listed, uses] = await Promise.all([listKeys(db, userId), findKeyUses(db, userId)]);
  await renderPage(req, res, "accounts/keys/list", head, {
    keys: listed,
    uses: showUses(listed, uses, localeOf(req)),
    keyErrors: errors,
    keyTyped: typedText(req, TYPED),
    keyFormId: formId ?? randomUUID(),
  });
}

/** The page's text about each key that was used recently. */
export function showUses(keys: readonly ApiKey[], uses: ReadonlyMap<number, KeyUseShown>, locale: Locale) {
  return keys.flatMap(({ id, name }) => {
    const use = uses.get(id);
    if (!use) return [];
    const sum = (of: "requests" | "refused") => use.days.reduce((total, day) => total + day[of], 0);
    const errors = use.errors.map(({ problem, ...error }) => {
      const known = findProblem(problem);
      return { ...error, reason: known && { title: locale.t(known.title), slug: known.slug } };
    });
    const useChart = drawKeyUse(use.days, new Date(), locale);
    return [{ id, name, requests: sum("requests"), refused: sum("refused"), useChart, errors }];
  });
}

/** Keeps the id of a repeated form; undefined if none was sent. */
function sentFormId(req: Request): string | undefined {
  return keyForm.shape.form_id.parse(req.body?.form_id);
}
