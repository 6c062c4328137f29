import type { RequestHandler } from "express";
import { endSessionsOf, requireSession } from "../db/sessions.ts";
import type { BaseContext } from "../web/pages/context.ts";
import { viewerOf } from "../web/pages/page.ts";
import { type FieldErrors, readForm } from "../web/request/form.ts";
import { logSecurity } from "../web/server/security-log.ts";
import { type LazyText, lazyText } from "../words/i18n/lazy-text.ts";
import { type AddressChange, changeEmail, findUnconfirmed, requestConfirmation } from "./address-queries.ts";
import type { KnownKeys } from "./keys/known-keys.ts";
import { type AttemptLimits, tooOftenText } from "./limits.ts";
import { endAccess, endedTexts } from "./open-access.ts";
import { backToProfile, checkCurrentPassword, goToProfile, renderProfile } from "./profile.ts";
import { findAccount } from "./queries.ts";
import { emailForm } from "./schemas.ts";

/**
 * `POST /profile/email`: a blank address removes the stored one; a new one has to be confirmed by a mail. Logs the user
 * out everywhere else, as a new password does, because an address opens the account.
 */
export function saveEmail(context: BaseContext & { keys: KnownKeys }, limits: AttemptLimits): RequestHandler {
  const { config, db, keys, sessions } = context;
  const sendsMail = config.mail.kind !== "none";
  return async (req, res) => {
    const { id } = viewerOf(req);
    const refuse = (errors: FieldErrors, status = 400) =>
      renderProfile(context, req, res, { form: "email", errors, status });
    const form = readForm(emailForm, req);
    if (form.errors) return refuse(form.errors);
    const { email, current_password } = form.values;
    const { denied, ...checked } = await checkCurrentPassword(db, limits, req, res, current_password);
    if (denied) return refuse({ current_password: denied.message }, denied.status);
    const account = await findAccount(db, id);
    const isNew = email !== undefined && email !== account?.email && email !== account?.confirmed_email;
    const wait = isNew && sendsMail ? await limits.countConfirmation(id, email) : 0;
    if (wait > 0)
      return refuse({ email: tooOftenText(req, res, "accounts.error.too_many_mails", wait) }, 429);
    const enter = await db.transaction(async (transaction) => {
      const change = await changeEmail(transaction, id, email, { sendsMail, ...checked });
      if (change === "unchanged") return undefined;
      await endSessionsOf(transaction, id);
      const ended = await endAccess(transaction, id, form.values);
      const texts = [changeText(change, sendsMail, email), lazyText("accounts.flash.others_out")];
      const flash = [...texts, ...endedTexts(ended)];
      const enter = await sessions.begin(transaction, req, { userId: id, message: { flash } });
      return () => {
        keys.forgetUser(id);
        enter();
        logSecurity(req, "email.changed", { change, ended });
      };
    });
    if (!enter) return backToProfile(req, res, lazyText("accounts.flash.email_unchanged"), { tone: "info" });
    enter();
    goToProfile(req, res);
  };
}

/** `POST /profile/email/confirmation`: sends the confirmation again. */
export function sendConfirmationAgain(context: BaseContext, limits: AttemptLimits): RequestHandler {
  const { config, db } = context;
  return async (req, res) => {
    const { id } = viewerOf(req);
    const waiting = await findUnconfirmed(db, id);
    if (!waiting) return backToProfile(req, res, lazyText("accounts.flash.nothing_waits"), { tone: "info" });
    if (config.mail.kind === "none") {
      return backToProfile(req, res, lazyText("accounts.flash.no_mail"), { tone: "danger" });
    }
    const wait = await limits.countConfirmation(id, waiting.email);
    if (wait > 0) {
      const errors = { email: tooOftenText(req, res, "accounts.error.too_many_mails", wait) };
      return renderProfile(context, req, res, { form: "email", errors, status: 429 });
    }
    await db.transaction(async (transaction) => {
      await requestConfirmation(transaction, id);
      await requireSession(transaction, req.sessionID);
    });
    await backToProfile(req, res, lazyText("accounts.flash.mail_again", { email: waiting.email }));
  };
}

function changeText(change: Exclude<AddressChange, "unchanged">, sendsMail: boolean, email = ""): LazyText {
  if (change === "removed") return lazyText("accounts.flash.email_removed");
  if (change === "confirmed") return lazyText("accounts.flash.email_again", { email });
  return sendsMail
    ? lazyText("accounts.flash.email_mailed", { email })
    : lazyText("accounts.flash.email_saved");
}
