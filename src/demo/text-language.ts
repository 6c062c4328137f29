/** The language that the demo data is written in, but for names, which say theirs themselves. */
const DEMO_LANGUAGE = "en";

/**
 * For `lang`: the language of a record's description and category. Of a demo record it is known; of all others nobody
 * said it, and a wrong one would be read out worse than none.
 */
export function textLanguage({ demo }: { demo: boolean }): string | undefined {
  return demo ? DEMO_LANGUAGE : undefined;
}
