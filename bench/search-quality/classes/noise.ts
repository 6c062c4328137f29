import type { QueryClass } from "../query-class.ts";
import type { Random } from "../random.ts";

const NOBODY = { includes: () => false, count: 0 };

/** Letters with how often each one comes among ten thousand of running text. */
type Frequencies = readonly [letter: string, frequency: number][];

/** https://en.wikipedia.org/wiki/Letter_frequency */
const ENGLISH = frequencies(
  "e1270 t906 a817 o751 i697 n675 s633 h609 r599 d425 l403 c278 u276 m241 w236 f223 g202 y197 p193 b149 v98 k77 x15 j15 q10 z7",
);
/** https://en.wikipedia.org/wiki/Russian_alphabet#Letter_frequency */
const RUSSIAN = frequencies(
  "о1097 е845 а801 и735 н670 т626 с547 р473 в454 л440 к349 м321 д298 п281 у262 я201 ы190 ь174 г170 з165 б159 ч144 й121 х97 ж94 ш73 ю64 ц48 щ36 э32 ф26 ъ4",
);

const noise: QueryClass = {
  name: "letters at random",
  targets: [{ metric: "empty", atLeast: 97, withoutPeers: true }],
  fits: () => true,
  make(_name, random, catalogue) {
    const language = random.pick([ENGLISH, RUSSIAN]);
    const letters = random.next() < 0.5 ? language : evenly(language);
    const word = () => randomWord(letters, random);
    const text = random.next() < 1 / 3 ? `${word()} ${word()}` : word();
    if (text.split(" ").some((part) => catalogue.holdsLetters(part))) return undefined;
    return { text, meant: "nothing", hits: NOBODY, relevant: NOBODY };
  },
};

/** Text that means nothing, which no name answers. */
export const noiseClasses = [noise];

function randomWord(letters: Frequencies, random: Random): string {
  const length = random.between(5, 12);
  return Array.from({ length }, () => randomLetter(letters, random)).join("");
}

function randomLetter(letters: Frequencies, random: Random): string {
  let left = random.next() * letters.reduce((sum, [, frequency]) => sum + frequency, 0);
  for (const [letter, frequency] of letters) {
    left -= frequency;
    if (left < 0) return letter;
  }
  return "";
}

function evenly(letters: Frequencies): Frequencies {
  return letters.map(([letter]) => [letter, 1]);
}

function frequencies(list: string): Frequencies {
  return list.split(" ").map((entry) => [entry.charAt(0), Number(entry.slice(1))]);
}
