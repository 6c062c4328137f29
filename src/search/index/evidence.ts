import { COST } from "./edit-distance.ts";
import { SCRIPTS } from "./scripts.ts";

/** How many different beginnings of a length there are. */
export type Count = (length: number) => number;

/** A correction is believed where fewer than this many random queries in one would have found one too. */
const BY_CHANCE = 0.07;
/** With more errors than one in so many letters it is another word. */
const LETTERS_AN_ERROR = 3;

/**
 * What may be spent on correcting typed letters before chance explains a match as well as a typing error does. It
 * grows with the letters typed and shrinks with the size of the catalogue: of four letters nearly every change of one
 * begins some word of a large catalogue, of eight hardly any does.
 *
 * Expected for random letters is the number of beginnings times the number of ways to mistype each, over the number of
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
