import { COST } from "./edit-distance.ts";

/** Scripts, and how many letters their words are made of. */
export const SCRIPTS = [
  { name: "latin", letters: 26 },
  { name: "cyrillic", letters: 32 },
  { name: "other", letters: 60 },
  // The sounds of words: fewer letters, and some far more frequent than others.
  { name: "sound", letters: 12 },
  // Consonants and vowels by turns.
  { name: "hangul", letters: 20 },
] as const;

/** The index in SCRIPTS of the sounds of words. */
export const SOUND = 3;
const HANGUL = 4;

/** The index in SCRIPTS of a letter's script; digits count as Latin. */
export function scriptOf(letter: number): number {
  if (letter < 0x250) return 0;
  if (letter >= 0x400 && letter < 0x530) return 1;
  return letter >= 0x3131 && letter <= 0x3163 ? HANGUL : 2;
}

/** How many different word beginnings of a length there are. */
export type Count = (length: number) => number;

/** A correction counts if fewer than this share of random queries would have found one too. */
const BY_CHANCE = 0.07;
/** A word with more errors than one in so many letters is another word. */
const LETTERS_AN_ERROR = 3;

/**
 * How much correcting typed letters may cost before a match is as likely to be chance as a typing error. More letters
 * allow more, a larger catalogue less: nearly every change of four letters begins some word of a large catalogue.
 *
 * Random letters match as often as the number of beginnings, times the ways to mistype each, divided by the number of
 * texts of that length.
 */
export function budgetFor(typed: number, script: number, count: Count): number {
  return Math.min(budgetByChance(typed, script, count), Math.floor(typed / LETTERS_AN_ERROR) * COST.extra);
}

function budgetByChance(typed: number, script: number, count: Count): number {
  const alphabet = SCRIPTS[script]?.letters ?? 26;
  const texts = alphabet ** typed;
  const swapped = (count(typed) * (typed - 1)) / texts;
  const missing = swapped + (count(typed + 1) * typed) / texts;
  const other = missing + (count(typed) * typed * (alphabet - 1)) / texts;
  const one = other + (count(typed - 1) * typed * alphabet) / texts;
  const two = (count(typed) * (2 * typed * alphabet) ** 2) / 2 / texts;
  if (two < BY_CHANCE) return 2 * COST.extra;
  if (one < BY_CHANCE) return COST.extra;
  if (missing < BY_CHANCE) return COST.missing;
  return swapped < BY_CHANCE ? COST.swapped : 0;
}
