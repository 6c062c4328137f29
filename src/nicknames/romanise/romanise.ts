import type * as transliteration from "transliteration";
import { lazyPackage } from "../../settings/lazy-package.ts";
import type { CountryCode } from "../countries.ts";
import { romaniseArmenian, romaniseGeorgian } from "./caucasian.ts";
import { romaniseCyrillic } from "./cyrillic.ts";
import { romaniseDevanagari } from "./devanagari.ts";
import { romaniseGreek } from "./greek.ts";
import { readKanjiFamily, romaniseKana } from "./japanese.ts";
import { romaniseHangul } from "./korean.ts";

const loadTransliteration = lazyPackage<typeof transliteration>("transliteration");

/** Runs of one script, with the rules for a run; the library's tables are meant for titles and misspell names. */
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
 * Romanises a name in any script to lower-case a-z; unreadable characters stay. The country decides between
 * languages of one script: Гайдамака is Gaydamaka in Russia and Haidamaka in Ukraine.
 */
export function romanise(name: string, country: CountryCode): string {
  const family = country === "jp" ? readKanjiFamily(name) : undefined;
  const lower = (family ?? name).toLowerCase().normalize("NFC");
  const latin = scripts.reduce(
    (text, [run, rules]) => text.replace(run, (found) => rules(found, country)),
    lower,
  );
  return loadTransliteration()
    .transliterate(latin)
    .replace(/[\s'`-]/g, "")
    .toLowerCase();
}

/** Latin letters whose plain form depends on the country; elsewhere only the mark is removed (Turkish Umit). */
const localLatin: Partial<Record<CountryCode, Record<string, string>>> = {
  de: { ä: "ae", ö: "oe", ü: "ue", Ä: "Ae", Ö: "Oe", Ü: "Ue" },
  rs: { đ: "dj", Đ: "Dj" },
};

/** Removes the marks from a name in Latin letters, keeping capitals: Łukasz is Lukasz, Müller in Germany Mueller. */
export function stripMarks(name: string, country: CountryCode): string {
  const local: Record<string, string> = { ə: "a", Ə: "A", ...localLatin[country] };
  const plain = Array.from(name.normalize("NFC"), (letter) => local[letter] ?? letter);
  return loadTransliteration().transliterate(plain.join(""));
}
