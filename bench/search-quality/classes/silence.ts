import type { QueryClass } from "../query-class.ts";

const NOBODY = { includes: () => false, count: 0 };
const ALPHABETS = ["abcdefghijklmnopqrstuvwxyz", "абвгдежзийклмнопрстуфхцчшщъыьэюя"];

/** What no name answers. */
const lettersAtRandom: QueryClass = {
  name: "letters at random",
  targets: [{ metric: "empty", atLeast: 97, withoutPeers: true }],
  fits: () => true,
  make(_name, random, catalogue) {
    const alphabet = random.pick(ALPHABETS);
    const word = () => Array.from({ length: random.between(5, 12) }, () => random.pick(alphabet)).join("");
    const words = random.next() < 1 / 3 ? [word(), word()] : [word()];
    if (words.some((each) => catalogue.holdsLetters(each))) return undefined;
    return { text: words.join(" "), meant: "nothing", hits: NOBODY, relevant: NOBODY };
  },
};

/** Words of a language that no name has: what is shown for them is related by nothing but letters. */
export const silenceClasses = [
  lettersAtRandom,
  ordinaryWords("English", "en"),
  ordinaryWords("Russian", "ru"),
];

function ordinaryWords(label: string, language: "en" | "ru"): QueryClass {
  return {
    name: `ordinary words, ${label}`,
    targets: [{ metric: "empty", atLeast: 92, withoutPeers: true }],
    fits: ({ script }) => script === (language === "ru" ? "cyrillic" : "latin"),
    make(_name, random, catalogue) {
      const text = random.pick(catalogue.ordinaryWords(language));
      return { text, meant: "nothing", hits: NOBODY, relevant: NOBODY };
    },
  };
}
