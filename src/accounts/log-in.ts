import type { Request, RequestHandler, Response } from "express";
import type { Db } from "../db/connect.ts";
import { isSessionOver, type Role } from "../db/sessions.ts";
import type { BaseContext } from "../web/pages/context.ts";
import { renderPage, requireLogin } from "../web/pages/page.ts";
import { type FieldErrors, readForm, typedText } from "../web/request/form.ts";
import { localeOf, localizePath } from "../web/request/locale.ts";
import {
  type PendingForm,
  replayForm,
  signPendingForm,
  unlessExpired,
  verifyPendingForm,
} from "../web/request/pending-form.ts";
import { logSecurity, type SecurityDetails } from "../web/server/security-log.ts";
import { leaveFlash } from "../web/session/session.ts";
import { isLanguage } from "../words/i18n/languages.ts";
import { lazyText, translateText } from "../words/i18n/lazy-text.ts";
import { safeReturnPath } from "../words/safe-urls.ts";
import { localPaths } from "../words/urls.ts";
import { checkPassword } from "./check-password.ts";
import {
  type AddedFavorite,
  addPending,
  findPendingName,
  type PendingFavorite,
  pageOf,
  parsePending,
  pendingText,
} from "./favorites/pending-favorite.ts";
import { type AttemptLimits, requestAddress, tooOftenText } from "./limits.ts";
import { type EndedAccess, endedTexts } from "./open-access.ts";
import { findAccount } from "./queries.ts";
import { logInForm } from "./schemas.ts";

/** `GET /login?next=&favorite=`: the form, or a redirect for a logged-in user. */
export function showLogIn({ config, db }: BaseContext): RequestHandler {
  return async (req, res) => {
    const after = readAfterLogIn(req.query);
    if (req.viewer) return skipLogIn(db, req, res, after);
    const isNew = req.query.changed === "password";
    const ended = isNew
      ? endedTexts(countsIn(req.query)).map((text) => translateText(text, localeOf(req).language))
      : [];
    const hasEnded = req.query.ended === "yes";
    await renderLogIn({ config, db }, req, res, { after, isNew, ended, hasEnded });
  };
}

/** The counts in the address, from the form for a new password. */
function countsIn(query: Request["query"]): EndedAccess {
  const count = (text: unknown) => (/^\d{1,3}$/.test(String(text)) ? Number(text) : 0);
  const { keys, feed, browsers, webhooks, address } = query;
  return {
    keys: count(keys),
    feed: count(feed),
    browsers: count(browsers),
    webhooks: count(webhooks),
    address: count(address),
  };
}

/**
 * Redirects a user who is logged in. They have to press Favorite again, because a link, maybe a stranger's, must not
 * add one.
 */
async function skipLogIn(db: Db, req: Request, res: Response, after: AfterLogIn): Promise<void> {
  const { pending } = await describeAfterLogIn(db, req, after);
  if (pending)
    await leaveFlash(req, lazyText("favorites.flash.press", { name: pending.name }), { tone: "info" });
  redirectAfterLogIn(req, res, after, req.viewer?.role);
}

/** `POST /login`: starts a session under a new id and adds the pending favorite, both or neither. */
export function logIn(context: BaseContext, limits: AttemptLimits): RequestHandler {
  const { config, db, sessions } = context;
  return async (req, res) => {
    const form = readForm(logInForm, req);
    const typed = verifyPendingForm(config.sessionSecret, req.body?.typed);
    const wanted = { after: readAfterLogIn(req.body), typed };
    if (form.errors) return renderLogIn(context, req, res, { ...wanted, status: 400, errors: form.errors });
    const { name, password } = form.values;
    const check = await checkPassword(db, limits, { name, password, address: requestAddress(req) });
    if (check.outcome === "limited") {
      logSecurity(req, "login.limited");
      const problem = tooOftenText(req, res, "accounts.log_in.too_often", check.waitSeconds);
      return renderLogIn(context, req, res, { ...wanted, status: 429, problem });
    }
    const { user } = check;
    if (check.outcome === "wrong") return refuse(context, req, res, wanted, user);
    if (check.user.isDisabled) return refuse(context, req, res, wanted, user, DISABLED);
    const { userId, passwordSetAt } = check;
    const enter = await db
      .transaction(async (transaction) => {
        const message = await runAfterLogIn(transaction, req, userId, wanted.after);
        return sessions.begin(transaction, req, { userId, passwordSetAt, message, typed });
      })
      .catch(unlessOver);
    if (!enter) return refuse(context, req, res, wanted, user);
    enter();
    logSecurity(req, "login.succeeded", { user });
    if (typed) return res.set("Cache-Control", "no-store").redirect(303, localeOf(req).paths.typedForm());
    redirectAfterLogIn(req, res, wanted.after, check.role);
  };
}

/** The password was changed after the check, so it is wrong now. */
function unlessOver(error: unknown): undefined {
  if (!isSessionOver(error)) throw error;
}

const WRONG = { status: 401, problem: lazyText("accounts.log_in.wrong") };
/** Shown only after the right password. */
const DISABLED = { status: 403, problem: lazyText("accounts.log_in.disabled") };

/** One message for an unknown name and a wrong password, so that it does not reveal which names exist. */
async function refuse(
  context: LogInContext,
  req: Request,
  res: Response,
  wanted: Wanted,
  user: SecurityDetails["user"],
  { status, problem } = WRONG,
): Promise<void> {
  logSecurity(req, "login.failed", { user });
  await renderLogIn(context, req, res, {
    ...wanted,
    status,
    problem: translateText(problem, localeOf(req).language),
  });
}

/** `POST /logout` */
export function logOut({ sessions }: BaseContext): RequestHandler {
  return async (req, res) => {
    await sessions.end(req, res);
    if (req.viewer) logSecurity(req, "logout");
    res.set("Cache-Control", "no-store").redirect(303, localeOf(req).paths.home());
  };
}

type LogInContext = Pick<BaseContext, "config" | "db">;

/** The step after the log-in, kept over several attempts. */
interface Wanted {
  after: AfterLogIn;
  /** The typed content of a form whose session has ended. */
  typed?: PendingForm | undefined;
}

interface LogInPage extends Wanted {
  status?: number;
  errors?: FieldErrors;
  problem?: string;
  /** Whether the password was just changed by a mailed link. */
  isNew?: boolean;
  /** The ended accesses, as sentences. */
  ended?: string[];
  /** True if the session of a form has ended. */
  hasEnded?: boolean;
}

async function renderLogIn(
  { config, db }: LogInContext,
  req: Request,
  res: Response,
  { after, typed, status, ...page }: LogInPage,
): Promise<void> {
  const { paths } = localeOf(req);
  // Replaces another form, whose fields may have the same names.
  const isOwn = req.pendingFields === undefined;
  // RFC 9110 requires a challenge on every 401. No scheme is registered for forms, and browsers ignore this one.
  if (status === 401) res.set("WWW-Authenticate", `Form action="${paths.login()}"`);
  const head = {
    title: localeOf(req).t("accounts.log_in.title"),
    noindex: true,
    status,
    insteadOf: isOwn ? undefined : localPaths("").login(after.next),
    scripts: ["accounts/password"],
    // The name of a pending favorite may change at any time.
    dependsOn: after.pending ? undefined : [],
  };
  await renderPage(req, res, "accounts/log-in", head, {
    errors: {},
    problem: undefined,
    isNew: false,
    ended: [],
    hasEnded: false,
    ...page,
    ...(await describeAfterLogIn(db, req, after)),
    typed: isOwn ? typedText(req, ["name"]) : {},
    typedForm: typed && signPendingForm(config.sessionSecret, typed),
  });
}

/** Requests a log-in for forms whose session has ended, and returns to the form as typed. */
export function offerLogIn({ config, db }: BaseContext): RequestHandler {
  return (req, res, next) => {
    req.askLogIn = (typed) => {
      const after = { next: typed.next, pending: undefined };
      return renderLogIn({ db, config }, req, res, { after, typed, status: 401, hasEnded: true });
    };
    next();
  };
}

/** `GET /login/typed`: the form as typed before the log-in, for its user to check and send again. */
export const showTypedForm: RequestHandler = (req, res, next) => {
  requireLogin(req, res, (error) => {
    if (error) return next(error);
    const typed = unlessExpired(req.session.typed);
    if (!typed) return res.redirect(303, localeOf(req).paths.profile());
    replayForm(req, typed);
    next();
  });
};

/** The steps after a visitor has logged in or registered. */
export interface AfterLogIn {
  next: string | undefined;
  /** The record to add to their favorites. */
  pending: PendingFavorite | undefined;
}

/** Parses a page's address or its form; leaves out malformed values. */
export function readAfterLogIn(sent: Readonly<Record<string, unknown>> | undefined): AfterLogIn {
  return { next: safeReturnPath(sent?.next), pending: parsePending(sent?.favorite) };
}

/** The data that a log-in form shows and passes on. A pending favorite whose record does not exist is dropped. */
export async function describeAfterLogIn(db: Db, req: Request, { next, pending }: AfterLogIn) {
  const found = pending && (await findPendingName(db, pending, localeOf(req).language));
  return { next, pending: pending && found && { text: pendingText(pending), name: found.name } };
}

/** Adds the pending favorite of a user who has just logged in. */
export async function runAfterLogIn(
  db: Db,
  req: Request,
  userId: number,
  { pending }: AfterLogIn,
): Promise<AddedFavorite | undefined> {
  if (pending === undefined) return undefined;
  const own = (await findAccount(db, userId))?.language ?? "";
  const language = req.pathLanguage ?? (isLanguage(own) ? own : localeOf(req).language);
  return addPending(db, userId, pending, language);
}

/**
 * Redirects to the page that the visitor came from, in the language of the log-in page. Without one, redirects to the
 * profile, or an operator to their page.
 */
export function redirectAfterLogIn(
  req: Request,
  res: Response,
  { next, pending }: AfterLogIn,
  role: Role = "user",
): void {
  const path = next ?? (pending && pageOf(pending));
  const { paths } = localeOf(req);
  const own = role === "operator" ? paths.operator() : paths.profile();
  const target = path === undefined ? own : localizePath(req, path);
  res.set("Cache-Control", "no-store").redirect(303, target);
}
