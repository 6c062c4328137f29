import { type Request, type RequestHandler, type Response, Router } from "express";
import type { Db } from "../db/connect.ts";
import type { AppContext } from "../http/context.ts";
import { methodNotAllowed, notFound } from "../http/errors.ts";
import { type FieldErrors, readForm, typedText } from "../http/form.ts";
import { readBody } from "../http/input.ts";
import { localeOf } from "../http/locale.ts";
import { renderPage, requireLogin, viewerOf } from "../http/page.ts";
import { leaveFlash } from "../http/session.ts";
import { said } from "../i18n/said.ts";
import { paths } from "../urls.ts";
import { createKey, KEYS_AT_MOST, listKeys, revokeKey } from "./queries.ts";
import { expiryOf, keyForm } from "./schemas.ts";

/** Making and revoking API keys, below the profile. */
export function apiKeyPages({ db }: AppContext): Router {
  const router = Router({ caseSensitive: true });
  router
    .route(paths.apiKeys())
    .get(requireLogin, showKeys(db))
    .post(requireLogin, readBody, makeKey(db))
    .all((_req, _res, next) => next(methodNotAllowed(["GET", "HEAD", "POST"])));
  router
    .route(`${paths.apiKeys()}/:id/revoke`)
    .post(requireLogin, revoke(db))
    .all((_req, _res, next) => next(methodNotAllowed(["POST"])));
  return router;
}

function showKeys(db: Db): RequestHandler {
  return (req, res) => renderKeys(db, req, res);
}

/** The key is on the page that answers the form, and on no other: there is nothing to show it again from. */
function makeKey(db: Db): RequestHandler {
  return async (req, res) => {
    const form = readForm(keyForm, req);
    if (form.errors) return renderKeys(db, req, res, form.errors);
    const { name } = form.values;
    const { t } = localeOf(req);
    const key = await createKey(db, viewerOf(req).id, { name, expiry: expiryOf(form.values) });
    if (key === undefined) {
      return renderKeys(db, req, res, { form: t("api_keys.fault.too_many", { count: KEYS_AT_MOST }) });
    }
    const head = {
      title: t("api_keys.created.title"),
      noindex: true,
      neverStore: true,
      scripts: ["copy"],
      styles: ["api-keys"],
    };
    await renderPage(req, res, "api-keys/created", head, { key, name });
  };
}

function revoke(db: Db): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const id = /^\d{1,15}$/.test(req.params.id) ? Number(req.params.id) : 0;
    const name = await revokeKey(db, viewerOf(req).id, id);
    if (name === undefined) throw notFound("API key");
    await leaveFlash(req, said("api_keys.flash.revoked", { name }));
    res.redirect(303, localeOf(req).paths.apiKeys());
  };
}

async function renderKeys(db: Db, req: Request, res: Response, errors: FieldErrors = {}): Promise<void> {
  const failed = Object.keys(errors).length > 0;
  const head = {
    title: localeOf(req).t("api_keys.list.title"),
    noindex: true,
    styles: ["api-keys"],
    ...(failed && { status: 400 }),
  };
  await renderPage(req, res, "api-keys/list", head, {
    keys: await listKeys(db, viewerOf(req).id),
    keyErrors: errors,
    keyTyped: typedText(req, ["name", "expiry", "expires_on"]),
  });
}
