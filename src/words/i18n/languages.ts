import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { nearestTag } from "./nearest-tag.ts";

/** The code (BCP 47) of a language that has a file of texts in this folder or in the operator's. */
export type Language = string;

/** A file of texts is wrong. The message is one line for an operator. */
export class LanguageError extends Error {
  override name = "LanguageError";
}

const FOLDER = import.meta.dirname;
/** `DATA_DIR/languages`, which `src/main.js` names to this process; undefined: there are no own languages. */
const OWN_FOLDER = process.env.ALMANAC_LANGUAGES;

/** The language for readers whose own is unknown or has no texts. */
export const FALLBACK: Language = "en";

/** The languages of the site, one for each file of texts; the fallback is first. */
export const LANGUAGES: readonly Language[] = [...new Set([FOLDER, OWN_FOLDER].flatMap(languagesIn))].sort(
  (a, b) => Number(b === FALLBACK) - Number(a === FALLBACK) || (a < b ? -1 : 1),
);

/** The files with texts of a language, the site's before the operator's, which goes first where both have a text. */
export function listLanguageFiles(language: Language): string[] {
  const folders = [FOLDER, OWN_FOLDER].filter((folder) => folder !== undefined);
  return folders.map((folder) => path.join(folder, `${language}.json`)).filter((file) => existsSync(file));
}

function languagesIn(folder: string | undefined): Language[] {
  if (folder === undefined || !existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
  return files.map((file) => languageOfFile(file, folder));
}

/**
 * The tag of a file. It must be in canonical case, because the languages of requests are compared with it.
 * @throws LanguageError that says how to name the file
 */
export function languageOfFile(file: string, folder = "src/words/i18n"): Language {
  const name = file.slice(0, -".json".length);
  const tag = canonicalTag(name);
  if (tag === name) return tag;
  const known = canonicalTag(name.replaceAll("_", "-"));
  const better = known === undefined ? "a language tag (BCP 47) such as pt-BR.json" : `${known}.json`;
  throw new LanguageError(`${path.join(folder, file)} names no language: call it ${better}`);
}

function canonicalTag(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text)[0];
  } catch {
    return undefined;
  }
}

export function isLanguage(code: string): boolean {
  return LANGUAGES.includes(code);
}

/** The language to write to a user in: the wanted one or the nearest that has texts, else the fallback. */
export function languageFor(wanted: string | null | undefined): Language {
  return (wanted != null ? nearestTag(wanted, LANGUAGES) : undefined) ?? FALLBACK;
}

/** The first language with texts, itself or one near it; `wanted` has the best first. */
export function firstKnownLanguage(wanted: readonly string[]): Language | undefined {
  return wanted.map((tag) => nearestTag(tag, LANGUAGES)).find((known) => known !== undefined);
}

/** The locale for Intl: English is British, with the day before the month and 24 hours. */
export function intlLocale(language: Language): string {
  return language === "en" ? "en-GB" : language;
}

/** Scripts written from right to left. Source: https://www.unicode.org/standard/supported.html */
const FROM_THE_RIGHT = ["Adlm", "Arab", "Hebr", "Nkoo", "Rohg", "Syrc", "Thaa"];

/** The direction of a language, for `dir` in HTML and the manifest. */
export function directionOf(language: Language): "ltr" | "rtl" {
  return FROM_THE_RIGHT.includes(new Intl.Locale(language).maximize().script ?? "") ? "rtl" : "ltr";
}

/** The name of a language in another one, or in itself: `Русский`; the tag itself if unknown. */
export function languageName(tag: string, inLanguage: Language = tag): string {
  try {
    const name = new Intl.DisplayNames(inLanguage, { type: "language" }).of(tag) ?? tag;
    return name.charAt(0).toLocaleUpperCase(inLanguage) + name.slice(1);
  } catch {
    // Not a language tag: returned unchanged.
    return tag;
  }
}
