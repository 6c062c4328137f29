import { fold } from "../fold.ts";
import type { QueryClass } from "../query-class.ts";
import type { Random } from "../random.ts";

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

const endings: QueryClass = {
  name: "plural and case endings",
  targets: [{ metric: "hit@3" }],
  fits: ({ folded, language, script }) =>
    longWords(folded).length > 0 && ((script === "latin" && language === "en") || script === "cyrillic"),
  make({ text, folded, script }, random, catalogue) {
    const word = random.pick(longWords(folded));
    const inflected = script === "latin" ? englishForm(word) : russianForm(word, random);
    const typed = folded
      .split(" ")
      .map((other) => (other === word ? inflected : other))
      .join(" ");
    const hits = catalogue.named(text);
    if (typed === folded || catalogue.isAmbiguous(typed, hits)) return undefined;
    return { text: typed, meant: text, hits, relevant: catalogue.beginning(text) };
  },
};

/** One word of a name in another number or case. */
export const endingClasses = [endings];

function longWords(folded: string): string[] {
  return folded.split(" ").filter((word) => word.length >= 5 && /^\p{Letter}+$/u.test(word));
}

/** The plural, or the singular of what looks like one. */
export function englishForm(word: string): string {
  if (/[^aeiou]ies$/.test(word)) return word.replace(/ies$/, "y");
  if (/(?:[sx]|sh|ch)es$/.test(word)) return word.slice(0, -2);
  if (/[^suia]s$/.test(word)) return word.slice(0, -1);
  if (/[^aeiou]y$/.test(word)) return word.replace(/y$/, "ies");
  return /(?:[sxz]|sh|ch)$/.test(word) ? `${word}es` : `${word}s`;
}

/** All of the word's other forms by the endings of its letters alone. */
export function russianForms(word: string): string[] {
  const [ending, others] = RUSSIAN_ENDINGS.find(([pattern]) => pattern.test(word)) ?? [];
  if (!ending || !others) return [];
  return others.map((other) => spelt(word.replace(ending, other)));
}

function spelt(form: string): string {
  return AFTER_HUSHERS.reduce((text, [wrong, right]) => text.replace(wrong, right), fold(form));
}

/** One of the word's other forms by the endings of its letters alone; the word itself where none is known. */
function russianForm(word: string, random: Random): string {
  const forms = russianForms(word);
  return forms.length === 0 ? word : random.pick(forms);
}
