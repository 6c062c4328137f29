import { type Request, type RequestHandler, type Response, Router } from "express";
import type { Knex } from "knex";
import { z } from "zod";
import { type Actor, recorded } from "../../../db/audit-queries.ts";
import type { Db } from "../../../db/connect.ts";
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
import { oneOf, text, wholeNumber } from "../../../web/request/params.ts";
import { keepPendingForm } from "../../../web/request/pending-form.ts";
import { refuseOthers } from "../../../web/server/methods.ts";
import { logSecurity } from "../../../web/server/security-log.ts";
import { actorOf } from "../../../web/session/actor.ts";
import { leaveFlash } from "../../../web/session/session.ts";
import { lazyText, zodMessage } from "../../../words/i18n/lazy-text.ts";
import { GRANTED_SCOPES, type GrantedScope } from "../../../words/scopes.ts";
import { paths } from "../../../words/urls.ts";
import { findUserId } from "../../queries.ts";
import { findKeysByPrefix, grantScope, listGrants, revokeGrant } from "../grant-queries.ts";
import { keyPrefix } from "../keys.ts";
import type { KnownKeys } from "../known-keys.ts";
import { isComingDay } from "../schemas.ts";

/** A day (YYYY-MM-DD, UTC) from today to a year from now. */
export const grantDay = z
  .string({ error: zodMessage("input.required") })
  .refine((day) => isComingDay(day) && day <= lastDay(), {
    error: () => zodMessage("key_grants.error.day", { last: lastDay() }),
  });

/** The form that grants a scope until the end of a day. */
const grantForm = z.object({
  owner: text(1, 200),
  key: text(1, 200),
  scope: oneOf(GRANTED_SCOPES),
  until: grantDay,
});

/** The button that revokes it. */
const revokeForm = z.object({
  revoke: wholeNumber(1, 999_999_999_999_999),
  scope: oneOf(GRANTED_SCOPES),
});

/** The last possible day of a grant made today, by UTC. */
export function lastDay(now = new Date()): string {
  const last = new Date(now);
  last.setUTCFullYear(now.getUTCFullYear() + 1);
  return last.toISOString().slice(0, 10);
}

/** The pages where operators see, grant and revoke write access of API keys. */
export function keyGrantPages(context: Parts): Router {
  const router = Router({ caseSensitive: true });
  router
    .route(paths.operatorKeyGrants())
    .get(requireOperator, (req, res) => renderGrants(context, req, res))
    .post(readGrantForm, changeGrants(context))
    .all(refuseOthers);
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
  res.redirect(303, localeOf(req).paths.operatorKeyGrants());
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

/** Grants a scope, as `grantScope` does, with a line of the audit log. */
export function letKey(
  db: Knex,
  by: Actor,
  keyId: number,
  { scope, ...until }: { scope: GrantedScope; day: string; timeZone?: string | undefined },
): Promise<Date | undefined> {
  return recorded(
    db,
    by,
    (transaction) => grantScope(transaction, { keyId, scope, ...until, by: by.userId }),
    (endsAt) =>
      endsAt && { action: "key.granted", subject: subjectOf(keyId), after: { scope, ends_at: endsAt } },
  );
}

/** Revokes a scope, as `revokeGrant` does. */
export function takeFromKey(
  db: Knex,
  by: Actor,
  keyId: number,
  scope: GrantedScope,
): ReturnType<typeof revokeGrant> {
  return recorded(
    db,
    by,
    (transaction) => revokeGrant(transaction, keyId, scope),
    (revoked) => revoked && { action: "key.ungranted", subject: subjectOf(keyId), before: { scope } },
  );
}

function subjectOf(keyId: number): string {
  return `keys/${keyId}`;
}

/** A live key found by its owner and prefix, or why none was found. */
export type FoundKey =
  | { readonly id: number; readonly userId: number; readonly name: string }
  | "no_owner"
  | "no_key"
  | "several_keys";

/** Finds a key by its owner's name and the part that the owner's page shows: `alm_Ab12`, with or without the rest. */
export async function findKey(db: Db, owner: string, beginning: string): Promise<FoundKey> {
  const userId = await findUserId(db, owner);
  if (userId === undefined) return "no_owner";
  const [key, other] = await findKeysByPrefix(db, userId, keyPrefix(beginning.trim()));
  if (other) return "several_keys";
  return key ? { ...key, userId } : "no_key";
}
