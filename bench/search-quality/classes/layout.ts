import { longWords } from "../fold.ts";
import { halfTyped, type QueryClass, wholeNames } from "../query-class.ts";
import { misspell } from "./typos.ts";

/** The same keys in the same order on both layouts, without and then with Shift. */
export const US =
  "`1234567890-=qwertyuiop[]\\asdfghjkl;'zxcvbnm,./~!@#$%^&*()_+QWERTYUIOP{}|ASDFGHJKL:\"ZXCVBNM<>? ";
export const RUSSIAN =
  'ё1234567890-=йцукенгшщзхъ\\фывапролджэячсмитьбю.Ё!"№;%:?*()_+ЙЦУКЕНГШЩЗХЪ/ФЫВАПРОЛДЖЭЯЧСМИТЬБЮ, ';

const LAYOUTS = [
  ["latin", US, RUSSIAN],
  ["cyrillic", RUSSIAN, US],
] as const;

/** Names typed on the right keys while the other of two keyboard layouts was on. */
export const layoutClasses = LAYOUTS.flatMap(([script, meant, on]): QueryClass[] => [
  wholeNames({
    name: `wrong layout, ${script}`,
    targets: { "hit@1": 97 },
    fits: (name) => name.script === script && name.folded.length >= 4,
    type: ({ text }, random) => retype(random.next() < 0.5 ? text : text.toLowerCase(), meant, on),
  }),
  halfTyped({
    name: `wrong layout, half-typed, ${script}`,
    targets: { "precision@10": 90 },
    fits: (name) => name.script === script,
    shortest: 4,
    type: (cut) => retype(cut, meant, on),
  }),
  wholeNames({
    name: `layout with a slip, ${script}`,
    targets: { "hit@3": 90 },
    fits: (name) => name.script === script && name.folded.length >= 6,
    type({ text }, random) {
      const wrong = misspell(text.toLowerCase(), 1, script, random);
      return wrong && retype(wrong, meant, on);
    },
  }),
  // The layout was switched too late or too soon: the beginning or the end of a word is on the other one.
  wholeNames({
    name: `layout switched within a word, ${script}`,
    targets: { "hit@3": 90 },
    fits: (name) => name.script === script && longWords(name.folded, 6).length > 0,
    type({ folded }, random) {
      const word = random.pick(longWords(folded, 6));
      const cut = random.between(2, word.length - 2);
      const parts = [word.slice(0, cut), word.slice(cut)];
      const other = random.next() < 0.5 ? 0 : 1;
      const switched = retype(parts[other] ?? "", meant, on);
      return switched && folded.replace(word, parts.with(other, switched).join(""));
    },
  }),
]);

/** What the keys of a text type on another layout; undefined if a letter has no key. */
export function retype(text: string, from: string, to: string): string | undefined {
  const places = [...text].map((letter) => from.indexOf(letter));
  return places.includes(-1) ? undefined : places.map((place) => to.charAt(place)).join("");
}
