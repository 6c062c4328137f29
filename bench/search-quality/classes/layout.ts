import { cutName, lettersOf } from "../cut.ts";
import type { QueryClass } from "../query-class.ts";
import { misspell } from "./typos.ts";

/** The same keys in the same order on both layouts, without and then with Shift. */
export const US =
  "`1234567890-=qwertyuiop[]\\asdfghjkl;'zxcvbnm,./~!@#$%^&*()_+QWERTYUIOP{}|ASDFGHJKL:\"ZXCVBNM<>? ";
export const RUSSIAN =
  'ё1234567890-=йцукенгшщзхъ\\фывапролджэячсмитьбю.Ё!"№;%:?*()_+ЙЦУКЕНГШЩЗХЪ/ФЫВАПРОЛДЖЭЯЧСМИТЬБЮ, ';

/** Names typed on the right keys while the other of two keyboard layouts was on. */
export const layoutClasses = [
  wholeName("latin", US, RUSSIAN),
  wholeName("cyrillic", RUSSIAN, US),
  halfTyped("latin", US, RUSSIAN),
  halfTyped("cyrillic", RUSSIAN, US),
  withSlip("latin", US, RUSSIAN),
  withSlip("cyrillic", RUSSIAN, US),
  withinWord("latin", US, RUSSIAN),
  withinWord("cyrillic", RUSSIAN, US),
];

function wholeName(script: "latin" | "cyrillic", meant: string, on: string): QueryClass {
  return {
    name: `wrong layout, ${script}`,
    targets: [{ metric: "hit@1", atLeast: 97 }],
    fits: (name) => name.script === script && name.folded.length >= 4,
    make({ text }, random, catalogue) {
      const typed = retype(random.next() < 0.5 ? text : text.toLowerCase(), meant, on);
      const hits = catalogue.named(text);
      if (typed === undefined || catalogue.isAmbiguous(typed, hits)) return undefined;
      return { text: typed, meant: text, hits, relevant: catalogue.beginning(text) };
    },
  };
}

function halfTyped(script: "latin" | "cyrillic", meant: string, on: string): QueryClass {
  return {
    name: `wrong layout, half-typed, ${script}`,
    targets: [{ metric: "precision@10", atLeast: 90 }],
    fits: (name) => name.script === script,
    make({ text }, random, catalogue) {
      const cut = cutName(text, 4, random);
      const typed = cut && retype(cut, meant, on);
      if (!typed) return undefined;
      const relevant = catalogue.beginning(cut);
      if (catalogue.isAmbiguous(typed, relevant)) return undefined;
      return { text: typed, meant: `${cut}… (${text})`, hits: relevant, relevant };
    },
  };
}

function withSlip(script: "latin" | "cyrillic", meant: string, on: string): QueryClass {
  return {
    name: `layout with a slip, ${script}`,
    targets: [{ metric: "hit@3", atLeast: 90 }],
    fits: (name) => name.script === script && name.folded.length >= 6,
    make({ text }, random, catalogue) {
      const wrong = misspell(text.toLowerCase(), 1, script, random);
      const typed = wrong && retype(wrong, meant, on);
      const hits = catalogue.named(text);
      if (!typed || catalogue.isAmbiguous(typed, hits)) return undefined;
      return { text: typed, meant: text, hits, relevant: catalogue.beginning(text) };
    },
  };
}

/** The layout was switched too late or too soon: the beginning or the end of a word is on the other one. */
function withinWord(script: "latin" | "cyrillic", meant: string, on: string): QueryClass {
  return {
    name: `layout switched within a word, ${script}`,
    targets: [{ metric: "hit@3", atLeast: 90 }],
    fits: (name) => name.script === script && longWordsOf(name.folded).length > 0,
    make({ text, folded }, random, catalogue) {
      const word = random.pick(longWordsOf(folded));
      const cut = random.between(2, word.length - 2);
      const [before, after] = [word.slice(0, cut), word.slice(cut)];
      const switched =
        random.next() < 0.5 ? [retype(before, meant, on), after] : [before, retype(after, meant, on)];
      if (switched.includes(undefined)) return undefined;
      const typed = folded.replace(word, switched.join(""));
      const hits = catalogue.named(text);
      if (catalogue.isAmbiguous(typed, hits)) return undefined;
      return { text: typed, meant: text, hits, relevant: catalogue.beginning(text) };
    },
  };
}

function longWordsOf(folded: string): string[] {
  return folded.split(" ").filter((word) => /^\p{Letter}{6,}$/u.test(word));
}

/** What the keys of a text type on another layout; undefined if a letter has no key. */
export function retype(text: string, from: string, to: string): string | undefined {
  const places = lettersOf(text).map((letter) => from.indexOf(letter));
  return places.includes(-1) ? undefined : places.map((place) => to.charAt(place)).join("");
}
