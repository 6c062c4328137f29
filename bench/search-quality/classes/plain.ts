import { cutName, lettersOf } from "../cut.ts";
import { fold } from "../fold.ts";
import type { QueryClass } from "../query-class.ts";
import type { Random } from "../random.ts";

const exact: QueryClass = {
  name: "exact, any case",
  targets: [{ metric: "hit@1", atLeast: 99.5 }],
  fits: () => true,
  make({ text }, random, catalogue) {
    const variants = [text, text.toLowerCase(), text.toUpperCase(), mixCase(text, random)];
    const hits = catalogue.named(text);
    const query = random.pick(variants);
    // Upper case may change more than the case: ß becomes SS.
    if (fold(query) !== fold(text)) return undefined;
    return { text: query, meant: text, hits, relevant: catalogue.beginning(text) };
  },
};

const id: QueryClass = {
  name: "id",
  targets: [{ metric: "hit@1", atLeast: 100 }],
  fits: () => true,
  make(name) {
    const hits = { includes: (other: string) => other === name.id, count: 1 };
    return { text: name.id, meant: name.id, hits, relevant: hits };
  },
};

/** How many names share a beginning differs from language to language, and so how often ten answers are enough. */
const prefixClasses = [
  prefix("prefix, English", (language) => language === "en", 78),
  prefix("prefix, other languages", (language) => language !== "en"),
];

const oneOrTwoLetters: QueryClass = {
  name: "one or two letters",
  targets: [{ metric: "precision@10", atLeast: 100 }],
  fits: ({ folded }) => /^[\p{Letter}\p{Number}]{2}/u.test(folded),
  make({ text, folded }, random, catalogue) {
    const letters = lettersOf(folded).slice(0, random.between(1, 2)).join("");
    return {
      text: letters,
      meant: text,
      hits: catalogue.named(text),
      relevant: catalogue.withWords([letters]),
    };
  },
};

const laterWord: QueryClass = {
  name: "a later word's prefix",
  targets: [{ metric: "precision@10", atLeast: 99 }],
  fits: ({ folded }) => longWords(folded.split(" ").slice(1)).length > 0,
  make({ text, folded }, random, catalogue) {
    const cut = beginningOf(random.pick(longWords(folded.split(" ").slice(1))), random);
    return { text: cut, meant: text, hits: catalogue.named(text), relevant: catalogue.withWords([cut]) };
  },
};

const severalWords: QueryClass = {
  name: "several words' prefixes",
  targets: [
    { metric: "hit@10", atLeast: 93 },
    { metric: "precision@10", atLeast: 98 },
  ],
  fits: ({ folded }) => longWords(folded.split(" ")).length > 1,
  make({ text, folded }, random, catalogue) {
    const words = random.shuffle(longWords(folded.split(" "))).slice(0, random.between(2, 3));
    const cuts = words.map((word) => beginningOf(word, random));
    return {
      text: cuts.join(" "),
      meant: text,
      hits: catalogue.named(text),
      relevant: catalogue.withWords(cuts),
    };
  },
};

const insideWord: QueryClass = {
  name: "inside a word",
  targets: [
    { metric: "hit@10", atLeast: 70 },
    { metric: "precision@10", atLeast: 99 },
  ],
  fits: ({ folded }) => insideOf(folded).length > 0,
  make({ text, folded }, random, catalogue) {
    const letters = lettersOf(random.pick(insideOf(folded)));
    const length = random.between(5, Math.min(8, letters.length));
    const start = random.between(0, letters.length - length);
    const part = letters.slice(start, start + length).join("");
    return { text: part, meant: text, hits: catalogue.named(text), relevant: catalogue.holding(part) };
  },
};

/** What a search does with letters that are right as far as they go. */
export const plainClasses = [
  exact,
  id,
  ...prefixClasses,
  oneOrTwoLetters,
  laterWord,
  severalWords,
  insideWord,
];

function prefix(name: string, isMeant: (language: string) => boolean, hitsAtLeast?: number): QueryClass {
  return {
    name,
    targets: [
      { metric: "hit@10", atLeast: hitsAtLeast },
      { metric: "leading@10", atLeast: 100 },
    ],
    fits: ({ language }) => isMeant(language),
    make({ text }, random, catalogue) {
      const cut = cutName(text, 4, random);
      if (cut === undefined) return undefined;
      return { text: cut, meant: text, hits: catalogue.named(text), relevant: catalogue.beginning(cut) };
    },
  };
}

function mixCase(text: string, random: Random): string {
  return lettersOf(text)
    .map((letter) => (random.next() < 0.5 ? letter.toLowerCase() : letter.toUpperCase()))
    .join("");
}

function longWords(words: readonly string[]): string[] {
  return words.filter((word) => lettersOf(word).length >= 3);
}

/** From three letters to the whole word. */
function beginningOf(word: string, random: Random): string {
  const letters = lettersOf(word);
  return letters.slice(0, random.between(3, letters.length)).join("");
}

/** What is left of each long word without its first letter. */
function insideOf(folded: string): string[] {
  return folded
    .split(" ")
    .map((word) => lettersOf(word).slice(1).join(""))
    .filter((rest) => lettersOf(rest).length >= 5);
}
