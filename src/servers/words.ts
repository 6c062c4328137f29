import type { Locale } from "../http/locale.ts";
import { intlLocale } from "../i18n/languages.ts";
import type { Translate } from "../i18n/translate.ts";

/** How one language is written: its texts, its numbers (`12,345`), and what Intl calls it. Scripts have one too. */
export interface Words {
  t: Translate;
  number(count: number): string;
  locale: string;
}

/** How a page of this locale writes what the servers' scripts write as well. */
export function wordsOf({ t, format, language }: Pick<Locale, "t" | "format" | "language">): Words {
  return { t, number: format.number, locale: intlLocale(language) };
}
