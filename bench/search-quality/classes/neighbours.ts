import { Converter as ToTraditional } from "opencc-js/cn2t";
import { Converter as ToSimplified } from "opencc-js/t2cn";
import { toRomaji } from "wanakana";
import type { QueryClass } from "../query-class.ts";

const toTraditional = ToTraditional({ from: "cn", to: "t" });
const toSimplified = ToSimplified({ from: "t", to: "cn" });

/** How the speakers of a neighbouring language spell Russian words. */
const SPELLINGS: readonly (readonly [from: RegExp, to: string][])[] = [
  // Ukrainian
  [
    [/и/g, "і"],
    [/ы/g, "и"],
    [/э/g, "е"],
    [/ё/g, "йо"],
    [/ъ/g, ""],
  ],
  // Belarusian
  [
    [/и/g, "і"],
    [/щ/g, "шч"],
    [/(?<=[аеиоуыэюя])в(?![аеиоуыэюя])/g, "ў"],
    [/ъ/g, ""],
  ],
];

const neighbouringLanguage: QueryClass = {
  name: "Russian as Ukrainians and Belarusians spell it",
  targets: [{ metric: "hit@3", atLeast: 95 }],
  fits: ({ script, language, folded }) => script === "cyrillic" && language === "ru" && folded.length >= 4,
  make({ text }, random, catalogue) {
    const plain = text.toLowerCase();
    const typed = random.pick(SPELLINGS).reduce((spelled, [from, to]) => spelled.replace(from, to), plain);
    const hits = catalogue.named(text);
    if (typed === plain || catalogue.isAmbiguous(typed, hits)) return undefined;
    return { text: typed, meant: text, hits, relevant: hits };
  },
};

const romaji: QueryClass = {
  name: "kana in Latin letters",
  targets: [{ metric: "hit@3", atLeast: 90 }],
  fits: ({ text }) => /^[\p{Script=Hiragana}\p{Script=Katakana}ー・\s]{4,}$/u.test(text),
  make({ text }, _random, catalogue) {
    const typed = toRomaji(text).replaceAll("-", "").toLowerCase();
    const hits = catalogue.named(text);
    if (catalogue.isAmbiguous(typed, hits)) return undefined;
    return { text: typed, meant: text, hits, relevant: hits };
  },
};

const otherCharacters: QueryClass = {
  name: "simplified and traditional characters",
  targets: [{ metric: "hit@3", atLeast: 97 }],
  fits: ({ language }) => language === "zh",
  make({ text }, _random, catalogue) {
    const others = [toTraditional(text), toSimplified(text)].filter((other) => other !== text);
    const [typed] = others;
    const hits = catalogue.named(text);
    if (typed === undefined || catalogue.named(typed).count > 0) return undefined;
    return { text: typed, meant: text, hits, relevant: hits };
  },
};

/** Names as people write them who are used to another alphabet, or to another language in the same one. */
export const neighbourClasses = [neighbouringLanguage, romaji, otherCharacters];
