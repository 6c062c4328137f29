import type { Catalogue, CatalogueName } from "../catalogue.ts";
import type { QueryClass } from "../query-class.ts";
import { englishForm, russianForms } from "./endings.ts";

/**
 * How many records must have a word: with fewer, half of them says little; with more, ten answers cannot hold half.
 */
const BEARERS = { least: 3, most: 20 };

/** A word that several names have in another number or case, alone, as in a query for all such things. */
export const formClasses = [
  wordForms("English plurals", ["latin"], (word) => [englishForm(word)], { precision: 92, half: 80 }),
  wordForms("Russian forms", ["cyrillic"], russianForms, { precision: 90, half: 80 }),
];

function wordForms(
  name: string,
  scripts: readonly string[],
  formsOf: (word: string) => string[],
  { precision, half }: { precision: number; half: number },
): QueryClass {
  return {
    name,
    targets: [
      { metric: "precision@10", atLeast: precision },
      { metric: "half@10", atLeast: half },
    ],
    fits: ({ script, language, folded }) =>
      scripts.includes(script) && ["en", "ru"].includes(language) && lastWord({ folded }) !== undefined,
    make(named, random, catalogue) {
      const word = lastWord(named);
      if (word === undefined || (scripts.includes("latin") && word.endsWith("s"))) return undefined;
      const forms = formsOf(word).filter((form) => form !== word);
      const bearers = bearersOf(catalogue, [word, ...forms]);
      if (forms.length === 0 || bearers.count < BEARERS.least || bearers.count > BEARERS.most)
        return undefined;
      return { text: random.pick(forms), meant: `all with ${word}`, hits: bearers, relevant: bearers };
    },
  };
}

function lastWord({ folded }: Pick<CatalogueName, "folded">): string | undefined {
  return /(?:^| )(\p{Letter}{4,})$/u.exec(folded)?.[1];
}

function bearersOf(catalogue: Catalogue, words: readonly string[]) {
  return catalogue.withSomeWord(words);
}
