/**
 * Which letters count as equal: for the search, for the marks in its results, and for every field that filters what a
 * page or a command lists.
 */

import { abbreviatedBy, HANGUL, lettersOfHangul } from "./hangul.ts";
import { inOneAlphabet } from "./look-alikes.ts";

/** Soft hyphens, joiners, variation selectors and their kin. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;

/** The accents of Latin, Greek and Cyrillic. */
const ACCENTS =
  /[\u0300-\u036f]|[\u0483-\u0489]|[\u1ab0-\u1aff]|[\u1dc0-\u1dff]|[\u20d0-\u20ff]|[\ufe20-\ufe2f]/g;

/** Letters that Unicode does not decompose, as typed on keyboards without them. */
const PLAIN: Readonly<Record<string, string>> = {
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

/** The vowels and other marks of Hebrew and Arabic, which most texts leave out. */
const VOWEL_MARKS =
  /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0897-\u089f\u08ca-\u08e1\u08e3-\u08ff]/g;

/** Letters of Hebrew and Arabic, as they are often typed. */
const AS_TYPED: Readonly<Record<string, string>> = {
  // At the end of Hebrew words, where a name that is typed so far may go on.
  ך: "כ",
  ם: "מ",
  ן: "נ",
  ף: "פ",
  ץ: "צ",
  װ: "וו",
  ױ: "וי",
  ײ: "יי",
  // Arabic letters as the keyboards of Persian, Urdu and Kurdish have them, and those that are often written for others.
  آ: "ا",
  أ: "ا",
  إ: "ا",
  ٱ: "ا",
  ٲ: "ا",
  ٳ: "ا",
  ؤ: "و",
  ئ: "ي",
  ى: "ي",
  ی: "ي",
  ے: "ي",
  ۓ: "ي",
  ې: "ي",
  ک: "ك",
  ڪ: "ك",
  ة: "ه",
  ۃ: "ه",
  ہ: "ه",
  ۂ: "ه",
  ۀ: "ه",
  ھ: "ه",
  ە: "ه",
  // The line that widens Arabic words, and the hamza that stands before a letter.
  ـ: "",
  ٴ: "",
};

/** Letters with a katakana twin: most names are written in katakana, but input methods begin with hiragana. */
const HIRAGANA = /[\u3041-\u3096\u309d\u309e]/g;
const TO_KATAKANA = 0x60;
const NOT_SHORT_I = /[^й]+/g;
const TYPED_OTHERWISE = new RegExp(`[${Object.keys(AS_TYPED).join("")}]`, "g");
/** What Latin, Greek and Cyrillic text has none of. */
const OTHER_SCRIPTS = /[\u0590-\uffff]/;
const OTHER_DIGITS = /[^\P{Nd}0-9]/gu;
const DIGIT = /\p{Nd}/u;
const UNACCENTED = new RegExp(`[${Object.keys(PLAIN).join("")}]`, "g");

/** Apostrophes that Unicode calls letters separate words too. */
export const BETWEEN_WORDS = /(?:[^\p{L}\p{N}\p{M}\p{So}]|[\u02b9-\u02bf\u02c8])+/gu;

/**
 * Folds letters that count as equal: NFKC, lower case, no accents, ё as е, ligatures and crossed letters as plain
 * ones. Hiragana become katakana, Korean syllables their letters, all digits 0 to 9. Keeps everything between
 * letters.
 *
 * It removes accents in Latin, Greek and Cyrillic, and vowel marks in Hebrew and Arabic. Marks of other scripts are
 * letters of their own, and so is й.
 */
export function foldLetters(text: string): string {
  const folded = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(UNSEEN, "")
    .replace(HIRAGANA, (letter) => String.fromCharCode(letter.charCodeAt(0) + TO_KATAKANA))
    .normalize("NFC")
    .replace(NOT_SHORT_I, (letters) => letters.normalize("NFD").replace(ACCENTS, ""))
    .normalize("NFC")
    .replace(UNACCENTED, (letter) => PLAIN[letter] ?? letter);
  return OTHER_SCRIPTS.test(folded) ? foldOtherScripts(folded) : folded;
}

function foldOtherScripts(text: string): string {
  const letters = text
    .replace(VOWEL_MARKS, "")
    .replace(TYPED_OTHERWISE, (letter) => AS_TYPED[letter] ?? letter)
    .replace(HANGUL, lettersOfHangul);
  return withPlainDigits(letters);
}

/** A text with the digits of all scripts as 0 to 9. */
export function withPlainDigits(text: string): string {
  return OTHER_SCRIPTS.test(text) ? text.replace(OTHER_DIGITS, plainDigit) : text;
}

/** Unicode has the digits of a script from 0 to 9 in a row, and some of these rows one after the other. */
function plainDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let before = 0;
  while (DIGIT.test(String.fromCodePoint(code - before - 1))) before++;
  return String(before % 10);
}

/** Folds a text as `normaliseName` does, but for Chinese characters, whose table is too large for browsers. */
function foldWords(text: string): string {
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
  return words.split(" ").every((word) => abbreviatedBy(word)?.test(folded) ?? folded.includes(word));
}
