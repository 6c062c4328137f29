import type { Locale } from "../web/request/locale.ts";
import { intlLocale } from "../words/i18n/languages.ts";
import type { Translate } from "../words/i18n/translator.ts";
import type { Period } from "./spans.ts";
import type { Words } from "./words.ts";

/** The server's version, with all texts. */
export interface LocaleWords extends Words {
  t: Translate;
  /** The time zone, as Intl takes it. */
  zone: string;
  /** A share of 0 to 1: `12.5%`. */
  share(value: number): string;
  /** See `Format.periodTag`. */
  periodTag(period: Period, withDays: boolean): string;
}

/** Creates the words of a page's locale. */
export function createWords({ t, format, language }: Pick<Locale, "t" | "format" | "language">): LocaleWords {
  return {
    t,
    number: format.number,
    locale: intlLocale(language),
    zone: format.timeZone ?? "UTC",
    share: format.share,
    periodTag: ({ from, to }, withDays) =>
      format.periodTag(new Date(from * 1000), new Date(to * 1000), withDays),
  };
}
