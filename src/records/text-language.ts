import { defaultVocabulary } from "../words/vocabulary/live.ts";

/** The language of the demo data, apart from names, which have their own. */
const DEMO_LANGUAGE = "en";

/**
 * For `lang`: the language of a record's texts. It is known for demo records only; a wrong one would make screen
 * readers mispronounce them.
 */
export function textLanguage({ demo }: { demo: boolean }): string | undefined {
  return demo ? DEMO_LANGUAGE : undefined;
}

/**
 * For `lang`: the language of a category of the demo data. Call it only if the site has such data, because words are
 * ambiguous.
 */
export function categoryLanguage(category: string): string | undefined {
  return Object.hasOwn(defaultVocabulary().categories ?? {}, category) ? DEMO_LANGUAGE : undefined;
}
