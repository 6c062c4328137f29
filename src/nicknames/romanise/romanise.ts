import { transliterate } from "transliteration";
import type { CountryCode } from "../countries.ts";
import { romaniseArmenian, romaniseGeorgian } from "./caucasian.ts";
import { romaniseCyrillic } from "./cyrillic.ts";
import { romaniseDevanagari } from "./devanagari.ts";

import { romaniseGreek } from "./greek.ts";
import { readKanjiFamily, romaniseKana } from "./japanese.ts";
import { romaniseHangul } from "./korean.ts";

/** Runs of one script, with the rules for a run; the library's tables are meant for titles and misspell such names. */
const scripts: [RegExp, (run: string, country: CountryCode) => string][] = [
  [/[\p{Script=Cyrillic}'’ʼ]*\p{Script=Cyrillic}['’ʼ]?/gu, romaniseCyrillic],
  [/\p{Script=Greek}+/gu, romaniseGreek],
  [/\p{Script=Georgian}+/gu, romaniseGeorgian],
  [/\p{Script=Armenian}+/gu, romaniseArmenian],
  [/\p{Script=Hangul}+/gu, romaniseHangul],
  [/[\p{Script=Hiragana}\p{Script=Katakana}ー]+/gu, romaniseKana],
  [/\p{Script=Devanagari}+/gu, romaniseDevanagari],
];

/**
 * A name in any script, in lower-case letters a-z and whatever could not be read. The country decides between the
 * languages of one script: Гайдамака is Gaydamaka in Russia and Haidamaka in Ukraine.
 */
export function romanise(name: string, country: CountryCode): string {
  const family = country === "jp" ? readKanjiFamily(name) : undefined;
  const lower = (family ?? name).toLowerCase().normalize("NFC");
  const latin = scripts.reduce(
    (text, [run, rules]) => text.replace(run, (found) => rules(found, country)),
    lower,
  );
  return transliterate(latin)
    .replace(/[\s'`-]/g, "")
    .toLowerCase();
}

/** Latin letters whose plain form depends on the country; elsewhere the mark is simply left off (Turkish Umit). */
const localLatin: Partial<Record<CountryCode, Record<string, string>>> = {
  de: { ä: "ae", ö: "oe", ü: "ue", Ä: "Ae", Ö: "Oe", Ü: "Ue" },
  rs: { đ: "dj", Đ: "Dj" },
};

/** A name in Latin letters without its marks, its capitals kept: Łukasz is Lukasz, Müller in Germany Mueller. */
export function stripMarks(name: string, country: CountryCode): string {
  const local: Record<string, string> = { ə: "a", Ə: "A", ...localLatin[country] };
  const plain = Array.from(name.normalize("NFC"), (letter) => local[letter] ?? letter);
  return transliterate(plain.join(""));
}
