import { type Catalogue, type CatalogueName, relevanceOf } from "../catalogue.ts";
import { fold, longWords, scriptOf } from "../fold.ts";
import { type LabelledQuery, type QueryClass, seek } from "../query-class.ts";
import type { Random } from "../random.ts";
import { ALPHABETS } from "./typos.ts";

/** What people put around a name, by language. */
const AROUND: Readonly<Record<string, readonly string[]>> = {
  en: ["the @", "a @", "where is @", "how to get @", "where to find the @", "@ where to find"],
  ru: ["где @", "где найти @", "как получить @", "что такое @", "@ где взять", "@ как получить"],
  de: ["der @", "die @", "wo ist @"],
  fr: ["le @", "la @", "où est @"],
};

/** A name with words that are not in it, or with nothing but the first letters of its own. */
export const additionClasses: readonly QueryClass[] = [
  nameAnd("name and its category", 97, hasCategory, ({ category }) => category ?? ""),
  nameAnd("name and a value of it", 97, hasValues, ({ values }, random) => random.pick(values)),
  {
    name: "name and words around it",
    targets: { "hit@3": 97 },
    fits: ({ language }) => Object.hasOwn(AROUND, language),
    make(name, random, catalogue) {
      const around = random.pick(AROUND[name.language] ?? []);
      return seek(around.replace("@", name.text.toLowerCase()), name, catalogue);
    },
  },
  {
    name: "two words turned around an of",
    targets: { "hit@3": 97 },
    fits: ({ language, folded }) => language === "en" && /^\p{Letter}{4,} \p{Letter}{4,}$/u.test(folded),
    make: (name, _random, catalogue) => seek(name.folded.split(" ").reverse().join(" of "), name, catalogue),
  },
  nameAnd("name and a word of no name", 97, isOfDictionary, ordinaryWord),
  nameAnd("name and two words of no name", 95, isOfDictionary, (name, random, catalogue) =>
    [1, 2].map(() => ordinaryWord(name, random, catalogue)).join(" "),
  ),
  {
    name: "one word replaced by another",
    targets: { "hit@3": 92 },
    fits: ({ folded }) => longWords(folded, 4).length >= 3,
    make(name, random, catalogue) {
      const words = name.folded.split(" ");
      const replaced = random.pick(longWords(name.folded, 4));
      const others = longWords(random.pick(catalogue.names).folded, 4);
      const other = others.length > 0 ? random.pick(others) : replaced;
      if (scriptOf(other) !== scriptOf(replaced) || words.includes(other)) return undefined;
      const typed = words.map((word) => (word === replaced ? other : word));
      return catalogue.withWords(typed).count > 0 ? undefined : seek(typed.join(" "), name, catalogue);
    },
  },
  {
    name: "initials",
    targets: { "hit@3": 80 },
    fits: ({ folded }) => /^(?:\p{Letter}+ ){2,}\p{Letter}+$/u.test(folded),
    make(name, _random, catalogue) {
      const text = initialsOf(name.folded);
      // Where many names share them, nothing can know which is meant.
      const hits = catalogue.where((other) => initialsOf(other) === text);
      return hits.count > 3 || catalogue.holdsLetters(text) ? undefined : seek(text, name, catalogue);
    },
  },
];

/** Only what things are, without a name: `epic`, `mount`, `epic mount`. */
export const valueClasses: readonly QueryClass[] = [
  onlyValues("only quality", ({ values }, random) => random.pick(values)),
  onlyValues("only category", ({ category }) => category ?? ""),
  onlyValues(
    "only quality and category",
    ({ category, values }, random) => `${random.pick(values)} ${category}`,
  ),
];

/** What no name answers: whatever is shown for it is related by nothing but letters. */
export const silenceClasses: readonly QueryClass[] = [
  {
    name: "letters at random",
    targets: { empty: 97 },
    fits: () => true,
    make(_name, random, catalogue) {
      const alphabet = random.pick(Object.values(ALPHABETS));
      const word = () => Array.from({ length: random.between(5, 12) }, () => random.pick(alphabet)).join("");
      const words = random.next() < 1 / 3 ? [word(), word()] : [word()];
      return words.some((each) => catalogue.holdsLetters(each)) ? undefined : seekNothing(words.join(" "));
    },
  },
  ordinaryWords("English", "en"),
  ordinaryWords("Russian", "ru"),
];

/** Makes what stands beside a name, or instead of it. */
type Draw = (name: CatalogueName, random: Random, catalogue: Catalogue) => string;

function nameAnd(name: string, hits: number, fits: QueryClass["fits"], draw: Draw): QueryClass {
  return {
    name,
    targets: { "hit@3": hits },
    fits,
    make(named, random, catalogue) {
      const [text, word] = [named.text, draw(named, random, catalogue)].map((each) => each.toLowerCase());
      return seek(random.next() < 0.7 ? `${text} ${word}` : `${word} ${text}`, named, catalogue);
    },
  };
}

function onlyValues(name: string, draw: Draw): QueryClass {
  return {
    name,
    targets: { "precision@10": 90 },
    fits: (named) => hasCategory(named) && hasValues(named),
    make(named, random, catalogue) {
      const text = fold(draw(named, random, catalogue));
      if (text === "") return undefined;
      const relevant = catalogue.saying(text.split(" "));
      return { text, meant: `all that are ${text}`, hits: relevant, relevant };
    },
  };
}

function hasCategory({ category }: CatalogueName): boolean {
  return category !== null;
}

function hasValues({ values }: CatalogueName): boolean {
  return values.length > 0;
}

function isOfDictionary({ script }: CatalogueName): boolean {
  return script === "latin" || script === "cyrillic";
}

function ordinaryWord({ script }: CatalogueName, random: Random, catalogue: Catalogue): string {
  return random.pick(catalogue.ordinaryWords(script === "cyrillic" ? "ru" : "en"));
}

function initialsOf(folded: string): string {
  return folded.replace(/(\S)\S* ?/gu, "$1");
}

function ordinaryWords(label: string, language: "en" | "ru"): QueryClass {
  return {
    name: `ordinary words, ${label}`,
    targets: { empty: 92 },
    fits: ({ script }) => script === (language === "ru" ? "cyrillic" : "latin"),
    make: (_name, random, catalogue) => seekNothing(random.pick(catalogue.ordinaryWords(language))),
  };
}

function seekNothing(text: string): LabelledQuery {
  return { text, meant: "nothing", hits: relevanceOf([]), relevant: relevanceOf([]) };
}
