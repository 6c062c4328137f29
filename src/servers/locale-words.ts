import type { Locale } from "../http/locale.ts";
import { intlLocale } from "../i18n/languages.ts";
import type { Translate } from "../i18n/translator.ts";
import type { Words } from "./words.ts";

/** The same on the server, which knows all texts. */
export interface LocaleWords extends Words {
  t: Translate;
}

/** How a page of this locale writes. */
export function wordsOf({ t, format, language }: Pick<Locale, "t" | "format" | "language">): LocaleWords {
  return { t, number: format.number, locale: intlLocale(language) };
}
