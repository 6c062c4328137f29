import { cutName } from "../cut.ts";
import type { QueryClass } from "../query-class.ts";
import type { Random } from "../random.ts";
import { CYRILLIC_BY_EAR, CYRILLIC_HABITS, toCyrillic } from "./cyrillic-habits.ts";
import { LATIN_HABITS, toLatin } from "./latin-habits.ts";
import { RUSSIAN, retype, US } from "./layout.ts";
import { misspell } from "./typos.ts";

const wholeName: QueryClass = {
  name: "transliterated",
  targets: [{ metric: "hit@3", atLeast: 95 }],
  fits: ({ script, folded }) => script === "cyrillic" && folded.length >= 4,
  make({ text }, random, catalogue) {
    const habit = random.pick(LATIN_HABITS);
    const typed = toLatin(random.next() < 0.5 ? text : text.toLowerCase(), habit);
    const hits = catalogue.named(text);
    if (catalogue.isAmbiguous(typed, hits)) return undefined;
    return { text: typed, meant: `${text} [${habit.name}]`, hits, relevant: catalogue.beginning(text) };
  },
};

const halfTyped: QueryClass = {
  name: "transliterated, half-typed",
  targets: [{ metric: "precision@10", atLeast: 85 }],
  fits: ({ script }) => script === "cyrillic",
  make({ text }, random, catalogue) {
    const cut = cutName(text, 4, random);
    if (cut === undefined) return undefined;
    const habit = random.pick(LATIN_HABITS);
    const typed = toLatin(cut, habit);
    const relevant = catalogue.beginning(cut);
    if (catalogue.isAmbiguous(typed, relevant)) return undefined;
    return { text: typed, meant: `${cut}… (${text}) [${habit.name}]`, hits: relevant, relevant };
  },
};

const otherWay: QueryClass = {
  name: "transliterated the other way",
  targets: [{ metric: "hit@10", atLeast: 70 }],
  fits: ({ script, language, folded }) => script === "latin" && language === "en" && folded.length >= 4,
  make({ text }, random, catalogue) {
    const habit = random.pick(CYRILLIC_HABITS);
    const typed = toCyrillic(text, habit, random);
    const hits = catalogue.named(text);
    if (catalogue.isAmbiguous(typed, hits)) return undefined;
    return { text: typed, meant: `${text} [${habit.name}]`, hits, relevant: catalogue.beginning(text) };
  },
};

const byEar = heard("English by ear in Cyrillic", 92, (cyrillic) => cyrillic);
const byEarOnKeys = heard("English by ear on English keys", 85, (cyrillic) => retype(cyrillic, RUSSIAN, US));
const byEarWithSlip = heard("English by ear with a slip", 88, (cyrillic, random) =>
  misspell(cyrillic, 1, "cyrillic", random),
);

/** Russian names in Latin letters, and English ones in Cyrillic letters, by several habits in equal shares. */
export const transliterationClasses = [wholeName, halfTyped, otherWay, byEar, byEarOnKeys, byEarWithSlip];

function heard(
  name: string,
  atLeast: number,
  type: (cyrillic: string, random: Random) => string | undefined,
): QueryClass {
  return {
    name,
    targets: [{ metric: "hit@3", atLeast }],
    fits: ({ script, language, folded }) => script === "latin" && language === "en" && folded.length >= 4,
    make({ text }, random, catalogue) {
      const typed = type(toCyrillic(text, CYRILLIC_BY_EAR, random), random);
      const hits = catalogue.named(text);
      if (!typed || catalogue.isAmbiguous(typed, hits)) return undefined;
      return { text: typed, meant: text, hits, relevant: hits };
    },
  };
}
