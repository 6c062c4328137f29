import { createRequire } from "node:module";
import { BETWEEN_WORDS, foldLetters, inOneAlphabet } from "./letters.ts";

const require = createRequire(import.meta.url);

/**
 * OpenCC's table, read at the first Chinese text: pairs of a traditional and a simplified character with a space in
 * each, and | between them.
 */
export function readSimplifications(): string {
  return require("opencc-js/dict/TSCharacters").default;
}

let known: ReadonlyMap<string, string> | undefined;

/** Simplified characters by their traditional ones, those of 16 bits. */
function listSimplified(): ReadonlyMap<string, string> {
  return new Map(
    readSimplifications()
      .split("|")
      .map((pair) => pair.split(" ") as [string, string])
      .filter(([traditional, simplified]) => traditional.length === 1 && simplified.length === 1),
  );
}

const HAN = /[\u3400-\u9fff]/g;

/** Writes Chinese text in simplified characters, one for one. Japanese has some of the traditional ones, too. */
export function toSimplified(text: string): string {
  return text.replace(HAN, (character) => {
    known ??= listSimplified();
    return known.get(character) ?? character;
  });
}

/**
 * Normalises names and queries for comparison. It folds letters with `foldLetters` and stray look-alikes into the
 * alphabet of their word. Punctuation and white space become one space, traditional Chinese characters simplified
 * ones. Idempotent. Text of punctuation only becomes "".
 */
export function normaliseName(text: string): string {
  return normaliseByLetter(text) ?? normaliseAny(text);
}

/** The slow path, for any text. */
function normaliseAny(text: string): string {
  return inOneAlphabet(toSimplified(foldLetters(text)).replace(BETWEEN_WORDS, " ").trim());
}

/**
 * The fast path for text whose letters are normalised one by one, as in nearly all European names; undefined for other
 * text.
 */
function normaliseByLetter(text: string): string | undefined {
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
