import { toSimplified } from "./han.ts";
import { ACCENTS, PLAIN, UNSEEN } from "./letters.ts";
import { inOneAlphabet } from "./look-alikes.ts";

/**
 * Normalises names and queries for comparison: NFKC, lower case, no accents, ё as е, ligatures and crossed letters as
 * plain ones, stray look-alikes in the alphabet of their word, punctuation and white space as one space, hiragana as
 * katakana, traditional Chinese characters as simplified ones. Idempotent. Text of punctuation only becomes "".
 *
 * Accents go in Latin, Greek and Cyrillic only: marks of other scripts are letters of their own, as is й.
 */
export function normaliseName(text: string): string {
  return normaliseByLetter(text) ?? normaliseAny(text);
}

/** The slow path, for any text. */
export function normaliseAny(text: string): string {
  return inOneAlphabet(toSimplified(withoutAccents(text)).replace(BETWEEN_WORDS, " ").trim());
}

/**
 * The fast path for text whose letters are normalised one by one, as in nearly all European names; undefined for other
 * text.
 */
export function normaliseByLetter(text: string): string | undefined {
  let normalised = "";
  let betweenWords = false;
  for (let at = 0; at < text.length; at++) {
    const letter = LETTERS[text.charCodeAt(at)];
    if (letter === undefined) return undefined;
    if (letter === " ") betweenWords = true;
    else if (letter !== "") {
      normalised += betweenWords && normalised !== "" ? ` ${letter}` : letter;
      betweenWords = false;
    }
  }
  return inOneAlphabet(normalised);
}

function withoutAccents(text: string): string {
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

/** Letters with a katakana twin: most names are written in katakana, but input methods begin with hiragana. */
const HIRAGANA = /[\u3041-\u3096\u309d\u309e]/g;
const TO_KATAKANA = 0x60;
const NOT_SHORT_I = /[^й]+/g;
/** Apostrophes that Unicode calls letters separate words too. */
const BETWEEN_WORDS = /(?:[^\p{L}\p{N}\p{M}\p{So}]|[\u02b9-\u02bf\u02c8])+/gu;

const UNACCENTED = new RegExp(`[${Object.keys(PLAIN).join("")}]`, "g");

/** Latin, Greek and Cyrillic letters by code unit, normalised; a space for what separates words. */
const LETTERS = Array.from({ length: 0x530 }, (_, code) => {
  const letter = String.fromCharCode(code);
  if (/\p{M}/u.test(letter)) return undefined;
  const between = normaliseAny(`0${letter}0`).slice(1, -1);
  return between.length > 1 && between.includes(" ") ? undefined : between;
});
