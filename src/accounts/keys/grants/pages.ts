import { type Request, type RequestHandler, type Response, Router } from "express";
import type { BaseContext } from "../../../web/pages/context.ts";
import { notFound } from "../../../web/pages/errors.ts";
import { renderPage } from "../../../web/pages/page.ts";
import {
  type FieldErrors,
  readForm,
  readOperatorForm,
  requireOperator,
  typedText,
} from "../../../web/request/form.ts";
import { parseInput } from "../../../web/request/input.ts";
import { localeOf } from "../../../web/request/locale.ts";
import { keepPendingForm } from "../../../web/request/pending-form.ts";
import { only } from "../../../web/server/methods.ts";
import { logSecurity } from "../../../web/server/security-log.ts";
import { actorOf } from "../../../web/session/actor.ts";
import { leaveFlash } from "../../../web/session/session.ts";
import { lazyText } from "../../../words/i18n/lazy-text.ts";
import { paths } from "../../../words/urls.ts";
import { listGrants } from "../grant-queries.ts";
import { keyPrefix } from "../keys.ts";
import type { KnownKeys } from "../known-keys.ts";
import { letKey, takeFromKey } from "./actions.ts";
import { type FoundKey, findKey } from "./find-key.ts";
import { grantForm, lastDay, revokeForm } from "./schemas.ts";

/** The pages where operators see, grant and revoke write access of API keys. */
export function keyGrantPages(context: Parts): Router {
  const router = Router({ caseSensitive: true });
  router
    .route(paths.operatorKeyGrants())
    .get(requireOperator, (req, res) => renderGrants(context, req, res))
    .post(readGrantForm, changeGrants(context))
    .all(only("GET", "HEAD", "POST"));
  return router;
}

/** The prefix of the key is not kept, because an operator may have pasted a whole key. */
const readGrantForm = [keepPendingForm(["owner", "scope", "until"]), ...readOperatorForm];

type Parts = Pick<BaseContext, "db"> & { keys: KnownKeys };

function changeGrants(parts: Parts): RequestHandler {
  const [grant, revoke] = [makeGrant(parts), takeBack(parts)];
  return (req, res, next) => (req.body?.revoke === undefined ? grant : revoke)(req, res, next);
}

function makeGrant(parts: Parts): RequestHandler {
  const { db, keys } = parts;
  return async (req, res) => {
    const form = readForm(grantForm, req);
    if (form.errors) return renderGrants(parts, req, res, form.errors);
    const { owner, key: beginning, scope, until: day } = form.values;
    const key = await findKey(db, owner, beginning);
    if (typeof key === "string") return renderGrants(parts, req, res, createErrors(key, req));
    const { timeZone } = localeOf(req).format;
    const endsAt = await letKey(db, actorOf(req), key.id, { scope, day, timeZone });
    if (endsAt === undefined) return renderGrants(parts, req, res, createErrors("no_key", req));
    keys.forgetUser(key.userId);
    logSecurity(req, "key.granted", { key: key.id, scopes: [scope], until: endsAt.toISOString() });
    await back(req, res, lazyText("key_grants.flash.granted", { name: key.name, scope }));
  };
}

function createErrors(missing: Extract<FoundKey, string>, req: Request): FieldErrors {
  const { t } = localeOf(req);
  if (missing === "no_owner") return { owner: t("key_grants.error.no_owner") };
  return {
    key: missing === "no_key" ? t("key_grants.error.no_key") : t("key_grants.error.several_keys"),
  };
}

function takeBack({ db, keys }: Parts): RequestHandler {
  return async (req, res) => {
    const { revoke: keyId, scope } = parseInput(revokeForm, req);
    const revoked = await takeFromKey(db, actorOf(req), keyId, scope);
    if (!revoked) throw notFound("grant");
    keys.forgetUser(revoked.userId);
    logSecurity(req, "key.ungranted", { key: keyId, scopes: [scope] });
    await back(req, res, lazyText("key_grants.flash.revoked", { prefix: revoked.prefix, scope }));
  };
}

async function back(req: Request, res: Response, flash: ReturnType<typeof lazyText>): Promise<void> {
  await leaveFlash(req, flash);
  res.set("Cache-Control", "no-store").redirect(303, localeOf(req).paths.operatorKeyGrants());
}

async function renderGrants(
  { db }: Pick<BaseContext, "db">,
  req: Request,
  res: Response,
  errors: FieldErrors = {},
): Promise<void> {
  const failed = Object.keys(errors).length > 0;
  const head = {
    title: localeOf(req).t("key_grants.title"),
    noindex: true,
    styles: ["accounts/api-keys"],
    ...(failed && { status: 400 }),
  };
  const { owner = "", key = "", scope = "", until = "" } = typedText(req, ["owner", "key", "scope", "until"]);
  await renderPage(req, res, "accounts/keys/grants/list", head, {
    grants: await listGrants(db),
    errors,
    // An operator may paste a whole key, which no page may repeat.
    typed: { owner, key: keyPrefix(key), scope, until },
    lastDay: lastDay(),
  });
}
