/** What typing differently costs. A letter too few or two swapped leave all that was typed true; the others do not. */
export const COST = { swapped: 8, missing: 9, other: 12, extra: 12 } as const;

/**
 * The weighted optimal string alignment distance: what it costs to turn `typed` into `text`, or undefined above
 * `budget` (https://en.wikipedia.org/wiki/Damerau%E2%80%93Levenshtein_distance#Optimal_string_alignment_distance).
 */
export function editDistance(typed: string, text: string, budget: number): number | undefined {
  const width = typed.length + 1;
  const band = bandOf(budget);
  const rows = new Uint16Array((text.length + 1) * width);
  const path = new Uint16Array(text.length + 1);
  for (let j = 1; j < width; j++) rows[j] = j * COST.extra;
  let above = 0;
  for (let depth = 1; depth <= text.length; depth++) {
    path[depth] = text.charCodeAt(depth - 1);
    const least = fillRow(rows, width, depth, typed, path, band);
    if (isTooMuch(least, above, budget)) return undefined;
    above = least;
  }
  const cost = rows.at(-1) ?? 0;
  return cost > budget ? undefined : cost;
}

/** Whether nothing below two rows can cost less than the budget: a swap goes past a row, from the one above it. */
export function isTooMuch(least: number, leastAbove: number, budget: number): boolean {
  return least > budget && leastAbove + COST.swapped > budget;
}

/** How far the letters of two texts can be apart before the shift alone costs more than the budget. */
export function bandOf(budget: number): number {
  return Math.floor(budget / Math.min(COST.missing, COST.extra));
}

/** More than any budget, and small enough to be added to. */
const TOO_MUCH = 0x7fff;

/**
 * Computes the row of the table that belongs to the letter at `path[depth]` and returns its least cost; the rows before
 * it have to be there, the first as the cost of nothing but extra letters. Cells farther than `band` from the diagonal
 * cost too much whatever they hold.
 */
export function fillRow(
  rows: Uint16Array,
  width: number,
  depth: number,
  typed: string,
  path: Uint16Array,
  band: number,
): number {
  const row = depth * width;
  const above = row - width;
  const letter = path[depth] ?? 0;
  const first = Math.max(1, depth - band);
  const last = Math.min(width - 1, depth + band);
  let least = depth <= band ? depth * COST.missing : TOO_MUCH;
  rows[row + first - 1] = least;
  for (let j = first; j <= last; j++) {
    const typedLetter = typed.charCodeAt(j - 1);
    let cost = (rows[above + j - 1] ?? 0) + (typedLetter === letter ? 0 : COST.other);
    cost = Math.min(cost, (rows[row + j - 1] ?? 0) + COST.extra, (rows[above + j] ?? 0) + COST.missing);
    if (depth > 1 && j > 1 && typedLetter === path[depth - 1] && typed.charCodeAt(j - 2) === letter) {
      cost = Math.min(cost, (rows[above - width + j - 2] ?? 0) + COST.swapped);
    }
    rows[row + j] = cost;
    if (cost < least) least = cost;
  }
  if (last + 1 < width) rows[row + last + 1] = TOO_MUCH;
  if (last < width - 1) rows[row + width - 1] = TOO_MUCH;
  return least;
}
