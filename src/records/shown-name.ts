import type { Language } from "../words/i18n/languages.ts";
import { localName } from "../words/i18n/local-name.ts";

/** The name of a shop item on a page; `lang` is undefined if unknown. */
export interface ShownName {
  name: string;
  lang: string | undefined;
  /** The main name, if `name` is a translation. */
  other: { name: string; lang: string } | undefined;
}

/** The name of a shop item in the language of a page, with its main name. */
export function shownName(
  item: { name: string; names?: Record<string, string> | null },
  language: Language,
): ShownName {
  const { name, lang, original, originalLang = "" } = localName(item, language);
  return { name, lang, other: original === undefined ? undefined : { name: original, lang: originalLang } };
}
