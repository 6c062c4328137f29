/** What typing differently costs. A letter too few or two swapped leave all that was typed true; the others do not. */
export const COST = { swapped: 8, missing: 9, other: 12, extra: 12 } as const;

/**
 * What the errors of a word may cost. The word is as typed, or in another alphabet. Or it has an error; or several, and
 * an error in what it sounds like.
 */
export const MOST_COST = {
  typed: 0,
  none: 0,
  one: COST.extra,
  several: Number.POSITIVE_INFINITY,
} as const;
export type Errors = keyof typeof MOST_COST;

/** More than any budget, and small enough to be added to. */
const TOO_MUCH = 0x7fff;

/**
 * The cost of turning a typed text into others, as the weighted optimal string alignment distance. It is a table with
 * a row for each letter of the other text, filled from the top
 * (https://en.wikipedia.org/wiki/Damerau%E2%80%93Levenshtein_distance#Optimal_string_alignment_distance).
 */
export class EditTable {
  readonly #typed: Uint16Array;
  readonly #width: number;
  readonly #budget: number;
  /** How far the letters of two texts can be apart before the shift alone costs more than the budget. */
  readonly #band: number;
  readonly #rows: Uint16Array;
  /** The letters of the other text; the first is at 1. */
  readonly #path: Uint16Array;
  /** The least cost in each row. */
  readonly #leasts: Uint16Array;

  /** @param longest of the other texts */
  constructor(typed: string, longest: number, budget: number) {
    this.#typed = codesOf(typed);
    this.#width = typed.length + 1;
    this.#budget = budget;
    this.#band = Math.floor(budget / Math.min(COST.missing, COST.extra));
    this.#rows = new Uint16Array((longest + 1) * this.#width);
    this.#path = new Uint16Array(longest + 1);
    this.#leasts = new Uint16Array(longest + 1);
    for (let j = 1; j < this.#width; j++) this.#rows[j] = j * COST.extra;
  }

  /**
   * Fills the row of the letter at a depth, from 1 on; the rows above have to be filled. Returns whether that letter or
   * one below it can still cost at most the budget.
   */
  fill(depth: number, letter: number): boolean {
    const least = this.#fillRow(depth, letter);
    this.#leasts[depth] = least;
    // A swap goes past a row, from the one above it.
    return least <= this.#budget || (this.#leasts[depth - 1] ?? 0) + COST.swapped <= this.#budget;
  }

  /** The cost of turning the whole typed text into the letters up to a depth. */
  costAt(depth: number): number {
    return this.#rows[depth * this.#width + this.#width - 1] ?? 0;
  }

  /** Returns the least cost in the row. Cells farther than the band from the diagonal cost too much whatever they hold. */
  #fillRow(depth: number, letter: number): number {
    const [rows, typed, width, band] = [this.#rows, this.#typed, this.#width, this.#band];
    const row = depth * width;
    const above = row - width;
    const first = Math.max(1, depth - band);
    const last = Math.min(width - 1, depth + band);
    const letterAbove = this.#path[depth - 1];
    this.#path[depth] = letter;
    let least = depth <= band ? depth * COST.missing : TOO_MUCH;
    let left = least;
    let diagonal = rows[above + first - 1] ?? 0;
    rows[row + first - 1] = left;
    for (let j = first; j <= last; j++) {
      const straight = rows[above + j] ?? 0;
      const typedLetter = typed[j - 1];
      let cost = typedLetter === letter ? diagonal : diagonal + COST.other;
      if (left + COST.extra < cost) cost = left + COST.extra;
      if (straight + COST.missing < cost) cost = straight + COST.missing;
      if (depth > 1 && j > 1 && typedLetter === letterAbove && typed[j - 2] === letter) {
        const swapped = (rows[above - width + j - 2] ?? 0) + COST.swapped;
        if (swapped < cost) cost = swapped;
      }
      rows[row + j] = cost;
      left = cost;
      diagonal = straight;
      if (cost < least) least = cost;
    }
    if (last + 1 < width) rows[row + last + 1] = TOO_MUCH;
    if (last < width - 1) rows[row + width - 1] = TOO_MUCH;
    return least;
  }
}

function codesOf(text: string): Uint16Array {
  const codes = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at++) codes[at] = text.charCodeAt(at);
  return codes;
}

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
