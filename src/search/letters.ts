/**
 * Which letters count as equal: for the search, for the marks in its results, and for every field that filters what a
 * page or a command lists.
 */

import { inOneAlphabet } from "./look-alikes.ts";

/** Soft hyphens, joiners, variation selectors and their kin. */
export const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;

/** The accents of Latin, Greek and Cyrillic. */
export const ACCENTS =
  /[\u0300-\u036f]|[\u0483-\u0489]|[\u1ab0-\u1aff]|[\u1dc0-\u1dff]|[\u20d0-\u20ff]|[\ufe20-\ufe2f]/g;

/** Letters that Unicode does not decompose, as typed on keyboards without them. */
export const PLAIN: Readonly<Record<string, string>> = {
  æ: "ae",
  đ: "d",
  ð: "d",
  ħ: "h",
  ı: "i",
  ĸ: "k",
  ł: "l",
  ŋ: "n",
  ø: "o",
  œ: "oe",
  ß: "ss",
  ŧ: "t",
  þ: "th",
  ς: "σ",
};

/** Letters with a katakana twin: most names are written in katakana, but input methods begin with hiragana. */
const HIRAGANA = /[\u3041-\u3096\u309d\u309e]/g;
const TO_KATAKANA = 0x60;
const NOT_SHORT_I = /[^й]+/g;
const UNACCENTED = new RegExp(`[${Object.keys(PLAIN).join("")}]`, "g");

/** Apostrophes that Unicode calls letters separate words too. */
export const BETWEEN_WORDS = /(?:[^\p{L}\p{N}\p{M}\p{So}]|[\u02b9-\u02bf\u02c8])+/gu;

/**
 * Folds letters that count as equal: NFKC, lower case, no accents, ё as е, ligatures and crossed letters as plain ones,
 * hiragana as katakana. Keeps everything between letters.
 *
 * Accents go in Latin, Greek and Cyrillic only: marks of other scripts are letters of their own, as is й.
 */
export function foldLetters(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(UNSEEN, "")
    .replace(HIRAGANA, (letter) => String.fromCharCode(letter.charCodeAt(0) + TO_KATAKANA))
    .normalize("NFC")
    .replace(NOT_SHORT_I, (letters) => letters.normalize("NFD").replace(ACCENTS, ""))
    .normalize("NFC")
    .replace(UNACCENTED, (letter) => PLAIN[letter] ?? letter);
}

/** Folds a text as `normaliseName` does, but for Chinese characters, whose table is too large for browsers. */
export function foldWords(text: string): string {
  return inOneAlphabet(foldLetters(text).replace(BETWEEN_WORDS, " ").trim());
}

/**
 * Whether a text has each of the typed words, by the letters that the search takes for equal. Typed signs without a
 * letter are looked for as they are.
 */
export function hasWords(text: string, typed: string, fold: (text: string) => string = foldWords): boolean {
  const words = fold(typed);
  if (words === "") return text.includes(typed.trim());
  const folded = fold(text);
  return words.split(" ").every((word) => folded.includes(word));
}
