import type { Language } from "../i18n/languages.ts";

const LATIN = "files/onest-latin-wght-normal.woff2";
const CYRILLIC = "files/onest-cyrillic-wght-normal.woff2";

/** The font files that a page in a language needs for sure: figures and names of things are Latin in all of them. */
export function fontsOf(language: Language): string[] {
  return new Intl.Locale(language).maximize().script === "Cyrl" ? [LATIN, CYRILLIC] : [LATIN];
}
