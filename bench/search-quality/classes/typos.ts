import { fold } from "../fold.ts";
import { halfTyped, type QueryClass, wholeNames } from "../query-class.ts";
import type { Random } from "../random.ts";

export const ALPHABETS = {
  latin: "abcdefghijklmnopqrstuvwxyz",
  cyrillic: "абвгдежзийклмнопрстуфхцчшщъыьэюя",
};
type Alphabet = keyof typeof ALPHABETS;

/** Slips of the finger, in Latin and in Cyrillic names: one of insert, delete, substitute, transpose anywhere. */
export const typoClasses = (["latin", "cyrillic"] as const).flatMap((script): QueryClass[] => [
  wholeNames({
    name: `typo, ${script}`,
    targets: { "hit@3": 98 },
    fits: (name) => name.script === script && name.folded.length >= 5,
    type: ({ text }, random) => misspell(text.toLowerCase(), 1, script, random),
  }),
  wholeNames({
    name: `two typos, ${script}`,
    targets: { "hit@3": 0 },
    fits: (name) => name.script === script && name.folded.length >= 12,
    type: ({ text }, random) => misspell(text.toLowerCase(), 2, script, random),
  }),
  halfTyped({
    name: `typo, half-typed, ${script}`,
    targets: { "hit@10": 80, "precision@10": 80 },
    fits: (name) => name.script === script,
    shortest: 5,
    type: (cut, random) => misspell(cut.toLowerCase(), 1, script, random),
  }),
]);

/** Undefined where the edits change nothing that counts, such as one space for two. */
export function misspell(text: string, edits: number, script: Alphabet, random: Random): string | undefined {
  let letters = [...text];
  for (let edit = 0; edit < edits; edit++) letters = editOnce(letters, ALPHABETS[script], random);
  const typed = letters.join("").trim();
  return fold(typed) === fold(text) ? undefined : typed;
}

/** One edit in the sense of Damerau and Levenshtein, each kind as often as the others, at any place. */
function editOnce(letters: readonly string[], alphabet: string, random: Random): string[] {
  const last = letters.length - 1;
  switch (random.pick(["insert", "delete", "substitute", "transpose"] as const)) {
    case "insert":
      return letters.toSpliced(random.between(0, letters.length), 0, random.pick(alphabet));
    case "delete":
      return letters.toSpliced(random.between(0, last), 1);
    case "substitute":
      return letters.toSpliced(random.between(0, last), 1, random.pick(alphabet));
    case "transpose": {
      const place = random.between(0, last - 1);
      return letters.toSpliced(place, 2, ...letters.slice(place, place + 2).reverse());
    }
  }
}
