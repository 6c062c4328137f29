import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from "express";
import { addJobs } from "../db/jobs.ts";
import type { BaseContext } from "../web/pages/context.ts";
import { HttpError } from "../web/pages/errors.ts";
import { renderPage, requireLogin } from "../web/pages/page.ts";
import { type FieldErrors, readForm, readOwnForm, readTypedForm, typedText } from "../web/request/form.ts";
import { readBody } from "../web/request/input.ts";
import { localeOf } from "../web/request/locale.ts";
import { refuseOthers } from "../web/server/methods.ts";
import { logSecurity } from "../web/server/security-log.ts";
import { lazyText } from "../words/i18n/lazy-text.ts";
import { paths, withQuery } from "../words/urls.ts";
import { saveEmail, sendConfirmationAgain } from "./address.ts";
import { confirmationState, confirmEmail } from "./address-queries.ts";
import type { KnownKeys } from "./keys/known-keys.ts";
import { type AttemptLimits, createAttemptLimits, requestAddress, tooOftenText } from "./limits.ts";
import { logIn, logOut, showLogIn } from "./log-in.ts";
import { passwordResetJob } from "./mail-jobs.ts";
import { setNewPassword, showNewPassword } from "./new-password.ts";
import { ACCESS_FIELDS } from "./open-access.ts";
import { PasswordsBusyError } from "./passwords.ts";
import { deleteAccount, renderProfile, saveLocale, savePassword } from "./profile.ts";
import { register, showRegistration } from "./registration.ts";
import { forgottenPasswordForm } from "./schemas.ts";
import { findToken } from "./token-queries.ts";

/** Registration, log-in, log-out, the profile and the pages of mailed links. */
export function accountPages(context: BaseContext & { keys: KnownKeys }): Router {
  const limits = createAttemptLimits(context.db);
  const router = Router({ caseSensitive: true });
  router
    .route(paths.register())
    .get(showRegistration(context))
    .post(readBody, register(context, limits))
    .all(refuseOthers);
  router
    .route(paths.login())
    .get(showLogIn(context))
    .post(readBody, logIn(context, limits))
    .all(refuseOthers);
  router
    .route(paths.forgottenPassword())
    .get(showForgottenPassword(context))
    .post(readBody, askForNewPassword(context, limits))
    .all(refuseOthers);
  router
    .route(paths.newPassword(":token"))
    .get(showNewPassword(context))
    .post(readBody, setNewPassword(context, limits))
    .all(refuseOthers);
  router
    .route(paths.confirmEmail(":token"))
    .get(showConfirmation(context))
    .post(confirmAddress(context))
    .all(refuseOthers);
  router.route(paths.logout()).post(logOut(context)).all(refuseOthers);
  router
    .route(paths.profile())
    .get(requireLogin, (req, res) => renderProfile(context, req, res))
    .all(refuseOthers);
  const typed: [string, string[], RequestHandler][] = [
    [paths.profileEmail(), ["email", ...ACCESS_FIELDS], saveEmail(context, limits)],
    [paths.profileLocale(), ["language", "time_zone"], saveLocale(context)],
  ];
  for (const [path, names, save] of typed) {
    router.route(path).post(readTypedForm(names), save).all(refuseOthers);
  }
  const forms: [string, RequestHandler][] = [
    [paths.profileConfirmation(), sendConfirmationAgain(context, limits)],
    [paths.profilePassword(), savePassword(context, limits)],
    [paths.profileDelete(), deleteAccount(context, limits)],
  ];
  for (const [path, save] of forms) {
    router.route(path).post(readOwnForm, save).all(refuseOthers);
  }
  router.use(refuseBusy);
  return router;
}

const refuseBusy: ErrorRequestHandler = (error, _req, _res, next) => {
  if (!(error instanceof PasswordsBusyError)) return next(error);
  const headers = { "Retry-After": "5" };
  next(new HttpError("unavailable", lazyText("errors.detail.log_ins_busy"), { headers }));
};

type TokenHandler = RequestHandler<{ token: string }>;

const STATUS = { waiting: 200, confirmed: 200, used: 410, replaced: 410, over: 410, unknown: 404 } as const;

/** `GET /confirm-email/:token`: a page with a button. It confirms nothing itself, because mail scanners open links. */
function showConfirmation({ config, db }: BaseContext): TokenHandler {
  return async (req, res) => {
    const found = await findToken(db, "confirm", req.params.token);
    const state = found ? confirmationState(found) : "unknown";
    const canonical = paths.profile();
    const { t, paths: local } = localeOf(req);
    const head = { title: t("accounts.confirm.title"), noindex: true, neverStore: true, canonical };
    await renderPage(
      req,
      res,
      "accounts/confirm-email",
      { ...head, status: STATUS[state] },
      {
        state,
        name: found?.name,
        email: found?.sentTo,
        action: local.confirmEmail(req.params.token),
        sendsMail: config.mail.kind !== "none",
      },
    );
  };
}

/** `POST /confirm-email/:token`: needs no log-in; redirects to the page, which shows the result. */
function confirmAddress({ config, db }: BaseContext): TokenHandler {
  return async (req, res) => {
    const owner = await confirmEmail(db, req.params.token, { sendsMail: config.mail.kind !== "none" });
    if (owner)
      logSecurity(req, "email.confirmed", { user: { id: owner.userId, name: owner.name }, by: "link" });
    res.set("Cache-Control", "no-store").redirect(303, localeOf(req).paths.confirmEmail(req.params.token));
  };
}

/** `GET /login/forgotten`: the form, the page after sending it, or the advice if the site sends no mail. */
function showForgottenPassword({ config }: BaseContext): RequestHandler {
  return (req, res) => {
    const asked = req.query.asked === "yes" ? "asked" : "asking";
    return renderForm(req, res, { step: config.mail.kind === "none" ? "no-mail" : asked });
  };
}

/**
 * `POST /login/forgotten`. Does not reveal whether an address has an account: it always counts the attempt and adds a
 * job, and only the job looks for the account.
 */
function askForNewPassword({ config, db }: BaseContext, limits: AttemptLimits): RequestHandler {
  return async (req, res) => {
    if (config.mail.kind === "none") return renderForm(req, res, { step: "no-mail" });
    const form = readForm(forgottenPasswordForm, req);
    if (form.errors) return renderForm(req, res, { step: "asking", status: 400, errors: form.errors });
    const { email } = form.values;
    const seconds = await limits.countPasswordRequest(email, requestAddress(req));
    if (seconds > 0) {
      const problem = tooOftenText(req, res, "accounts.forgotten.too_often", seconds);
      return renderForm(req, res, { step: "asking", status: 429, problem });
    }
    await addJobs(db, [passwordResetJob(email)]);
    logSecurity(req, "password.requested");
    const next = withQuery(localeOf(req).paths.forgottenPassword(), { asked: "yes" });
    res.set("Cache-Control", "no-store").redirect(303, next);
  };
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
