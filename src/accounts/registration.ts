import type { Request, RequestHandler, Response } from "express";
import type { AppContext } from "../http/context.ts";
import { type FieldErrors, readForm, typedText } from "../http/form.ts";
import { renderPage } from "../http/page.ts";
import { saveSession } from "../http/session.ts";
import { paths, safeReturnPath } from "../urls.ts";
import { type AttemptLimits, addressOf, waitText } from "./limits.ts";
import { createUser, findUserId } from "./queries.ts";
import { passwordFault, registrationForm } from "./schemas.ts";

/** `GET /register?next=` */
export const showRegistration: RequestHandler = async (req, res) => {
  const next = safeReturnPath(req.query.next);
  if (!req.viewer) return renderRegistration(req, res, { next });
  res.set("Cache-Control", "no-store").redirect(303, next ?? paths.profile());
};

/** `POST /register`: makes the account and logs it in. */
export function register({ db, sessions }: AppContext, limits: AttemptLimits): RequestHandler {
  return async (req, res) => {
    const form = readForm(registrationForm, req);
    const next = safeReturnPath(req.body?.next);
    const refuse = (errors: FieldErrors) => renderRegistration(req, res, { next, status: 400, errors });
    if (form.errors) return refuse(form.errors);
    const { name, password, email } = form.values;
    const fault = passwordFault(name, password);
    if (fault) return refuse({ password: fault });
    const seconds = await limits.countRegistration(addressOf(req));
    if (seconds > 0) return askToWait(req, res, next, seconds);
    // Asked first, so that a name that is taken costs no hash; asked again by the insert, which alone is sure.
    const taken = (await findUserId(db, name)) !== undefined;
    const id = taken ? undefined : await createUser(db, { name, password, email });
    if (id === undefined) return refuse({ name: "is taken" });
    await sessions.begin(req, id);
    req.session.flash = `Welcome, ${name}. Your account is ready.`;
    await saveSession(req);
    res.set("Cache-Control", "no-store").redirect(303, next ?? paths.profile());
  };
}

async function askToWait(
  req: Request,
  res: Response,
  next: string | undefined,
  seconds: number,
): Promise<void> {
  res.set("Retry-After", String(seconds));
  const problem = `Too many new accounts from your network. You can try again in ${waitText(seconds)}.`;
  await renderRegistration(req, res, { next, status: 429, problem });
}

interface RegistrationPage {
  next: string | undefined;
  status?: number;
  errors?: FieldErrors;
  problem?: string;
}

async function renderRegistration(
  req: Request,
  res: Response,
  { status, ...page }: RegistrationPage,
): Promise<void> {
  const head = { title: "Register", noindex: true, status };
  await renderPage(req, res, "accounts/register", head, {
    errors: {},
    problem: undefined,
    ...page,
    typed: typedText(req, ["name", "email"]),
  });
}
