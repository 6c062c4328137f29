import type { CatalogueName } from "../catalogue.ts";
import { scriptOf } from "../fold.ts";
import type { LabelledQuery, QueryClass } from "../query-class.ts";
import type { Random } from "../random.ts";

/** What people put around a name, by language: before it, and after it. */
const AROUND: Readonly<Record<string, { before: readonly string[]; after: readonly string[] }>> = {
  en: { before: ["the", "a", "where is", "how to get", "where to find the"], after: ["where to find"] },
  ru: { before: ["где", "где найти", "как получить", "что такое"], after: ["где взять", "как получить"] },
  de: { before: ["der", "die", "wo ist"], after: [] },
  fr: { before: ["le", "la", "où est"], after: [] },
};

const nameAndCategory: QueryClass = {
  name: "name and its category",
  targets: [{ metric: "hit@3", atLeast: 97 }],
  fits: ({ category }) => category !== null,
  make: (name, random, catalogue) =>
    sought(besides(name, name.category ?? "", random), name, catalogue.named(name.text)),
};

const nameAndValue: QueryClass = {
  name: "name and a value of it",
  targets: [{ metric: "hit@3", atLeast: 97 }],
  fits: ({ values }) => values.length > 0,
  make: (name, random, catalogue) =>
    sought(besides(name, random.pick(name.values), random), name, catalogue.named(name.text)),
};

const nameAndStopWords: QueryClass = {
  name: "name and words around it",
  targets: [{ metric: "hit@3", atLeast: 97 }],
  fits: ({ language }) => Object.hasOwn(AROUND, language),
  make(name, random, catalogue) {
    const { before = [], after = [] } = AROUND[name.language] ?? {};
    const around = random.pick([
      ...before.map((words) => `${words} @`),
      ...after.map((words) => `@ ${words}`),
    ]);
    return sought(around.replace("@", name.text.toLowerCase()), name, catalogue.named(name.text));
  },
};

const turnedAround: QueryClass = {
  name: "two words turned around an of",
  targets: [{ metric: "hit@3", atLeast: 97 }],
  fits: ({ language, folded }) => language === "en" && /^\p{Letter}{4,} \p{Letter}{4,}$/u.test(folded),
  make(name, _random, catalogue) {
    const [first, second] = name.folded.split(" ");
    return sought(`${second} of ${first}`, name, catalogue.named(name.text));
  },
};

const nameAndStrangeWord = nameAndStrangeWords("name and a word of no name", 97, 1);
const nameAndTwoStrangeWords = nameAndStrangeWords("name and two words of no name", 95, 2);

const wordReplaced: QueryClass = {
  name: "one word replaced by another",
  targets: [{ metric: "hit@3", atLeast: 92 }],
  fits: ({ folded }) => folded.split(" ").filter(isLong).length >= 3,
  make(name, random, catalogue) {
    const words = name.folded.split(" ");
    const replaced = random.pick(words.filter(isLong));
    const others = random.pick(catalogue.names).folded.split(" ").filter(isLong);
    const other = others.length > 0 ? random.pick(others) : replaced;
    if (scriptOf(other) !== scriptOf(replaced) || words.includes(other)) return undefined;
    const typed = words.map((word) => (word === replaced ? other : word));
    if (catalogue.withWords(typed).count > 0) return undefined;
    return sought(typed.join(" "), name, catalogue.named(name.text));
  },
};

const initials: QueryClass = {
  name: "initials",
  targets: [{ metric: "hit@3", atLeast: 80 }],
  fits: ({ folded }) => /^(?:\p{Letter}+ ){2,}\p{Letter}+$/u.test(folded),
  make(name, _random, catalogue) {
    const text = name.folded.replace(/(\p{Letter})\p{Letter}* ?/gu, "$1");
    // Where many names share them, nothing can know which is meant.
    const hits = catalogue.withInitials(text);
    if (hits.count > 3 || catalogue.holdsLetters(text)) return undefined;
    return sought(text, name, catalogue.named(name.text));
  },
};

/** A name with words that are not in it, or with nothing but the first letters of its own. */
export const additionClasses = [
  nameAndCategory,
  nameAndValue,
  nameAndStopWords,
  turnedAround,
  nameAndStrangeWord,
  nameAndTwoStrangeWords,
  wordReplaced,
  initials,
];

function nameAndStrangeWords(className: string, atLeast: number, count: number): QueryClass {
  return {
    name: className,
    targets: [{ metric: "hit@3", atLeast }],
    fits: ({ script }) => script === "latin" || script === "cyrillic",
    make(name, random, catalogue) {
      const ordinary = catalogue.ordinaryWords(name.script === "cyrillic" ? "ru" : "en");
      const words = Array.from({ length: count }, () => random.pick(ordinary));
      return sought(besides(name, words.join(" "), random), name, catalogue.named(name.text));
    },
  };
}

function besides({ text }: CatalogueName, word: string, random: Random): string {
  const name = text.toLowerCase();
  return random.next() < 0.7 ? `${name} ${word.toLowerCase()}` : `${word.toLowerCase()} ${name}`;
}

function isLong(word: string): boolean {
  return /^\p{Letter}{4,}$/u.test(word);
}

function sought(text: string, name: CatalogueName, hits: LabelledQuery["hits"]): LabelledQuery {
  return { text, meant: name.text, hits, relevant: hits };
}
