import type { RequestHandler } from "express";
import { SessionEndedError } from "../db/sessions.ts";
import type { BaseContext } from "../web/pages/context.ts";
import { renderPage, viewerOf } from "../web/pages/page.ts";
import { type FieldErrors, readForm } from "../web/request/form.ts";
import { localeOf } from "../web/request/locale.ts";
import { logSecurity } from "../web/server/security-log.ts";
import { leaveFlash } from "../web/session/session.ts";
import { lazyText, translateText } from "../words/i18n/lazy-text.ts";
import { localPaths } from "../words/urls.ts";
import { replacePassword } from "./change-password.ts";
import type { KnownKeys } from "./keys/known-keys.ts";
import type { AttemptLimits } from "./limits.ts";
import { endedTexts } from "./open-access.ts";
import { hashPassword } from "./passwords.ts";
import { isLastOperator } from "./people/actions.ts";
import { backToProfile, checkCurrentPassword, goToProfile, renderProfile } from "./profile-page.ts";
import { changeLocale, deleteUser } from "./queries.ts";
import { deletionForm, localeForm, passwordError, passwordForm } from "./schemas.ts";

/** `GET /profile` */
export function showProfile(context: BaseContext): RequestHandler {
  return (req, res) => renderProfile(context, req, res);
}

/** `POST /profile/locale`: the language of pages and mails, and the zone of times. */
export function saveLocale(context: BaseContext): RequestHandler {
  return async (req, res) => {
    const form = readForm(localeForm, req);
    if (form.errors) return renderProfile(context, req, res, { form: "locale", errors: form.errors });
    const { language = null, time_zone: timeZone = null } = form.values;
    await changeLocale(context.db, viewerOf(req).id, { language, timeZone });
    // Switches to the chosen language at once, even if the path has another one.
    const chosen =
      req.pathLanguage !== undefined && language !== null ? `/${language}` : localeOf(req).prefix;
    await backToProfile(req, res, lazyText("accounts.flash.locale_saved"), {
      path: localPaths(chosen).profile(),
    });
  };
}

/** `POST /profile/password`: logs the user out everywhere else. */
export function savePassword(
  context: BaseContext & { keys: KnownKeys },
  limits: AttemptLimits,
): RequestHandler {
  const { db, keys, sessions } = context;
  return async (req, res) => {
    const { id, name } = viewerOf(req);
    const refuse = (errors: FieldErrors, status = 400) =>
      renderProfile(context, req, res, { form: "password", errors, status });
    const form = readForm(passwordForm, req);
    if (form.errors) return refuse(form.errors);
    const { current_password, new_password } = form.values;
    const error = passwordError(name, new_password);
    if (error) return refuse({ new_password: translateText(error, localeOf(req).language) });
    const { denied, ...checked } = await checkCurrentPassword(db, limits, req, res, current_password);
    if (denied) return refuse({ current_password: denied.message }, denied.status);
    const hash = await hashPassword(new_password);
    const enter = await db.transaction(async (transaction) => {
      const ended = await replacePassword(transaction, id, hash, { ...form.values, ...checked });
      const flash = [lazyText("accounts.flash.password_changed"), ...endedTexts(ended)];
      const enter = await sessions.begin(transaction, req, { userId: id, message: { flash } });
      return () => {
        keys.forgetUser(id);
        enter();
        logSecurity(req, "password.changed", { ended });
      };
    });
    enter();
    goToProfile(req, res);
  };
}

/** `POST /profile/delete` */
export function deleteAccount(
  context: BaseContext & { keys: KnownKeys },
  limits: AttemptLimits,
): RequestHandler {
  const { db, keys, sessions } = context;
  return async (req, res) => {
    const { id, name } = viewerOf(req);
    const refuse = (errors: FieldErrors, status = 400) =>
      renderProfile(context, req, res, { form: "deletion", errors, status });
    const form = readForm(deletionForm, req);
    if (form.errors) return refuse(form.errors);
    const { current_password } = form.values;
    const { denied, ...checked } = await checkCurrentPassword(db, limits, req, res, current_password);
    if (denied) return refuse({ current_password: denied.message }, denied.status);
    const deleted = await db.transaction(async (transaction) => {
      if (await isLastOperator(transaction, { id })) return "last operator";
      return deleteUser(transaction, id, checked);
    });
    if (deleted === "last operator") {
      await leaveFlash(req, lazyText("people.last_operator"), { tone: "danger" });
      return goToProfile(req, res);
    }
    if (!deleted) throw new SessionEndedError();
    keys.forgetUser(id);
    logSecurity(req, "account.deleted");
    sessions.forget(req, res);
    req.viewer = undefined;
    const head = { title: localeOf(req).t("accounts.deleted.title"), noindex: true };
    await renderPage(req, res, "accounts/deleted", head, { name });
  };
}
