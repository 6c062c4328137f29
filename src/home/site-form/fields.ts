import { z } from "zod";
import { SECTIONS } from "../../settings/config.ts";
import { STORABLE, STORABLE_NAMES, type StorableName, type StoredSettings } from "../../settings/stored.ts";
import { spellTexts, type TextByLanguage } from "../../settings/texts.ts";
import { oneOf, text } from "../../web/request/params.ts";
import { FALLBACK, LANGUAGES } from "../../words/i18n/languages.ts";
import { readLocalTime, toLocalTime } from "../../words/text/local-times.ts";

/** The settings that are one field, which has their name. */
const PLAIN = ["SITE_NAME", "SITE_ACCENT", "SITE_LINKS", "MAIL_FROM"] as const;
/** The settings that are a field for each language. */
const TEXTS = ["HOME_TEXT", "ANNOUNCEMENT"] as const;

/** All fields but the password, which is never shown. */
export const TYPED_FIELDS: readonly string[] = [
  ...PLAIN,
  ...TEXTS.flatMap((name) => LANGUAGES.map((language) => `${name}.${language}`)),
  ...SECTIONS.map((section) => `section.${section}`),
  ...["from", "until", "zone", "smtp_host", "smtp_port", "smtp_tls", "smtp_user", "seen", "to"],
];

const field = text(0, 4_000)
  .transform((typed) => typed.replaceAll("\r\n", "\n").trim())
  .default("");

/** The step is required, because a form without its fields would empty every setting. */
export const siteForm = z.object({
  ...Object.fromEntries([...TYPED_FIELDS, "smtp_password"].map((name) => [name, field])),
  step: oneOf(["save", "test"]),
});

/** Texts by field. */
export type Typed = Readonly<Record<string, string>>;

/** Settings as fields of the form, with times in a zone. */
export function fieldsOf(settings: StoredSettings, zone: string): Typed {
  const off = STORABLE.SECTIONS_OFF.safeParse(settings.SECTIONS_OFF).data ?? [];
  const { texts = {}, from, until } = STORABLE.ANNOUNCEMENT.safeParse(settings.ANNOUNCEMENT).data ?? {};
  const smtp = URL.parse(settings.SMTP_URL ?? "");
  const inFields = (name: string, { "": own = "", ...others }: TextByLanguage) =>
    LANGUAGES.map((tag) => [`${name}.${tag}`, others[tag] ?? (tag === FALLBACK ? own : "")]);
  return {
    ...Object.fromEntries(PLAIN.map((name) => [name, settings[name] ?? ""])),
    SITE_LINKS: (settings.SITE_LINKS ?? "").replaceAll(/\s*,\s*/g, "\n"),
    ...Object.fromEntries(inFields("HOME_TEXT", STORABLE.HOME_TEXT.safeParse(settings.HOME_TEXT).data ?? {})),
    ...Object.fromEntries(inFields("ANNOUNCEMENT", texts)),
    ...Object.fromEntries(SECTIONS.map((each) => [`section.${each}`, off.includes(each) ? "" : "1"])),
    zone,
    ...{ from: from ? toLocalTime(from, zone) : "", until: until ? toLocalTime(until, zone) : "" },
    ...{ smtp_host: smtp?.hostname ?? "", smtp_port: smtp?.port ?? "" },
    ...{
      smtp_tls: smtp?.protocol === "smtps:" ? "1" : "",
      smtp_user: decodeURIComponent(smtp?.username ?? ""),
    },
  };
}

/** The settings that were typed and differ from the saved ones, null for none, and the names of those that are wrong. */
export function readChanges(
  typed: Typed,
  { stored, given, zone }: { stored: StoredSettings; given: StoredSettings; zone: string },
): { changes: Partial<Record<StorableName, string | null>>; wrong: readonly (StorableName | "password")[] } {
  const texts = (name: string) =>
    spellTexts(
      Object.fromEntries(
        LANGUAGES.map((tag) => [tag === FALLBACK ? "" : tag, typed[`${name}.${tag}`] ?? ""]),
      ),
    );
  const mail = spellMail(typed, stored.SMTP_URL);
  const said: StoredSettings = {
    ...Object.fromEntries(PLAIN.map((name) => [name, typed[name]?.replaceAll(/[^\S\n]+/g, " ")])),
    SITE_LINKS: typed.SITE_LINKS?.replaceAll(/\n+/g, ", "),
    HOME_TEXT: texts("HOME_TEXT"),
    ANNOUNCEMENT: texts("ANNOUNCEMENT") && spellPeriod(typed, zone) + texts("ANNOUNCEMENT"),
    SECTIONS_OFF: SECTIONS.filter((section) => !typed[`section.${section}`]).join(", "),
    SMTP_URL: mail ?? stored.SMTP_URL ?? "",
  };
  const changed = STORABLE_NAMES.filter(
    (name) => name in said && given[name] === undefined && said[name] !== (stored[name] ?? ""),
  );
  const wrong = changed.filter((name) => said[name] && !STORABLE[name].safeParse(said[name]).success);
  return {
    changes: Object.fromEntries(changed.map((name) => [name, said[name] || null])),
    wrong: mail === undefined && given.SMTP_URL === undefined ? [...wrong, "password"] : wrong,
  };
}

/** What the setting's parser reads as a period; it refuses a time that clocks never show. */
function spellPeriod({ from, until }: Typed, zone: string): string {
  const spell = (typed = "") => typed && (readLocalTime(typed, zone).at?.toISOString() ?? "0");
  return from || until ? `${spell(from)}/${spell(until)} ` : "";
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
