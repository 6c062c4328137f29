import { formatFor } from "../../src/http/format.ts";
import type { Language } from "../../src/i18n/languages.ts";
import { translate } from "../../src/i18n/translate.ts";
import type { LocaleWords } from "../../src/servers/locale-words.ts";
import { wordsOf } from "../../src/servers/locale-words.ts";

/** How the servers' pages write in a language. */
export function wordsIn(language: Language): LocaleWords {
  return wordsOf({ t: translate(language), format: formatFor(language), language });
}
