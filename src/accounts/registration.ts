import type { Request, RequestHandler, Response } from "express";
import type { z } from "zod";
import type { BaseContext } from "../web/pages/context.ts";
import { renderPage } from "../web/pages/page.ts";
import { type FieldErrors, readForm, typedText } from "../web/request/form.ts";
import { browserLanguage, localeOf } from "../web/request/locale.ts";
import { logSecurity } from "../web/server/security-log.ts";
import { type LazyText, lazyText, translateText } from "../words/i18n/lazy-text.ts";
import { requestConfirmation } from "./address-queries.ts";
import { type AttemptLimits, requestAddress, tooOftenText } from "./limits.ts";
import {
  type AfterLogIn,
  describeAfterLogIn,
  readAfterLogIn,
  redirectAfterLogIn,
  runAfterLogIn,
} from "./log-in.ts";
import { hashPassword } from "./passwords.ts";
import { findUserId, insertUser } from "./queries.ts";
import { passwordError, registrationForm } from "./schemas.ts";

/** `GET /register?next=&favorite=` */
export function showRegistration(context: BaseContext): RequestHandler {
  return async (req, res) => {
    const after = readAfterLogIn(req.query);
    if (!req.viewer) return renderRegistration(context, req, res, { after });
    redirectAfterLogIn(req, res, after);
  };
}

/**
 * `POST /register`: the account, its session, the confirmation job and the pending favorite, all or nothing, so that the
 * name stays free after a failure.
 */
export function register(context: BaseContext, limits: AttemptLimits): RequestHandler {
  const { config, db } = context;
  const sendsMail = config.mail.kind !== "none";
  return async (req, res) => {
    const form = readForm(registrationForm, req);
    const { language, t } = localeOf(req);
    const after = readAfterLogIn(req.body);
    const refuse = (errors: FieldErrors, status = 400) =>
      renderRegistration(context, req, res, { after, status, errors });
    if (form.errors) return refuse(form.errors);
    const { name, password, email } = form.values;
    const error = passwordError(name, password);
    if (error) return refuse({ password: translateText(error, language) });
    const seconds = await limits.countRegistration(requestAddress(req));
    if (seconds > 0) {
      logSecurity(req, "account.limited");
      const problem = tooOftenText(req, res, "accounts.register.too_often", seconds);
      return renderRegistration(context, req, res, { after, status: 429, problem });
    }
    // Checked first, so that a taken name costs no hash and no mail. Only the insert is certain.
    if ((await findUserId(db, name)) !== undefined) return refuse({ name: t("accounts.error.taken") });
    const mails = sendsMail && email !== undefined;
    const wait = mails ? await limits.countFirstConfirmation(email) : 0;
    if (wait > 0)
      return refuse({ email: tooOftenText(req, res, "accounts.error.too_many_mails", wait) }, 429);
    const enter = await createAccount(context, req, form.values, after).catch(takeBackFrom(limits, req));
    if (!enter) return refuse({ name: t("accounts.error.taken") });
    enter();
    redirectAfterLogIn(req, res, after);
  };
}

/** Undefined if the name is taken; otherwise the function of `Sessions.begin`. */
async function createAccount(
  { config, db, sessions }: BaseContext,
  req: Request,
  form: z.output<typeof registrationForm>,
  after: AfterLogIn,
): Promise<(() => void) | undefined> {
  const { name, password, email: typed, time_zone: timeZone } = form;
  const email = config.mail.kind === "none" ? undefined : typed;
  const hash = await hashPassword(password);
  return db.transaction(async (transaction) => {
    const user = { name, email: typed, language: requestLanguage(req), timeZone };
    const userId = await insertUser(transaction, user, hash);
    if (userId === undefined) return undefined;
    if (email !== undefined) await requestConfirmation(transaction, userId);
    const granted = await runAfterLogIn(transaction, req, userId, after);
    const flash = createWelcome(name, email, granted?.name);
    const message = { flash, undo: granted?.undo };
    const enter = await sessions.begin(transaction, req, { userId, message });
    return () => {
      enter();
      logSecurity(req, "account.created", { user: { id: userId, name } });
    };
  });
}

/** The first page's message. */
function createWelcome(name: string, email: string | undefined, favorite: string | undefined): LazyText {
  if (favorite === undefined) {
    if (email === undefined) return lazyText("accounts.flash.welcome", { name });
    return lazyText("accounts.flash.welcome_mailed", { name, email });
  }
  if (email === undefined) return lazyText("accounts.flash.welcome_favorite", { name, favorite });
  return lazyText("accounts.flash.welcome_favorite_mailed", { name, email, favorite });
}

/** Undoes the count of an attempt that failed because of too many passwords or the database. */
function takeBackFrom(limits: AttemptLimits, req: Request) {
  return async (error: unknown): Promise<never> => {
    await limits.takeBackRegistration(requestAddress(req)).catch(() => undefined);
    throw error;
  };
}

/** The language of the path or the browser; undefined if neither has one. */
function requestLanguage(req: Request): string | undefined {
  if (req.pathLanguage !== undefined) return req.pathLanguage;
  if (req.headers["accept-language"] === undefined) return undefined;
  return browserLanguage(req);
}

interface RegistrationPage {
  after: AfterLogIn;
  status?: number;
  errors?: FieldErrors;
  problem?: string;
}

async function renderRegistration(
  { config, db }: BaseContext,
  req: Request,
  res: Response,
  { after, status, ...page }: RegistrationPage,
): Promise<void> {
  const head = {
    title: localeOf(req).t("accounts.register.title"),
    noindex: true,
    status,
    scripts: ["accounts/time-zone", "accounts/password"],
    dependsOn: after.pending ? undefined : [],
  };
  await renderPage(req, res, "accounts/register", head, {
    sendsMail: config.mail.kind !== "none",
    errors: {},
    problem: undefined,
    ...page,
    ...(await describeAfterLogIn(db, req, after)),
    typed: typedText(req, ["name", "email", "time_zone"]),
  });
}
