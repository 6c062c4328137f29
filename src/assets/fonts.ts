import { LANGUAGES } from "../i18n/languages.ts";

const LATIN = "files/onest-latin-wght-normal.woff2";
const CYRILLIC = "files/onest-cyrillic-wght-normal.woff2";

/**
 * The font files that every page needs: figures and names are Latin, and the switch shows each language in its own
 * letters. A font loaded only when a letter needs it comes too late for the first page (`font-display: optional`).
 */
export const PAGE_FONTS: readonly string[] = LANGUAGES.some(isCyrillic) ? [LATIN, CYRILLIC] : [LATIN];

function isCyrillic(language: string): boolean {
  return new Intl.Locale(language).maximize().script === "Cyrl";
}
