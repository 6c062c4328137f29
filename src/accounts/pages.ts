import { type ErrorRequestHandler, type RequestHandler, Router } from "express";
import type { BaseContext } from "../web/pages/context.ts";
import { HttpError } from "../web/pages/errors.ts";
import { requireLogin } from "../web/pages/page.ts";
import { readOwnForm, readTypedForm } from "../web/request/form.ts";
import { readBody } from "../web/request/input.ts";
import { only } from "../web/server/methods.ts";
import { lazyText } from "../words/i18n/lazy-text.ts";
import { paths } from "../words/urls.ts";
import { saveEmail, sendConfirmationAgain } from "./address.ts";
import { confirmAddress, showConfirmation } from "./confirmation.ts";
import { askForNewPassword, showForgottenPassword } from "./forgotten-password.ts";
import type { KnownKeys } from "./keys/known-keys.ts";
import { createAttemptLimits } from "./limits.ts";
import { logIn, logOut, showLogIn } from "./log-in.ts";
import { setNewPassword, showNewPassword } from "./new-password.ts";
import { ACCESS_FIELDS } from "./open-access.ts";
import { PasswordsBusyError } from "./passwords.ts";
import { deleteAccount, saveLocale, savePassword, showProfile } from "./profile.ts";
import { register, showRegistration } from "./registration.ts";

/** Registration, log-in, log-out, the profile and the pages of mailed links. */
export function accountPages(context: BaseContext & { keys: KnownKeys }): Router {
  const limits = createAttemptLimits(context.db);
  const router = Router({ caseSensitive: true });
  const page = only("GET", "HEAD", "POST");
  router
    .route(paths.register())
    .get(showRegistration(context))
    .post(readBody, register(context, limits))
    .all(page);
  router.route(paths.login()).get(showLogIn(context)).post(readBody, logIn(context, limits)).all(page);
  router
    .route(paths.forgottenPassword())
    .get(showForgottenPassword(context))
    .post(readBody, askForNewPassword(context, limits))
    .all(page);
  router
    .route(paths.newPassword(":token"))
    .get(showNewPassword(context))
    .post(readBody, setNewPassword(context, limits))
    .all(page);
  router
    .route(paths.confirmEmail(":token"))
    .get(showConfirmation(context))
    .post(confirmAddress(context))
    .all(page);
  router.route(paths.logout()).post(logOut(context)).all(only("POST"));
  router.route(paths.profile()).get(requireLogin, showProfile(context)).all(only("GET", "HEAD"));
  const typed: [string, string[], RequestHandler][] = [
    [paths.profileEmail(), ["email", ...ACCESS_FIELDS], saveEmail(context, limits)],
    [paths.profileLocale(), ["language", "time_zone"], saveLocale(context)],
  ];
  for (const [path, names, save] of typed) {
    router.route(path).post(readTypedForm(names), save).all(only("POST"));
  }
  const forms: [string, RequestHandler][] = [
    [paths.profileConfirmation(), sendConfirmationAgain(context, limits)],
    [paths.profilePassword(), savePassword(context, limits)],
    [paths.profileDelete(), deleteAccount(context, limits)],
  ];
  for (const [path, save] of forms) {
    router.route(path).post(readOwnForm, save).all(only("POST"));
  }
  router.use(refuseBusy);
  return router;
}

const refuseBusy: ErrorRequestHandler = (error, _req, _res, next) => {
  if (!(error instanceof PasswordsBusyError)) return next(error);
  const headers = { "Retry-After": "5" };
  next(new HttpError("unavailable", lazyText("errors.detail.log_ins_busy"), { headers }));
};
