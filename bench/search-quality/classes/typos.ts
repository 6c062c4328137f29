import { cutName, lettersOf } from "../cut.ts";
import { fold, type Script } from "../fold.ts";
import type { QueryClass } from "../query-class.ts";
import type { Random } from "../random.ts";

const ALPHABETS = {
  latin: "abcdefghijklmnopqrstuvwxyz",
  cyrillic: "абвгдежзийклмнопрстуфхцчшщъыьэюя",
} satisfies Partial<Record<Script, string>>;

type Alphabet = keyof typeof ALPHABETS;

/** Slips of the finger, in Latin and in Cyrillic names: one of insert, delete, substitute, transpose anywhere. */
export const typoClasses = [
  wholeName("latin", 1),
  wholeName("cyrillic", 1),
  wholeName("latin", 2),
  wholeName("cyrillic", 2),
  halfTyped("latin"),
  halfTyped("cyrillic"),
];

function wholeName(script: Alphabet, edits: 1 | 2): QueryClass {
  const shortest = edits === 1 ? 5 : 12;
  return {
    name: `${edits === 1 ? "typo" : "two typos"}, ${script}`,
    targets: [edits === 1 ? { metric: "hit@3", atLeast: 98 } : { metric: "hit@3" }],
    fits: (name) => name.script === script && name.folded.length >= shortest,
    make({ text }, random, catalogue) {
      const typed = misspell(text.toLowerCase(), edits, script, random);
      const hits = catalogue.named(text);
      if (typed === undefined || catalogue.isAmbiguous(typed, hits)) return undefined;
      return { text: typed, meant: text, hits, relevant: catalogue.beginning(text) };
    },
  };
}

function halfTyped(script: Alphabet): QueryClass {
  return {
    name: `typo, half-typed, ${script}`,
    targets: [
      { metric: "hit@10", atLeast: 80 },
      { metric: "precision@10", atLeast: 80 },
    ],
    fits: (name) => name.script === script,
    make({ text }, random, catalogue) {
      const cut = cutName(text, 5, random);
      const typed = cut && misspell(cut.toLowerCase(), 1, script, random);
      if (!typed) return undefined;
      const relevant = catalogue.beginning(cut);
      if (catalogue.isAmbiguous(typed, relevant)) return undefined;
      return { text: typed, meant: `${cut}… (${text})`, hits: relevant, relevant };
    },
  };
}

/** Undefined where the edits change nothing that counts, such as one space for two. */
export function misspell(text: string, edits: number, script: Alphabet, random: Random): string | undefined {
  let letters = lettersOf(text);
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
