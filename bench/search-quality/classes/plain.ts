import { relevanceOf } from "../catalogue.ts";
import { fold } from "../fold.ts";
import { cutName, type QueryClass, seek } from "../query-class.ts";
import type { Random } from "../random.ts";

/** What a search does with letters that are right as far as they go. */
export const plainClasses: readonly QueryClass[] = [
  {
    name: "exact, any case",
    targets: { "hit@1": 99.5 },
    fits: () => true,
    make(name, random, catalogue) {
      const { text } = name;
      const typed = random.pick([text, text.toLowerCase(), text.toUpperCase(), mixCase(text, random)]);
      // Upper case may change more than the case: ß becomes SS.
      return fold(typed) === fold(text) ? seek(typed, name, catalogue) : undefined;
    },
  },
  {
    name: "id",
    targets: { "hit@1": 100 },
    fits: () => true,
    make({ id }) {
      const hits = relevanceOf([id]);
      return { text: id, meant: id, hits, relevant: hits };
    },
  },
  // How many names share a beginning differs from language to language, and so how often ten answers are enough.
  prefix("prefix, English", (language) => language === "en", 78),
  prefix("prefix, other languages", (language) => language !== "en", 0),
  {
    name: "one or two letters",
    targets: { "precision@10": 100 },
    fits: ({ folded }) => /^[\p{Letter}\p{Number}]{2}/u.test(folded),
    make(name, random, catalogue) {
      const letters = [...name.folded].slice(0, random.between(1, 2)).join("");
      return seek(letters, name, catalogue, catalogue.withWords([letters]));
    },
  },
  {
    name: "a later word's prefix",
    targets: { "precision@10": 99 },
    fits: ({ folded }) => laterWords(folded).length > 0,
    make(name, random, catalogue) {
      const cut = beginningOf(random.pick(laterWords(name.folded)), random);
      return seek(cut, name, catalogue, catalogue.withWords([cut]));
    },
  },
  {
    name: "several words' prefixes",
    targets: { "hit@10": 93, "precision@10": 98 },
    fits: ({ folded }) => atLeast(3, folded.split(" ")).length > 1,
    make(name, random, catalogue) {
      const words = random.shuffle(atLeast(3, name.folded.split(" "))).slice(0, random.between(2, 3));
      const cuts = words.map((word) => beginningOf(word, random));
      return seek(cuts.join(" "), name, catalogue, catalogue.withWords(cuts));
    },
  },
  {
    name: "inside a word",
    targets: { "hit@10": 70, "precision@10": 99 },
    fits: ({ folded }) => insideOf(folded).length > 0,
    make(name, random, catalogue) {
      const letters = [...random.pick(insideOf(name.folded))];
      const length = random.between(5, Math.min(8, letters.length));
      const start = random.between(0, letters.length - length);
      const part = letters.slice(start, start + length).join("");
      return seek(
        part,
        name,
        catalogue,
        catalogue.where((other) => other.includes(part)),
      );
    },
  },
];

function prefix(name: string, isMeant: (language: string) => boolean, hits: number): QueryClass {
  return {
    name,
    targets: { "hit@10": hits, "leading@10": 100 },
    fits: ({ language }) => isMeant(language),
    make(named, random, catalogue) {
      const cut = cutName(named.text, 4, random);
      return cut === undefined ? cut : seek(cut, named, catalogue, catalogue.beginning(cut));
    },
  };
}

function mixCase(text: string, random: Random): string {
  return [...text]
    .map((letter) => (random.next() < 0.5 ? letter.toLowerCase() : letter.toUpperCase()))
    .join("");
}

function atLeast(letters: number, words: readonly string[]): string[] {
  return words.filter((word) => [...word].length >= letters);
}

function laterWords(folded: string): string[] {
  return atLeast(3, folded.split(" ").slice(1));
}

/** From three letters to the whole word. */
function beginningOf(word: string, random: Random): string {
  const letters = [...word];
  return letters.slice(0, random.between(3, letters.length)).join("");
}

/** What is left of each long word without its first letter. */
function insideOf(folded: string): string[] {
  const rests = folded.split(" ").map((word) => [...word].slice(1).join(""));
  return atLeast(5, rests);
}
