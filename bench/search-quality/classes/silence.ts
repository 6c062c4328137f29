import { relevanceOf } from "../catalogue.ts";
import type { LabelledQuery, QueryClass } from "../query-class.ts";
import { ALPHABETS } from "./typos.ts";

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
