import { randomUUID } from "node:crypto";
import type { Request, Response } from "express";
import type { Db } from "../db/connect.ts";
import { SessionEndedError } from "../db/sessions.ts";
import type { BaseContext } from "../web/pages/context.ts";
import { renderPage, viewerOf } from "../web/pages/page.ts";
import { type FieldErrors, typedText } from "../web/request/form.ts";
import { localeOf } from "../web/request/locale.ts";
import { logSecurity } from "../web/server/security-log.ts";
import { leaveFlash, type Tone } from "../web/session/session.ts";
import { LANGUAGES, languageName } from "../words/i18n/languages.ts";
import type { Translatable } from "../words/i18n/lazy-text.ts";
import { checkPassword } from "./check-password.ts";
import { listKeys } from "./keys/queries.ts";
import { type AttemptLimits, requestAddress, waitText } from "./limits.ts";
import { ACCESS_FIELDS, findOpenAccess } from "./open-access.ts";
import { findAccount } from "./queries.ts";
import { zoneGroups } from "./zone-list.ts";

interface FailedForm {
  form: "email" | "locale" | "password" | "deletion";
  errors: FieldErrors;
  status?: number;
}

/** The whole page, with the errors of a refused form beside its fields. */
export async function renderProfile(
  { config, db }: BaseContext,
  req: Request,
  res: Response,
  failed?: FailedForm,
): Promise<void> {
  const { id } = viewerOf(req);
  const locale = localeOf(req);
  const [account, keys, access] = await Promise.all([
    findAccount(db, id),
    listKeys(db, id),
    findOpenAccess(db, id),
  ]);
  if (!account) throw new SessionEndedError();
  const zones = await zoneGroups(account.time_zone, locale);
  const status = failed && (failed.status ?? 400);
  const head = {
    title: locale.t("accounts.profile.title"),
    noindex: true,
    status,
    scripts: ["accounts/time-zone", "accounts/password", "web/send-once"],
    styles: ["accounts/accounts", "accounts/api-keys"],
  };
  const errors = { email: {}, locale: {}, password: {}, deletion: {} };
  await renderPage(req, res, "accounts/profile", head, {
    account,
    sendsMail: config.mail.kind !== "none",
    languageNames: LANGUAGES.map((code) => [code, languageName(code)]),
    zones,
    access,
    chosenAccess: failed ? { [failed.form]: typedText(req, ACCESS_FIELDS) } : {},
    keys,
    keyErrors: {},
    keyTyped: {},
    keyFormId: randomUUID(),
    errors: failed ? { ...errors, [failed.form]: failed.errors } : errors,
    typedEmail: failed?.form === "email" ? typedText(req, ["email"]).email : undefined,
    typedLocale: failed?.form === "locale" ? typedText(req, ["language", "time_zone"]) : undefined,
  });
}

/** Redirects to the profile with a message. */
export async function backToProfile(
  req: Request,
  res: Response,
  flash: Translatable,
  { tone, path }: { tone?: Tone; path?: string } = {},
): Promise<void> {
  await leaveFlash(req, flash, { tone });
  goToProfile(req, res, path);
}

/** The same if the session already has the message. */
export function goToProfile(req: Request, res: Response, path = localeOf(req).paths.profile()): void {
  res.set("Cache-Control", "no-store").redirect(303, path);
}

export type CurrentPassword =
  | { passwordSetAt: string; denied?: undefined }
  | { denied: { message: string; status: number } };

/** Checks the current password. Counts like a log-in, so that an open session does not help to guess the password. */
export async function checkCurrentPassword(
  db: Db,
  limits: AttemptLimits,
  req: Request,
  res: Response,
  password: string,
): Promise<CurrentPassword> {
  const attempt = { name: viewerOf(req).name, password, address: requestAddress(req) };
  const check = await checkPassword(db, limits, attempt);
  if (check.outcome === "right") return { passwordSetAt: check.passwordSetAt };
  logSecurity(req, check.outcome === "wrong" ? "password.wrong" : "password.limited");
  const { t } = localeOf(req);
  if (check.outcome === "wrong")
    return { denied: { message: t("accounts.error.wrong_password"), status: 400 } };
  res.set("Retry-After", String(check.waitSeconds));
  const wait = waitText(t, check.waitSeconds);
  return { denied: { message: t("accounts.error.wrong_too_often", { wait }), status: 429 } };
}
