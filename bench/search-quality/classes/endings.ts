import { fold, longWords, type Script } from "../fold.ts";
import { type QueryClass, wholeNames } from "../query-class.ts";

/** How a Russian word may end, and the endings that its other cases and numbers have instead. */
const RUSSIAN_ENDINGS: readonly [ending: RegExp, others: readonly string[]][] = [
  [/(?:ый|ий|ой)$/, ["ого", "ому", "ым", "ом", "ые", "ых", "ая"]],
  [/(?:ая|яя)$/, ["ой", "ую", "ые", "ый"]],
  [/(?:ое|ее)$/, ["ого", "ому", "ые", "ая"]],
  [/(?:ые|ие)$/, ["ых", "ыми", "ый"]],
  [/ия$/, ["ии", "ию", "ией", "ий"]],
  [/ие$/, ["ия", "ию", "ием"]],
  [/а$/, ["ы", "у", "ой", "е", "ами"]],
  [/я$/, ["и", "ю", "ей", "ями"]],
  [/о$/, ["а", "у", "ом", "ами"]],
  [/е$/, ["я", "ю", "ем"]],
  [/й$/, ["я", "ю", "ем", "и", "ев"]],
  [/ь$/, ["я", "и", "ю", "ем", "ями"]],
  [/(?<=[бвгдзклмнпрстфхжшцчщ])$/, ["а", "у", "ом", "ы", "ов", "ами"]],
];

/** No ы, я or ю after these; https://en.wikipedia.org/wiki/Russian_orthography#Spelling_rules */
const AFTER_HUSHERS: readonly [RegExp, string][] = [
  [/(?<=[гкхжшщч])ы/, "и"],
  [/(?<=[гкхжшщчц])я/, "а"],
  [/(?<=[гкхжшщчц])ю/, "у"],
];

/**
 * How many records must have a word: with fewer, half of them says little; with more, ten answers cannot hold half.
 */
const BEARERS = { least: 3, most: 20 };

/** One word of a name in another number or case, or alone, as in a query for all such things. */
export const endingClasses: readonly QueryClass[] = [
  wholeNames({
    name: "plural and case endings",
    targets: { "hit@3": 0 },
    fits: ({ folded, language, script }) =>
      longWords(folded, 5).length > 0 && ((script === "latin" && language === "en") || script === "cyrillic"),
    type({ folded, script }, random) {
      const word = random.pick(longWords(folded, 5));
      const forms = script === "latin" ? [englishForm(word)] : russianForms(word);
      if (forms.length === 0) return undefined;
      const form = script === "latin" ? forms[0] : random.pick(forms);
      const words = folded.split(" ").map((other) => (other === word ? form : other));
      return words.join(" ") === folded ? undefined : words.join(" ");
    },
  }),
  wordForms("English plurals", "latin", (word) => (word.endsWith("s") ? [] : [englishForm(word)]), 92),
  wordForms("Russian forms", "cyrillic", russianForms, 90),
];

function wordForms(
  name: string,
  alphabet: Script,
  formsOf: (word: string) => string[],
  precision: number,
): QueryClass {
  return {
    name,
    targets: { "precision@10": precision, "half@10": 80 },
    fits: ({ script, language, folded }) =>
      script === alphabet && ["en", "ru"].includes(language) && LAST_WORD.test(folded),
    make({ folded }, random, catalogue) {
      const [, word = ""] = LAST_WORD.exec(folded) ?? [];
      const forms = formsOf(word).filter((form) => form !== word);
      if (forms.length === 0) return undefined;
      const sought = [word, ...forms].map((form) => ` ${fold(form)} `);
      const bearers = catalogue.where((other) => sought.some((form) => ` ${other} `.includes(form)));
      if (bearers.count < BEARERS.least || bearers.count > BEARERS.most) return undefined;
      return { text: random.pick(forms), meant: `all with ${word}`, hits: bearers, relevant: bearers };
    },
  };
}

const LAST_WORD = /(?:^| )(\p{Letter}{4,})$/u;

/** The plural, or the singular of what looks like one. */
function englishForm(word: string): string {
  if (/[^aeiou]ies$/.test(word)) return word.replace(/ies$/, "y");
  if (/(?:[sx]|sh|ch)es$/.test(word)) return word.slice(0, -2);
  if (/[^suia]s$/.test(word)) return word.slice(0, -1);
  if (/[^aeiou]y$/.test(word)) return word.replace(/y$/, "ies");
  return /(?:[sxz]|sh|ch)$/.test(word) ? `${word}es` : `${word}s`;
}

/** All of the word's other forms by the endings of its letters alone. */
function russianForms(word: string): string[] {
  const [ending, others] = RUSSIAN_ENDINGS.find(([pattern]) => pattern.test(word)) ?? [];
  if (!ending || !others) return [];
  return others.map((other) => spelt(word.replace(ending, other)));
}

function spelt(form: string): string {
  return AFTER_HUSHERS.reduce((text, [wrong, right]) => text.replace(wrong, right), fold(form));
}
