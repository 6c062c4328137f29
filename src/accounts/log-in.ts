import type { Request, RequestHandler, Response } from "express";
import type { AppContext } from "../http/context.ts";
import { type FieldErrors, readForm, typedText } from "../http/form.ts";
import { inLanguageOf, localeOf } from "../http/locale.ts";
import { renderPage } from "../http/page.ts";
import { safeReturnPath } from "../urls.ts";
import { checkPassword } from "./check-password.ts";
import { type AttemptLimits, addressOf, waitText } from "./limits.ts";
import { logInForm } from "./schemas.ts";

/** `GET /login?next=`: the form, or straight on for somebody who is logged in. */
export const showLogIn: RequestHandler = async (req, res) => {
  const next = safeReturnPath(req.query.next);
  const isNew = req.query.changed === "password";
  const hasEnded = req.query.ended === "yes";
  if (!req.viewer) return renderLogIn(req, res, { next, isNew, hasEnded });
  goOn(req, res, next);
};

/** `POST /login`: a session under a new id, then on to where the visitor came from. */
export function logIn({ db, sessions }: AppContext, limits: AttemptLimits): RequestHandler {
  return async (req, res) => {
    const form = readForm(logInForm, req);
    const next = safeReturnPath(req.body?.next);
    if (form.errors) return renderLogIn(req, res, { next, status: 400, errors: form.errors });
    const { name, password } = form.values;
    const check = await checkPassword(db, limits, { name, password, address: addressOf(req) });
    if (check.outcome === "wrong") return refuse(req, res, next);
    if (check.outcome === "limited") return askToWait(req, res, next, check.waitSeconds);
    await sessions.begin(req, check.userId);
    goOn(req, res, next);
  };
}

/** On to where the visitor came from, in the language that they log in in. */
export function goOn(req: Request, res: Response, next: string | undefined): void {
  const path = next === undefined ? localeOf(req).paths.profile() : inLanguageOf(req, next);
  res.set("Cache-Control", "no-store").redirect(303, path);
}

/** One message for an unknown name and a wrong password, so that it does not tell which names exist. */
async function refuse(req: Request, res: Response, next: string | undefined): Promise<void> {
  // RFC 9110 asks for a challenge on every 401. There is no registered scheme for forms, and browsers skip this one.
  const { paths, t } = localeOf(req);
  res.set("WWW-Authenticate", `Form action="${paths.login()}"`);
  await renderLogIn(req, res, { next, status: 401, problem: t("accounts.log_in.wrong") });
}

async function askToWait(
  req: Request,
  res: Response,
  next: string | undefined,
  seconds: number,
): Promise<void> {
  res.set("Retry-After", String(seconds));
  const { t } = localeOf(req);
  const problem = t("accounts.log_in.too_often", { wait: waitText(t, seconds) });
  await renderLogIn(req, res, { next, status: 429, problem });
}

/** `POST /logout`: ends the session, row and cookie. */
export function logOut({ sessions }: AppContext): RequestHandler {
  return async (req, res) => {
    await sessions.end(req, res);
    res.set("Cache-Control", "no-store").redirect(303, localeOf(req).paths.home());
  };
}

interface LogInPage {
  next: string | undefined;
  status?: number;
  errors?: FieldErrors;
  problem?: string;
  /** The password was changed just now, by a mailed link. */
  isNew?: boolean;
  /** The session of what was asked for has ended. */
  hasEnded?: boolean;
}

async function renderLogIn(req: Request, res: Response, { status, ...page }: LogInPage): Promise<void> {
  const head = {
    title: localeOf(req).t("accounts.log_in.title"),
    noindex: true,
    status,
    scripts: ["password"],
  };
  await renderPage(req, res, "accounts/log-in", head, {
    errors: {},
    problem: undefined,
    isNew: false,
    hasEnded: false,
    ...page,
    typed: typedText(req, ["name"]),
  });
}
