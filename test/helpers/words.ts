import { formatFor } from "../../src/http/format.ts";
import type { Language } from "../../src/i18n/languages.ts";
import { translate } from "../../src/i18n/translate.ts";
import { wordsOf } from "../../src/servers/locale-words.ts";
import type { Words } from "../../src/servers/words.ts";

/** How the servers' pages write in a language. */
export function wordsIn(language: Language): Words {
  return wordsOf({ t: translate(language), format: formatFor(language), language });
}
