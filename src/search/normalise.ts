import { ACCENTS, PLAIN, UNSEEN } from "./letters.ts";
import { inOneAlphabet } from "./look-alikes.ts";

/**
 * How names and queries are compared: NFKC, lower case, without accents, ё as е, ligatures and crossed letters as
 * plain ones, a letter that only looks like one of its word's alphabet as the one it looks like, and every run of
 * punctuation or white space as one space; hiragana as katakana. Idempotent. Text of nothing but punctuation becomes "".
 *
 * Only the accents of Latin, Greek and Cyrillic go: the marks of other scripts are letters of their own, as is й.
 */
export function normaliseName(text: string): string {
  return normaliseByLetter(text) ?? normaliseAny(text);
}

/** Any text at all. */
export function normaliseAny(text: string): string {
  return inOneAlphabet(withoutAccents(text).replace(BETWEEN_WORDS, " ").trim());
}

/**
 * The same, several times as fast, for text of letters that are normalised one by one whatever stands beside them, as
 * those of nearly all European names are; undefined for other text.
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

/** Letters that have a twin in katakana, in which most names are written; an input method begins with these. */
const HIRAGANA = /[\u3041-\u3096\u309d\u309e]/g;
const TO_KATAKANA = 0x60;
const NOT_SHORT_I = /[^й]+/g;
/** Apostrophes that are letters by name separate words as the others do. */
const BETWEEN_WORDS = /(?:[^\p{L}\p{N}\p{M}\p{So}]|[\u02b9-\u02bf\u02c8])+/gu;

const UNACCENTED = new RegExp(`[${Object.keys(PLAIN).join("")}]`, "g");

/** The letters of Latin, Greek and Cyrillic by code unit, normalised; a space for what stands between words. */
const LETTERS = Array.from({ length: 0x530 }, (_, code) => {
  const letter = String.fromCharCode(code);
  if (/\p{M}/u.test(letter)) return undefined;
  const between = normaliseAny(`0${letter}0`).slice(1, -1);
  return between.length > 1 && between.includes(" ") ? undefined : between;
});
