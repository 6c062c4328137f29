import type { Request, RequestHandler, Response } from "express";
import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import type { BaseContext } from "../web/pages/context.ts";
import { renderPage } from "../web/pages/page.ts";
import { type FieldErrors, readForm, typedText } from "../web/request/form.ts";
import { localeOf } from "../web/request/locale.ts";
import { isRead } from "../web/server/methods.ts";
import { logSecurity } from "../web/server/security-log.ts";
import { translateText } from "../words/i18n/lazy-text.ts";
import { paths, withQuery } from "../words/urls.ts";
import { replacePassword } from "./change-password.ts";
import type { KnownKeys } from "./keys/known-keys.ts";
import { type AttemptLimits, requestAddress } from "./limits.ts";
import {
  ACCESS_FIELDS,
  type AccessChoice,
  END_ALL,
  type EndedAccess,
  findOpenAccess,
} from "./open-access.ts";
import { hashPassword } from "./passwords.ts";
import { nameKey } from "./queries.ts";
import { newPasswordForm, passwordError } from "./schemas.ts";
import { findToken, holdToken, type MailedToken } from "./token-queries.ts";

type TokenHandler = RequestHandler<{ token: string }>;

/** Status codes of the page: 410 for links that worked before. */
const STATUS = { waiting: 200, used: 410, over: 410, unknown: 404 } as const;

/** `GET /login/new-password/:token`: changes nothing, because mail scanners open links. */
export function showNewPassword({ db }: BaseContext): TokenHandler {
  return async (req, res) => renderForm(db, req, res, await findToken(db, "reset", req.params.token));
}

/** `POST /login/new-password/:token` */
export function setNewPassword(
  { db, keys }: BaseContext & { keys: KnownKeys },
  limits: AttemptLimits,
): TokenHandler {
  return async (req, res) => {
    const { token } = req.params;
    const found = await findToken(db, "reset", token);
    if (!found || readState(found) !== "waiting") return renderForm(db, req, res, found);
    const form = readForm(newPasswordForm, req);
    if (form.errors) return renderForm(db, req, res, found, form.errors);
    const { new_password } = form.values;
    const error = passwordError(found.name, new_password);
    if (error)
      return renderForm(db, req, res, found, { new_password: translateText(error, localeOf(req).language) });
    const ended = await resetPassword(db, token, await hashPassword(new_password), form.values);
    if (!ended) return renderForm(db, req, res, await findToken(db, "reset", token));
    keys.forgetUser(found.userId);
    const user = { id: found.userId, name: found.name };
    logSecurity(req, "password.changed", { user, ended, by: "link" });
    await limits
      .forgetWrongPasswords(nameKey(found.name), requestAddress(req))
      // The password has been changed even if resetting the counter failed.
      .catch((error) => req.log.warn({ err: error }, "wrong passwords were not forgotten"));
    const counts = Object.fromEntries(Object.entries(ended).filter(([, count]) => count > 0));
    const next = withQuery(localeOf(req).paths.login(), { changed: "password", ...counts });
    res.set("Cache-Control", "no-store").redirect(303, next);
  };
}

/** The first of parallel requests with links of one user wins; the others get undefined. */
async function resetPassword(
  db: Knex,
  token: string,
  hash: string,
  choice: AccessChoice,
): Promise<EndedAccess | undefined> {
  return db.transaction(async (transaction) => {
    const held = await holdToken(transaction, "reset", token);
    if (!held || readState(held) !== "waiting") return undefined;
    return replacePassword(transaction, held.userId, hash, choice);
  });
}

/** A link expires when the account's address changes. */
function readState({ sentTo, confirmedEmail, isUsed, isOver }: MailedToken): keyof typeof STATUS {
  if (isUsed) return "used";
  return isOver || confirmedEmail !== sentTo ? "over" : "waiting";
}

async function renderForm(
  db: Db,
  req: Request,
  res: Response,
  found: MailedToken | undefined,
  errors: FieldErrors = {},
): Promise<void> {
  const state = found ? readState(found) : "unknown";
  const status = Object.keys(errors).length > 0 ? 400 : STATUS[state];
  const { t, paths: local } = localeOf(req);
  const canonical = paths.forgottenPassword();
  const head = {
    title: t("accounts.new_password.title"),
    noindex: true,
    neverStore: true,
    canonical,
    status,
    scripts: ["accounts/password"],
  };
  await renderPage(req, res, "accounts/new-password", head, {
    state,
    name: found?.name,
    access: found && state === "waiting" ? await findOpenAccess(db, found.userId) : undefined,
    // Ends all access by default, because the old password may have leaked.
    chosenAccess: isRead(req) ? END_ALL : typedText(req, ACCESS_FIELDS),
    action: local.newPassword(String(req.params.token)),
    errors,
  });
}
