import type { Request, RequestHandler, Response } from "express";
import { listKeys } from "../api-keys/queries.ts";
import type { Db } from "../db/connect.ts";
import type { AppContext } from "../http/context.ts";
import { type FieldErrors, readForm, typedText } from "../http/form.ts";
import { renderPage, viewerOf } from "../http/page.ts";
import { saveSession } from "../http/session.ts";
import { paths } from "../urls.ts";
import { changePassword } from "./change-password.ts";
import { checkPassword } from "./check-password.ts";
import { type AttemptLimits, addressOf, waitText } from "./limits.ts";
import { changeEmail, deleteUser, findAccount } from "./queries.ts";
import { deletionForm, emailForm, passwordFault, passwordForm } from "./schemas.ts";

/** `GET /profile` */
export function showProfile({ db }: AppContext): RequestHandler {
  return (req, res) => renderProfile(db, req, res);
}

/** `POST /profile/email`: a blank address removes the one that is stored. */
export function saveEmail({ db }: AppContext): RequestHandler {
  return async (req, res) => {
    const form = readForm(emailForm, req);
    if (form.errors) return renderProfile(db, req, res, { form: "email", errors: form.errors });
    const { email } = form.values;
    await changeEmail(db, viewerOf(req).id, email);
    await backToProfile(
      req,
      res,
      email === undefined ? "Your e-mail address is removed." : "Your e-mail address is saved.",
    );
  };
}

/** `POST /profile/password`: logs the user out everywhere else, and goes on here under a new session id. */
export function savePassword({ db, sessions }: AppContext, limits: AttemptLimits): RequestHandler {
  return async (req, res) => {
    const { id, name } = viewerOf(req);
    const refuse = (errors: FieldErrors, status = 400) =>
      renderProfile(db, req, res, { form: "password", errors, status });
    const form = readForm(passwordForm, req);
    if (form.errors) return refuse(form.errors);
    const { current_password, new_password } = form.values;
    const fault = passwordFault(name, new_password);
    if (fault) return refuse({ new_password: fault });
    const denied = await checkCurrentPassword(db, limits, req, res, current_password);
    if (denied) return refuse({ current_password: denied.message }, denied.status);
    await changePassword(db, id, new_password);
    await sessions.begin(req, id);
    await backToProfile(req, res, "Your password is changed. Everywhere else you are logged out.");
  };
}

/** `POST /profile/delete`: the account and all of its data. */
export function deleteAccount({ db, sessions }: AppContext, limits: AttemptLimits): RequestHandler {
  return async (req, res) => {
    const { id, name } = viewerOf(req);
    const refuse = (errors: FieldErrors, status = 400) =>
      renderProfile(db, req, res, { form: "deletion", errors, status });
    const form = readForm(deletionForm, req);
    if (form.errors) return refuse(form.errors);
    const denied = await checkCurrentPassword(db, limits, req, res, form.values.current_password);
    if (denied) return refuse({ current_password: denied.message }, denied.status);
    await deleteUser(db, id);
    await sessions.end(req, res);
    req.viewer = undefined;
    await renderPage(req, res, "accounts/deleted", { title: "Account deleted", noindex: true }, { name });
  };
}

/** Counted like an attempt to log in: a session that was left open must not be a way to guess the password. */
async function checkCurrentPassword(
  db: Db,
  limits: AttemptLimits,
  req: Request,
  res: Response,
  password: string,
): Promise<{ message: string; status: number } | undefined> {
  const attempt = { name: viewerOf(req).name, password, address: addressOf(req) };
  const check = await checkPassword(db, limits, attempt);
  if (check.outcome === "right") return undefined;
  if (check.outcome === "wrong") return { message: "is wrong", status: 400 };
  res.set("Retry-After", String(check.waitSeconds));
  return { message: `was wrong too often; try again in ${waitText(check.waitSeconds)}`, status: 429 };
}

async function backToProfile(req: Request, res: Response, flash: string): Promise<void> {
  req.session.flash = flash;
  await saveSession(req);
  res.set("Cache-Control", "no-store").redirect(303, paths.profile());
}

interface FailedForm {
  form: "email" | "password" | "deletion";
  errors: FieldErrors;
  status?: number;
}

/** The whole page; with a form that was refused, its messages beside its fields. */
async function renderProfile(db: Db, req: Request, res: Response, failed?: FailedForm): Promise<void> {
  const { id } = viewerOf(req);
  const [account, keys] = await Promise.all([findAccount(db, id), listKeys(db, id)]);
  const head = { title: "Profile", noindex: true, status: failed && (failed.status ?? 400) };
  const errors = { email: {}, password: {}, deletion: {} };
  await renderPage(req, res, "accounts/profile", head, {
    account,
    keys,
    keyErrors: {},
    keyTyped: {},
    errors: failed ? { ...errors, [failed.form]: failed.errors } : errors,
    typedEmail: failed?.form === "email" ? typedText(req, ["email"]).email : undefined,
  });
}
