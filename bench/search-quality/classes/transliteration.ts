import { Converter as ToTraditional } from "opencc-js/cn2t";
import { Converter as ToSimplified } from "opencc-js/t2cn";
import { toRomaji } from "wanakana";
import type { CatalogueName } from "../catalogue.ts";
import { halfTyped, type QueryClass, seek, wholeNames } from "../query-class.ts";
import type { Random } from "../random.ts";
import { CYRILLIC_BY_EAR, CYRILLIC_HABITS, toCyrillic } from "./cyrillic-habits.ts";
import { LATIN_HABITS, toLatin } from "./latin-habits.ts";
import { RUSSIAN, retype, US } from "./layout.ts";
import { misspell } from "./typos.ts";

const toTraditional = ToTraditional({ from: "cn", to: "t" });
const toSimplified = ToSimplified({ from: "t", to: "cn" });

/** How the speakers of a neighbouring language spell Russian words. */
const UKRAINIAN: Record<string, string> = { и: "і", ы: "и", э: "е", ё: "йо", ъ: "" };
const BELARUSIAN: Record<string, string> = { и: "і", щ: "шч", ъ: "" };

/** Names in the letters of another alphabet by several habits in equal shares, or as a neighbour spells them. */
export const transliterationClasses: readonly QueryClass[] = [
  wholeNames({
    name: "transliterated",
    targets: { "hit@3": 95 },
    fits: ({ script, folded }) => script === "cyrillic" && folded.length >= 4,
    type({ text }, random) {
      const habit = random.pick(LATIN_HABITS);
      return toLatin(random.next() < 0.5 ? text : text.toLowerCase(), habit);
    },
  }),
  halfTyped({
    name: "transliterated, half-typed",
    targets: { "precision@10": 85 },
    fits: ({ script }) => script === "cyrillic",
    shortest: 4,
    type: (cut, random) => toLatin(cut, random.pick(LATIN_HABITS)),
  }),
  wholeNames({
    name: "transliterated the other way",
    targets: { "hit@10": 70 },
    fits: isEnglish,
    type: ({ text }, random) => toCyrillic(text, random.pick(CYRILLIC_HABITS), random),
  }),
  heard("English by ear in Cyrillic", 92, (cyrillic) => cyrillic),
  heard("English by ear on English keys", 85, (cyrillic) => retype(cyrillic, RUSSIAN, US)),
  heard("English by ear with a slip", 88, (cyrillic, random) => misspell(cyrillic, 1, "cyrillic", random)),
  wholeNames({
    name: "Russian as Ukrainians and Belarusians spell it",
    targets: { "hit@3": 95 },
    fits: ({ script, language, folded }) => script === "cyrillic" && language === "ru" && folded.length >= 4,
    type({ text }, random) {
      const plain = text.toLowerCase();
      const [letters, short] = random.pick([
        [UKRAINIAN, "в"],
        [BELARUSIAN, "ў"],
      ] as const);
      const typed = plain
        .replace(/[иыэёщъ]/g, (letter) => letters[letter] ?? letter)
        .replace(/(?<=[аеиоуыэюя])в(?![аеиоуыэюя])/g, short);
      return typed === plain ? undefined : typed;
    },
  }),
  wholeNames({
    name: "kana in Latin letters",
    targets: { "hit@3": 90 },
    fits: ({ text }) => /^[\p{Script=Hiragana}\p{Script=Katakana}ー・\s]{4,}$/u.test(text),
    type: ({ text }) => toRomaji(text).replaceAll("-", "").toLowerCase(),
  }),
  {
    name: "simplified and traditional characters",
    targets: { "hit@3": 97 },
    fits: ({ language }) => language === "zh",
    make(name, _random, catalogue) {
      const { text } = name;
      const typed = [toTraditional(text), toSimplified(text)].find((other) => other !== text);
      return typed && catalogue.named(typed).count === 0 ? seek(typed, name, catalogue) : undefined;
    },
  },
];

function heard(
  name: string,
  hits: number,
  type: (cyrillic: string, random: Random) => string | undefined,
): QueryClass {
  return wholeNames({
    name,
    targets: { "hit@3": hits },
    fits: isEnglish,
    type: ({ text }, random) => type(toCyrillic(text, CYRILLIC_BY_EAR, random), random),
  });
}

function isEnglish({ script, language, folded }: CatalogueName): boolean {
  return script === "latin" && language === "en" && folded.length >= 4;
}
