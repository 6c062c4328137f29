import { LANGUAGES } from "../i18n/languages.ts";

const LATIN = "files/onest-latin-wght-normal.woff2";
const CYRILLIC = "files/onest-cyrillic-wght-normal.woff2";

/**
 * The font files that every page needs for sure, in whatever language it is: figures and names of things are Latin, and
 * the switch calls each language as it calls itself. What comes only when a letter asks for it comes too late for the
 * first page (`font-display: optional`), and is loaded all the same.
 */
export const PAGE_FONTS: readonly string[] = LANGUAGES.some(isCyrillic) ? [LATIN, CYRILLIC] : [LATIN];

function isCyrillic(language: string): boolean {
  return new Intl.Locale(language).maximize().script === "Cyrl";
}
