import { type Request, type RequestHandler, type Response, Router } from "express";
import { z } from "zod";
import { ROLES } from "../../db/sessions.ts";
import type { BaseContext } from "../../web/pages/context.ts";
import { notFound } from "../../web/pages/errors.ts";
import { renderPage } from "../../web/pages/page.ts";
import { readOperatorForm, requireOperator } from "../../web/request/form.ts";
import { parseInput } from "../../web/request/input.ts";
import { localeOf } from "../../web/request/locale.ts";
import { oneOf, readNumber, searchText, text } from "../../web/request/params.ts";
import { refuseOthers } from "../../web/server/methods.ts";
import { logSecurity, type SecurityDetails, type SecurityEvent } from "../../web/server/security-log.ts";
import { actorOf } from "../../web/session/actor.ts";
import { leaveFlash, type Tone } from "../../web/session/session.ts";
import { zodMessage } from "../../words/i18n/lazy-text.ts";
import type { Translate } from "../../words/i18n/translate.ts";
import { absoluteUrl, paths, withQuery } from "../../words/urls.ts";
import type { KnownKeys } from "../keys/known-keys.ts";
import { showUses } from "../keys/pages.ts";
import { listKeys } from "../keys/queries.ts";
import { findKeyUses } from "../keys/use-queries.ts";
import { type Account, countSessions, findAccount, listPeople } from "../queries.ts";
import { TOKEN_MINUTES } from "../token-queries.ts";
import {
  changeRole,
  type Done,
  disable,
  enable,
  endSessions,
  mailPasswordLink,
  makePasswordLink,
} from "./actions.ts";

const PAGE_SIZE = 50;

export const peopleInput = z.object({
  q: searchText.default(""),
  show: oneOf(["operator", "editor", "disabled"]).optional(),
  after: text(1, 40).optional(),
});

const ACTIONS = ["role", "disable", "enable", "sessions", "link", "mail"] as const;

const actionForm = z
  .object({ action: oneOf(ACTIONS), role: oneOf(ROLES).optional() })
  .refine(({ action, role }) => action !== "role" || role !== undefined, {
    path: ["role"],
    message: zodMessage("input.required"),
  });

type Context = Pick<BaseContext, "db" | "config"> & { keys: KnownKeys };

/** The pages where operators find and manage accounts. */
export function peoplePages(context: Context): Router {
  const router = Router({ caseSensitive: true });
  router.route(paths.operatorPeople()).get(requireOperator, showPeople(context)).all(refuseOthers);
  router
    .route(`${paths.operatorPeople()}/:id`)
    .get(requireOperator, async (req, res) => renderPerson(context, req, res, await findPerson(context, req)))
    .post(readOperatorForm, changePerson(context))
    .all(refuseOthers);
  return router;
}

function showPeople({ db }: Context): RequestHandler {
  return async (req, res) => {
    const filter = parseInput(peopleInput, req);
    const { t, paths } = localeOf(req);
    const found = await listPeople(db, filter, PAGE_SIZE + 1);
    const people = found.slice(0, PAGE_SIZE);
    const { q, show, after } = filter;
    const list = (more: { show?: string | undefined; after?: string | undefined }) =>
      withQuery(paths.operatorPeople(), { q, ...more });
    const last = found.length > PAGE_SIZE ? people.at(-1)?.name : undefined;
    await renderPage(
      req,
      res,
      "accounts/people/list",
      { title: t("people.title"), noindex: true, styles: ["home/operator"] },
      {
        people,
        query: q,
        show,
        chips: [undefined, "operator", "editor", "disabled"].map((each) => ({
          each,
          href: list({ show: each }),
        })),
        first: after === undefined ? undefined : list({ show }),
        next: last === undefined ? undefined : list({ show, after: last }),
      },
    );
  };
}

/**
 * The account in a path.
 * @throws HttpError 404
 */
async function findPerson({ db }: Context, req: Request): Promise<Account> {
  const person = await findAccount(db, readNumber(req.params.id));
  if (!person) throw notFound("account");
  return person;
}

function changePerson(context: Context): RequestHandler {
  return async (req, res) => {
    const person = await findPerson(context, req);
    const { t, paths } = localeOf(req);
    const { action, role } = parseInput(actionForm, req);
    if (action === "link") return showLink(context, req, res, person);
    const { done, event, said, ...details } = await act(context, req, person, { action, role });
    if (done.outcome === "gone") throw notFound("account");
    const user = { id: person.id, name: person.name };
    if (done.outcome === "done") logSecurity(req, event, { ...details, account: user });
    context.keys.forgetUser(person.id);
    const texts = {
      done: said,
      unchanged: t("people.unchanged"),
      "last operator": t("people.last_operator"),
    };
    const tones: Record<keyof typeof texts, Tone> = {
      done: "success",
      unchanged: "info",
      "last operator": "danger",
    };
    await leaveFlash(req, texts[done.outcome], { tone: tones[done.outcome] });
    res.redirect(303, paths.operatorPerson(person.id));
  };
}

interface Acted extends SecurityDetails {
  readonly done: Done;
  readonly event: SecurityEvent;
  readonly said: string;
}

/** The actions that need nothing but their button. */
const ACTS = {
  disable: { run: disable, event: "account.disabled", said: "people.flash.disabled" },
  enable: { run: enable, event: "account.enabled", said: "people.flash.enabled" },
  sessions: { run: endSessions, event: "sessions.ended", said: "people.flash.sessions" },
  mail: { run: mailPasswordLink, event: "password.link", said: "people.flash.mailed" },
} as const;

async function act(
  { db }: Context,
  req: Request,
  { id, name }: Account,
  {
    action,
    role = "user",
  }: { action: Exclude<(typeof ACTIONS)[number], "link"> } & Pick<z.output<typeof actionForm>, "role">,
): Promise<Acted> {
  const [by, { t }] = [actorOf(req), localeOf(req)];
  if (action === "role") {
    const said = t("people.flash.role", { name, role: roleName(role, t) });
    return { done: await changeRole(db, by, id, role), event: "role.changed", role, said };
  }
  const { run, event, said } = ACTS[action];
  return { done: await run(db, by, id), event, said: t(said, { name }) };
}

/** The name of a role for people. */
function roleName(role: Account["role"], t: Translate): string {
  return {
    user: t("people.role.user"),
    editor: t("people.role.editor"),
    operator: t("people.role.operator"),
  }[role];
}

/** Shows a password link, this once. */
async function showLink(
  { db, config }: Context,
  req: Request,
  res: Response,
  person: Account,
): Promise<void> {
  const { id, name } = person;
  const made = await makePasswordLink(db, actorOf(req), id);
  if (made.token === undefined) throw notFound("account");
  logSecurity(req, "password.link", { account: { id, name } });
  const { t, paths: local } = localeOf(req);
  const head = {
    title: t("people.link.title"),
    noindex: true,
    neverStore: true,
    scripts: ["web/copy"],
    styles: ["accounts/api-keys"],
  };
  await renderPage(req, res, "accounts/people/link", head, {
    name,
    link: absoluteUrl(config.baseUrl, paths.newPassword(made.token)),
    minutes: TOKEN_MINUTES,
    back: local.operatorPerson(id),
  });
}

async function renderPerson(
  { db, config }: Context,
  req: Request,
  res: Response,
  person: Account,
): Promise<void> {
  const locale = localeOf(req);
  const { t, paths: local } = locale;
  const [keys, uses] = [await listKeys(db, person.id), await findKeyUses(db, person.id)];
  await renderPage(
    req,
    res,
    "accounts/people/person",
    { title: person.name, noindex: true, styles: ["home/operator", "accounts/api-keys"] },
    {
      person,
      roles: ROLES.map((role) => [role, roleName(role, t)]),
      sessions: await countSessions(db, person.id),
      listed: keys,
      uses: showUses(keys, uses, locale),
      canMail: config.mail.kind !== "none" && person.confirmed_email !== null,
      didUrl: withQuery(local.operatorAudit(), { who: person.name }),
      doneToUrl: withQuery(local.operatorAudit(), { subject: `user/${person.name}` }),
    },
  );
}
