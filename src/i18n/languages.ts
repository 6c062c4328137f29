import { readdirSync } from "node:fs";
import { nearestTag } from "./nearest-tag.ts";

/** A language that there is a file of texts for in this folder, by its code (BCP 47). */
export type Language = string;

/** Who told no language, or one of which there are no texts, is written to in this one. */
export const FALLBACK: Language = "en";

/** The languages that the site writes in: each file of texts is one. The fallback comes first. */
export const LANGUAGES: readonly Language[] = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".json"))
  .map((file) => languageOfFile(file))
  .sort((a, b) => Number(b === FALLBACK) - Number(a === FALLBACK) || (a < b ? -1 : 1));

/**
 * A file in other letters than the tag's own would be a language that no browser's answer equals.
 * @throws Error that says what to call the file
 */
export function languageOfFile(file: string): Language {
  const name = file.slice(0, -".json".length);
  const tag = canonicalTag(name);
  if (tag === name) return tag;
  const known = canonicalTag(name.replaceAll("_", "-"));
  const rather = known === undefined ? "a language tag (BCP 47) such as pt-BR.json" : `${known}.json`;
  throw new Error(`src/i18n/${file} names no language: call it ${rather}`);
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

/** The language to write in for what a user told, if anything: that one, else the nearest that there are texts in. */
export function languageFor(told: string | null | undefined): Language {
  return (told != null ? nearestTag(told, LANGUAGES) : undefined) ?? FALLBACK;
}

/** The first of these languages, the most wanted first, that there are texts in, or in one near it. */
export function firstKnownLanguage(wanted: readonly string[]): Language | undefined {
  for (const tag of wanted) {
    const known = nearestTag(tag, LANGUAGES);
    if (known !== undefined) return known;
  }
  return undefined;
}

/** What Intl calls it: English is written as in Britain, with the day before the month and 24 hours. */
export function intlLocale(language: Language): string {
  return language === "en" ? "en-GB" : language;
}

/** Scripts that are written from right to left. Source: https://www.unicode.org/standard/supported.html */
const FROM_THE_RIGHT = ["Adlm", "Arab", "Hebr", "Nkoo", "Rohg", "Syrc", "Thaa"];

/** Which way a language is written, as HTML's `dir` and the manifest's have it. */
export function directionOf(language: Language): "ltr" | "rtl" {
  return FROM_THE_RIGHT.includes(new Intl.Locale(language).maximize().script ?? "") ? "rtl" : "ltr";
}

/** What a language is called in another one, or in itself: `Русский`; the tag itself where that is not known. */
export function languageName(tag: string, inLanguage: Language = tag): string {
  try {
    const name = new Intl.DisplayNames(inLanguage, { type: "language" }).of(tag) ?? tag;
    return name.charAt(0).toLocaleUpperCase(inLanguage) + name.slice(1);
  } catch {
    // Not a language tag: whatever the source calls it.
    return tag;
  }
}
