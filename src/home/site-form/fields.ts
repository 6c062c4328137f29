import { z } from "zod";
import { STORABLE, STORABLE_NAMES, type StorableName, type StoredSettings } from "../../settings/stored.ts";
import {
  ANNOUNCEMENTS_AT_MOST,
  spellAnnouncement,
  spellTexts,
  type TextByLanguage,
} from "../../settings/texts.ts";
import { oneOf, text } from "../../web/request/params.ts";
import { FALLBACK, LANGUAGES } from "../../words/i18n/languages.ts";
import { type LazyText, lazyText } from "../../words/i18n/lazy-text.ts";
import { listSections } from "../../words/kinds/kinds.ts";
import { readLocalTime, toLocalTime } from "../../words/text/local-times.ts";

/** The settings that are one field, which has their name. */
const PLAIN = ["SITE_NAME", "SITE_ACCENT", "SITE_LINKS", "MAIL_FROM"] as const;
/** The settings that are a field for each language. */
const TEXTS = ["HOME_TEXT", ...slots().map((slot) => `ANNOUNCEMENT.${slot}`)];

/** The announcements of the form, by number. */
function slots(): number[] {
  return [...Array(ANNOUNCEMENTS_AT_MOST).keys()];
}

/** The announcements that the form shows: those with a text or a time, and an empty one. */
export function shownSlots(typed: Typed): number[] {
  const isUsed = (slot: number) =>
    Object.entries(typed).some(
      ([name, text]) => text && /^(ANNOUNCEMENT|from|until)\.(\d)/.exec(name)?.[2] === `${slot}`,
    );
  return slots().slice(0, slots().findLastIndex(isUsed) + 2);
}

/** All fields but the password, which is never shown. */
export function typedFields(): string[] {
  return [
    ...PLAIN,
    ...TEXTS.flatMap((name) => LANGUAGES.map((language) => `${name}.${language}`)),
    ...slots().flatMap((slot) => [`from.${slot}`, `until.${slot}`]),
    ...listSections().map((section) => `section.${section}`),
    ...["ANONYMOUS_REPORTS", "zone", "smtp_host", "smtp_port", "smtp_tls", "smtp_user", "seen", "to"],
  ];
}

const field = text(0, 4_000)
  .transform((typed) => typed.replaceAll("\r\n", "\n").trim())
  .default("");

/** The step is required, because a form without its fields would empty every setting. */
export function siteForm() {
  const fields = [...typedFields(), "smtp_password"].map((name) => [name, field]);
  return z.object({ ...Object.fromEntries(fields), step: oneOf(["save", "test"]) });
}

/** Texts by field. */
export type Typed = Readonly<Record<string, string>>;

/** Settings as fields of the form, with times in a zone. */
export function fieldsOf(settings: StoredSettings, zone: string): Typed {
  const off = STORABLE.SECTIONS_OFF.safeParse(settings.SECTIONS_OFF).data ?? [];
  const announcements = STORABLE.ANNOUNCEMENT.safeParse(settings.ANNOUNCEMENT).data ?? [];
  const smtp = URL.parse(settings.SMTP_URL ?? "");
  const inFields = (name: string, { "": own = "", ...others }: TextByLanguage) =>
    LANGUAGES.map((tag) => [`${name}.${tag}`, others[tag] ?? (tag === FALLBACK ? own : "")]);
  return {
    ...Object.fromEntries(PLAIN.map((name) => [name, settings[name] ?? ""])),
    SITE_LINKS: (settings.SITE_LINKS ?? "").replaceAll(/\s*,\s*/g, "\n"),
    ...Object.fromEntries(inFields("HOME_TEXT", STORABLE.HOME_TEXT.safeParse(settings.HOME_TEXT).data ?? {})),
    ...Object.fromEntries(
      announcements.flatMap(({ texts, from, until }, slot) => [
        ...inFields(`ANNOUNCEMENT.${slot}`, texts),
        [`from.${slot}`, from ? toLocalTime(from, zone) : ""],
        [`until.${slot}`, until ? toLocalTime(until, zone) : ""],
      ]),
    ),
    ANONYMOUS_REPORTS: STORABLE.ANONYMOUS_REPORTS.safeParse(settings.ANONYMOUS_REPORTS).data ? "1" : "",
    ...Object.fromEntries(listSections().map((each) => [`section.${each}`, off.includes(each) ? "" : "1"])),
    zone,
    ...{ smtp_host: smtp?.hostname ?? "", smtp_port: smtp?.port ?? "" },
    ...{
      smtp_tls: smtp?.protocol === "smtps:" ? "1" : "",
      smtp_user: decodeURIComponent(smtp?.username ?? ""),
    },
  };
}

/** Reasons by field; by setting if one stands for all of its fields. */
type Errors = Readonly<Record<string, LazyText>>;

/** The settings that were typed and differ from the saved ones, null for none, and what is wrong. */
export function readChanges(
  typed: Typed,
  { stored, given, zone }: { stored: StoredSettings; given: StoredSettings; zone: string },
): { changes: Partial<Record<StorableName, string | null>>; errors: Errors } {
  const texts = (name: string): TextByLanguage =>
    Object.fromEntries(LANGUAGES.map((tag) => [tag === FALLBACK ? "" : tag, typed[`${name}.${tag}`] ?? ""]));
  const announcements = slots().flatMap((slot) => {
    const text = spellAnnouncement(texts(`ANNOUNCEMENT.${slot}`));
    return text ? [{ text, ...readPeriod(typed, slot, zone) }] : [];
  });
  const mail = spellMail(typed, stored.SMTP_URL);
  const said: StoredSettings = {
    ...Object.fromEntries(PLAIN.map((name) => [name, typed[name]?.replaceAll(/[^\S\n]+/g, " ")])),
    SITE_LINKS: typed.SITE_LINKS?.replaceAll(/\n+/g, ", "),
    HOME_TEXT: spellTexts(texts("HOME_TEXT")),
    ANNOUNCEMENT: announcements.map(({ text, period }) => period + text).join("||"),
    ANONYMOUS_REPORTS: typed.ANONYMOUS_REPORTS,
    SECTIONS_OFF: listSections()
      .filter((section) => !typed[`section.${section}`])
      .join(", "),
    SMTP_URL: mail ?? stored.SMTP_URL ?? "",
  };
  const changed = STORABLE_NAMES.filter(
    (name) => name in said && given[name] === undefined && said[name] !== (stored[name] ?? ""),
  );
  const wrong = changed.filter((name) => said[name] && !STORABLE[name].safeParse(said[name]).success);
  const isPasswordMissing = mail === undefined && given.SMTP_URL === undefined;
  const errors: Errors = {
    ...Object.fromEntries(wrong.map((name) => [name, lazyText("site_settings.wrong")])),
    ...(wrong.includes("SITE_LINKS") && wrongLine(typed.SITE_LINKS ?? "")),
    ...(isPasswordMissing && { password: lazyText("site_settings.password_again") }),
  };
  return {
    changes: Object.fromEntries(changed.map((name) => [name, said[name] || null])),
    errors: Object.assign({}, errors, ...announcements.map((each) => each.errors)),
  };
}

/** The first line that is no link; nothing if there are only too many. */
function wrongLine(links: string): Errors {
  const isWrong = (line: string) => line.trim() !== "" && !STORABLE.SITE_LINKS.safeParse(line).success;
  const at = links.split("\n").findIndex(isWrong);
  return at === -1 ? {} : { SITE_LINKS: lazyText("site_settings.wrong_line", { number: at + 1 }) };
}

/** The period of an announcement as the setting's parser reads it, without times that cannot be used. */
function readPeriod(typed: Typed, slot: number, zone: string): { period: string; errors: Errors } {
  const [start, end] = [typed[`from.${slot}`], typed[`until.${slot}`]].map((text) =>
    text ? readLocalTime(text, zone) : undefined,
  );
  const isReversed = start?.at && end?.at && end.at <= start.at;
  const endError = isReversed ? lazyText("operator.error.end_before_start") : end?.error;
  const sentence = (label: LazyText, message: LazyText) => lazyText("input.sentence", { label, message });
  const errors = {
    ...(start?.error && { [`from.${slot}`]: sentence(lazyText("operator.form.start"), start.error) }),
    ...(endError && { [`until.${slot}`]: sentence(lazyText("operator.form.end"), endError) }),
  };
  const [from, until] = [start?.at?.toISOString() ?? "", (!endError && end?.at?.toISOString()) || ""];
  return { period: from || until ? `${from}/${until} ` : "", errors };
}

const PLACE = /^([a-z0-9._-]+|\[[0-9a-f:.]+\]):\d{1,5}$/i;

/** The address of the mail server; undefined without its password, as the saved one must not reach another server or user. */
function spellMail(typed: Typed, stored = ""): string | undefined {
  const { smtp_host: host, smtp_port: port, smtp_user: user, smtp_tls, smtp_password: password } = typed;
  if (!host) return "";
  const place = `${host}:${port || (smtp_tls ? "465" : "587")}`;
  const scheme = smtp_tls ? "smtps:" : "smtp:";
  if (!PLACE.test(place)) return scheme;
  const login = encodeURIComponent(user ?? "");
  if (login === "" || password)
    return `${scheme}//${login && `${login}:${encodeURIComponent(password ?? "")}@`}${place}`;
  const { protocol, username, host: before } = URL.parse(stored) ?? {};
  return protocol === scheme && username === login && before === place ? stored : undefined;
}
