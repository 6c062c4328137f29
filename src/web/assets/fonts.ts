import { LANGUAGES } from "../../words/i18n/languages.ts";

const LATIN = "files/onest-latin-wght-normal.woff2";
const CYRILLIC = "files/onest-cyrillic-wght-normal.woff2";

/** The fonts that every page needs: figures and names are Latin, and the switch names each language in its letters. */
export const PAGE_FONTS: readonly string[] = LANGUAGES.some(isCyrillic) ? [LATIN, CYRILLIC] : [LATIN];

function isCyrillic(language: string): boolean {
  return new Intl.Locale(language).maximize().script === "Cyrl";
}
