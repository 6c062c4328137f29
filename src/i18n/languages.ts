import { readdirSync } from "node:fs";

/** A language that there is a file of texts for in this folder, by its code (BCP 47). */
export type Language = string;

/** Who told no language, or one of which there are no texts, is written to in this one. */
export const FALLBACK: Language = "en";

/** The languages that the site writes in: each file of texts is one. The fallback comes first. */
export const LANGUAGES: readonly Language[] = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".json"))
  .map((file) => file.slice(0, -".json".length))
  .sort((a, b) => Number(b === FALLBACK) - Number(a === FALLBACK) || (a < b ? -1 : 1));

export function isLanguage(code: string): boolean {
  return LANGUAGES.includes(code);
}

/** The language to write in for what a user told, if anything. */
export function languageFor(told: string | null | undefined): Language {
  return told != null && isLanguage(told) ? told : FALLBACK;
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
