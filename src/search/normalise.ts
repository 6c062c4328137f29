import { toSimplified } from "./han.ts";
import { BETWEEN_WORDS, foldLetters } from "./letters.ts";
import { inOneAlphabet } from "./look-alikes.ts";

/**
 * Normalises names and queries for comparison. It folds letters with `foldLetters` and stray look-alikes into the
 * alphabet of their word. Punctuation and white space become one space, traditional Chinese characters simplified
 * ones. Idempotent. Text of punctuation only becomes "".
 */
export function normaliseName(text: string): string {
  return normaliseByLetter(text) ?? normaliseAny(text);
}

/** The slow path, for any text. */
export function normaliseAny(text: string): string {
  return inOneAlphabet(toSimplified(foldLetters(text)).replace(BETWEEN_WORDS, " ").trim());
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

/** Latin, Greek and Cyrillic letters by code unit, normalised; a space for what separates words. */
const LETTERS = Array.from({ length: 0x530 }, (_, code) => {
  const letter = String.fromCharCode(code);
  if (/\p{M}/u.test(letter)) return undefined;
  const between = normaliseAny(`0${letter}0`).slice(1, -1);
  return between.length > 1 && between.includes(" ") ? undefined : between;
});
