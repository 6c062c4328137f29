import type { Language } from "../i18n/languages.ts";
import { localName } from "../i18n/local-name.ts";

/** What a shop's item is called on a page; `lang` may stay unknown, which is written as a blank. */
export interface ShownName {
  name: string;
  lang: string | undefined;
  /** The main name, where the other one is a translation of it. */
  other: { name: string; lang: string } | undefined;
}

/** An item's name in the language of a page, with its main name beside it. */
export function shownName(
  item: { name: string; names?: Record<string, string> | null },
  language: Language,
): ShownName {
  const { name, lang, original, originalLang = "" } = localName(item, language);
  return { name, lang, other: original === undefined ? undefined : { name: original, lang: originalLang } };
}
