import type { Locale } from "../http/locale.ts";
import { intlLocale } from "../i18n/languages.ts";
import type { Words } from "./words.ts";

/** How a page of this locale writes what the servers' scripts write as well. */
export function wordsOf({ t, format, language }: Pick<Locale, "t" | "format" | "language">): Words {
  return { t, number: format.number, locale: intlLocale(language) };
}
