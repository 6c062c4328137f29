import type { LocaleWords } from "../../src/servers/locale-words.ts";
import { createWords } from "../../src/servers/locale-words.ts";
import { formatFor } from "../../src/web/request/format.ts";
import type { Language } from "../../src/words/i18n/languages.ts";
import { translate } from "../../src/words/i18n/translate.ts";

/** How the servers' pages write in a language. */
export function wordsIn(language: Language): LocaleWords {
  return createWords({ t: translate(language), format: formatFor(language), language });
}
