import { type CurrencyName, type CurrencyNames, setCurrencyNames } from "../currencies.ts";
import { intlLocale, LANGUAGES } from "../i18n/languages.ts";
import type { VocabularyFile } from "./schema.ts";
import { textIn } from "./text-in.ts";

/** Makes the names that a vocabulary has for currencies known to this process, in all languages. */
export function learnCurrencies({ currencies = {} }: VocabularyFile): void {
  const names: CurrencyNames = new Map(
    LANGUAGES.map((language) => [
      intlLocale(language),
      new Map(
        Object.entries(currencies).flatMap(([code, texts]): [string, CurrencyName][] => {
          const name = textIn<CurrencyName>(texts, language);
          return name === undefined ? [] : [[code, name]];
        }),
      ),
    ]),
  );
  setCurrencyNames(names);
}
