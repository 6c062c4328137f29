import type { Request, RequestHandler, Response } from "express";
import { addJobs } from "../db/jobs.ts";
import type { BaseContext } from "../web/pages/context.ts";
import { renderPage } from "../web/pages/page.ts";
import { type FieldErrors, readForm, typedText } from "../web/request/form.ts";
import { localeOf } from "../web/request/locale.ts";
import { logSecurity } from "../web/server/security-log.ts";
import { withQuery } from "../words/urls.ts";
import { type AttemptLimits, requestAddress, waitText } from "./limits.ts";
import { passwordResetJob } from "./mail-jobs.ts";
import { forgottenPasswordForm } from "./schemas.ts";

/** `GET /login/forgotten`: the form, the page after sending it, or the advice if the site sends no mail. */
export function showForgottenPassword({ config }: BaseContext): RequestHandler {
  return (req, res) => {
    const asked = req.query.asked === "yes" ? "asked" : "asking";
    return renderForm(req, res, { step: config.mail.kind === "none" ? "no-mail" : asked });
  };
}

/**
 * `POST /login/forgotten`. Does not reveal whether an address has an account: it always counts the attempt and adds a
 * job, and only the job looks for the account.
 */
export function askForNewPassword({ config, db }: BaseContext, limits: AttemptLimits): RequestHandler {
  return async (req, res) => {
    if (config.mail.kind === "none") return renderForm(req, res, { step: "no-mail" });
    const form = readForm(forgottenPasswordForm, req);
    if (form.errors) return renderForm(req, res, { step: "asking", status: 400, errors: form.errors });
    const { email } = form.values;
    const seconds = await limits.countPasswordRequest(email, requestAddress(req));
    if (seconds > 0) return showTooManyAttempts(req, res, seconds);
    await addJobs(db, [passwordResetJob(email)]);
    logSecurity(req, "password.requested");
    const next = withQuery(localeOf(req).paths.forgottenPassword(), { asked: "yes" });
    res.set("Cache-Control", "no-store").redirect(303, next);
  };
}

async function showTooManyAttempts(req: Request, res: Response, seconds: number): Promise<void> {
  res.set("Retry-After", String(seconds));
  const { t } = localeOf(req);
  const problem = t("accounts.forgotten.too_often", { wait: waitText(t, seconds) });
  await renderForm(req, res, { step: "asking", status: 429, problem });
}

interface ForgottenPasswordPage {
  step: "asking" | "asked" | "no-mail";
  status?: number;
  errors?: FieldErrors;
  problem?: string;
}

async function renderForm(
  req: Request,
  res: Response,
  { status, ...page }: ForgottenPasswordPage,
): Promise<void> {
  const head = { title: localeOf(req).t("accounts.forgotten.title"), noindex: true, status };
  await renderPage(req, res, "accounts/forgotten-password", head, {
    errors: {},
    problem: undefined,
    ...page,
    typed: typedText(req, ["email"]),
  });
}
