import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Request, RequestHandler, Response } from "express";
import type { Db } from "../db/connect.ts";
import { SessionEndedError } from "../db/sessions.ts";
import { replanDigest } from "../notifications/email/digest.ts";
import { memoize } from "../settings/memoize.ts";
import type { BaseContext } from "../web/pages/context.ts";
import { renderPage, viewerOf } from "../web/pages/page.ts";
import { type FieldErrors, readForm, typedText } from "../web/request/form.ts";
import { type Locale, localeOf } from "../web/request/locale.ts";
import { listTimeZones, placeName } from "../web/request/time-zones.ts";
import { logSecurity } from "../web/server/security-log.ts";
import { leaveFlash, type Tone } from "../web/session/session.ts";
import { FALLBACK, intlLocale, LANGUAGES, type Language, languageName } from "../words/i18n/languages.ts";
import { lazyText, type Translatable, translateText } from "../words/i18n/lazy-text.ts";
import { TEXTS } from "../words/i18n/translate.ts";
import { localPaths } from "../words/urls.ts";
import { replacePassword } from "./change-password.ts";
import { checkPassword } from "./check-password.ts";
import type { KnownKeys } from "./keys/known-keys.ts";
import { listKeys } from "./keys/queries.ts";
import { type AttemptLimits, requestAddress, tooOftenText } from "./limits.ts";
import { ACCESS_FIELDS, endedTexts, findOpenAccess } from "./open-access.ts";
import { hashPassword } from "./passwords.ts";
import { isLastOperator } from "./people/actions.ts";
import { changeLocale, deleteUser, findAccount } from "./queries.ts";
import { deletionForm, localeForm, passwordError, passwordForm } from "./schemas.ts";

/** `POST /profile/locale`: the language of pages and mails, and the zone of times. */
export function saveLocale(context: BaseContext): RequestHandler {
  return async (req, res) => {
    const form = readForm(localeForm, req);
    if (form.errors) return renderProfile(context, req, res, { form: "locale", errors: form.errors });
    const { language = null, time_zone: timeZone = null } = form.values;
    const { id } = viewerOf(req);
    await changeLocale(context.db, id, { language, timeZone });
    await replanDigest(context.db, id);
    // Switches to the chosen language at once, even if the path has another one.
    const chosen =
      req.pathLanguage !== undefined && language !== null ? `/${language}` : localeOf(req).prefix;
    await backToProfile(req, res, lazyText("accounts.flash.locale_saved"), {
      path: localPaths(chosen).profile(),
    });
  };
}

/** `POST /profile/password`: logs the user out everywhere else. */
export function savePassword(
  context: BaseContext & { keys: KnownKeys },
  limits: AttemptLimits,
): RequestHandler {
  const { db, keys, sessions } = context;
  return async (req, res) => {
    const { id, name } = viewerOf(req);
    const refuse = (errors: FieldErrors, status = 400) =>
      renderProfile(context, req, res, { form: "password", errors, status });
    const form = readForm(passwordForm, req);
    if (form.errors) return refuse(form.errors);
    const { current_password, new_password } = form.values;
    const error = passwordError(name, new_password);
    if (error) return refuse({ new_password: translateText(error, localeOf(req).language) });
    const { denied, ...checked } = await checkCurrentPassword(db, limits, req, res, current_password);
    if (denied) return refuse({ current_password: denied.message }, denied.status);
    const hash = await hashPassword(new_password);
    const enter = await db.transaction(async (transaction) => {
      const ended = await replacePassword(transaction, id, hash, { ...form.values, ...checked });
      const flash = [lazyText("accounts.flash.password_changed"), ...endedTexts(ended)];
      const enter = await sessions.begin(transaction, req, { userId: id, message: { flash } });
      return () => {
        keys.forgetUser(id);
        enter();
        logSecurity(req, "password.changed", { ended });
      };
    });
    enter();
    goToProfile(req, res);
  };
}

/** `POST /profile/delete` */
export function deleteAccount(
  context: BaseContext & { keys: KnownKeys },
  limits: AttemptLimits,
): RequestHandler {
  const { db, keys, sessions } = context;
  return async (req, res) => {
    const { id, name } = viewerOf(req);
    const refuse = (errors: FieldErrors, status = 400) =>
      renderProfile(context, req, res, { form: "deletion", errors, status });
    const form = readForm(deletionForm, req);
    if (form.errors) return refuse(form.errors);
    const { current_password } = form.values;
    const { denied, ...checked } = await checkCurrentPassword(db, limits, req, res, current_password);
    if (denied) return refuse({ current_password: denied.message }, denied.status);
    const deleted = await db.transaction(async (transaction) => {
      if (await isLastOperator(transaction, { id })) return "last operator";
      return deleteUser(transaction, id, checked);
    });
    if (deleted === "last operator") {
      await leaveFlash(req, lazyText("people.last_operator"), { tone: "danger" });
      return goToProfile(req, res);
    }
    if (!deleted) throw new SessionEndedError();
    keys.forgetUser(id);
    logSecurity(req, "account.deleted");
    sessions.forget(req, res);
    req.viewer = undefined;
    const head = { title: localeOf(req).t("accounts.deleted.title"), noindex: true };
    await renderPage(req, res, "accounts/deleted", head, { name });
  };
}

interface FailedForm {
  form: "email" | "locale" | "password" | "deletion";
  errors: FieldErrors;
  status?: number;
}

/** The whole page, with the errors of a refused form beside its fields. */
export async function renderProfile(
  { config, db }: BaseContext,
  req: Request,
  res: Response,
  failed?: FailedForm,
): Promise<void> {
  const { id } = viewerOf(req);
  const locale = localeOf(req);
  const [account, keys, access] = await Promise.all([
    findAccount(db, id),
    listKeys(db, id),
    findOpenAccess(db, id),
  ]);
  if (!account) throw new SessionEndedError();
  const zones = await zoneGroups(account.time_zone, locale);
  const status = failed && (failed.status ?? 400);
  const head = {
    title: locale.t("accounts.profile.title"),
    noindex: true,
    status,
    scripts: ["accounts/time-zone", "accounts/password", "web/send-once"],
    styles: ["accounts/accounts", "accounts/api-keys"],
  };
  const errors = { email: {}, locale: {}, password: {}, deletion: {} };
  await renderPage(req, res, "accounts/profile", head, {
    account,
    sendsMail: config.mail.kind !== "none",
    languageNames: LANGUAGES.map((code) => [code, languageName(code)]),
    zones,
    access,
    chosenAccess: failed ? { [failed.form]: typedText(req, ACCESS_FIELDS) } : {},
    keys,
    keyErrors: {},
    keyTyped: {},
    keyFormId: randomUUID(),
    errors: failed ? { ...errors, [failed.form]: failed.errors } : errors,
    typedEmail: failed?.form === "email" ? typedText(req, ["email"]).email : undefined,
    typedLocale: failed?.form === "locale" ? typedText(req, ["language", "time_zone"]) : undefined,
  });
}

/** Redirects to the profile with a message. */
export async function backToProfile(
  req: Request,
  res: Response,
  flash: Translatable,
  { tone, path }: { tone?: Tone; path?: string } = {},
): Promise<void> {
  await leaveFlash(req, flash, { tone });
  goToProfile(req, res, path);
}

/** The same if the session already has the message. */
export function goToProfile(req: Request, res: Response, path = localeOf(req).paths.profile()): void {
  res.redirect(303, path);
}

type CurrentPassword =
  | { passwordSetAt: string; denied?: undefined }
  | { denied: { message: string; status: number } };

/** Checks the current password. Counts like a log-in, so that an open session does not help to guess the password. */
export async function checkCurrentPassword(
  db: Db,
  limits: AttemptLimits,
  req: Request,
  res: Response,
  password: string,
): Promise<CurrentPassword> {
  const attempt = { name: viewerOf(req).name, password, address: requestAddress(req) };
  const check = await checkPassword(db, limits, attempt);
  if (check.outcome === "right") return { passwordSetAt: check.passwordSetAt };
  logSecurity(req, check.outcome === "wrong" ? "password.wrong" : "password.limited");
  const { t } = localeOf(req);
  if (check.outcome === "wrong")
    return { denied: { message: t("accounts.error.wrong_password"), status: 400 } };
  const message = tooOftenText(req, res, "accounts.error.wrong_too_often", check.waitSeconds);
  return { denied: { message, status: 429 } };
}

/** A group of choices, each as `[zone, label]`. */
interface ZoneGroup {
  group: string;
  options: [name: string, text: string][];
}

/** The first parts of zones' names that have texts, except `Etc`. */
const REGIONS = TEXTS.accounts.zone;

/**
 * Zones by the first part of their names: `Europe`, and in it `Berlin`. UTC stays first. English uses the names
 * themselves; other languages use Unicode's names: the country's if it has one zone, else the city's.
 */
async function zoneGroups(
  own: string | null | undefined,
  { t, language }: Pick<Locale, "t" | "language">,
): Promise<ZoneGroup[]> {
  const named = await namesIn(language);
  const groups = new Map<string, ZoneGroup["options"]>();
  for (const name of listTimeZones(own)) {
    const [region = "", ...place] = name.split("/");
    const text = named.get(name) ?? (place.join(" / ") || name).replaceAll("_", " ");
    groups.set(region, [...(groups.get(region) ?? []), [name, text]]);
  }
  const byText = ([, a]: [string, string], [, b]: [string, string]) => a.localeCompare(b, language);
  const lists = [...groups].map(([region, options]) => ({
    group: isNamed(region) ? t(`accounts.zone.${region}`) : region,
    options: options.sort(byText),
  }));
  const isLater = ({ group }: ZoneGroup) => Number(group !== "UTC");
  return lists.sort((a, b) => isLater(a) - isLater(b) || a.group.localeCompare(b.group, language));
}

/** How many zones are named in one turn of the event loop, because all at once would delay every other request. */
const ZONES_A_TURN = 10;

const namesIn = memoize(async (language: Language): Promise<ReadonlyMap<string, string>> => {
  const names = new Map<string, string>();
  if (language === FALLBACK) return names;
  for (const [index, zone] of listTimeZones().entries()) {
    if (index % ZONES_A_TURN === 0) await nextTurn();
    if (isNamed(region(zone))) names.set(zone, placeName(zone, intlLocale(language)));
  }
  // Some languages name the hours of several zones alike, such as `MEZ`, which distinguishes no places.
  return new Set(names.values()).size === names.size ? names : new Map();
});

function isNamed(region: string): region is keyof typeof REGIONS {
  return Object.hasOwn(REGIONS, region);
}

function region(zone: string): string {
  return zone.slice(0, zone.indexOf("/"));
}
