import { type Request, type RequestHandler, type Response, Router } from "express";
import type { Db } from "../db/connect.ts";
import type { AppContext } from "../http/context.ts";
import { methodNotAllowed, notFound } from "../http/errors.ts";
import { type FieldErrors, readForm, typedText } from "../http/form.ts";
import { readBody } from "../http/input.ts";
import { renderPage, requireLogin, viewerOf } from "../http/page.ts";
import { saveSession } from "../http/session.ts";
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
    const key = await createKey(db, viewerOf(req).id, { name, expiry: expiryOf(form.values) });
    if (key === undefined) {
      const message = `cannot be made: you have ${KEYS_AT_MOST} live keys, the most that one user may have. Revoke one first`;
      return renderKeys(db, req, res, { form: message });
    }
    const head = { title: "Your new API key", noindex: true, neverStore: true, scripts: ["copy"] };
    await renderPage(req, res, "api-keys/created", head, { key, name });
  };
}

function revoke(db: Db): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const id = /^\d{1,15}$/.test(req.params.id) ? Number(req.params.id) : 0;
    const name = await revokeKey(db, viewerOf(req).id, id);
    if (name === undefined) throw notFound("API key");
    req.session.flash = `The key “${name}” is revoked: from now on it opens nothing.`;
    await saveSession(req);
    res.redirect(303, paths.apiKeys());
  };
}

async function renderKeys(db: Db, req: Request, res: Response, errors: FieldErrors = {}): Promise<void> {
  const failed = Object.keys(errors).length > 0;
  const head = { title: "API keys", noindex: true, ...(failed && { status: 400 }) };
  await renderPage(req, res, "api-keys/list", head, {
    keys: await listKeys(db, viewerOf(req).id),
    keyErrors: errors,
    keyTyped: typedText(req, ["name", "expiry", "expires_on"]),
  });
}
