/** What typing differently costs. A letter too few or two swapped leave all that was typed true; the others do not. */
export const COST = { swapped: 8, missing: 9, other: 12, extra: 12 } as const;

/**
 * The weighted optimal string alignment distance: what it costs to turn `typed` into `text`, or undefined above
 * `budget` (https://en.wikipedia.org/wiki/Damerau%E2%80%93Levenshtein_distance#Optimal_string_alignment_distance).
 */
export function editDistance(typed: string, text: string, budget: number): number | undefined {
  const width = typed.length + 1;
  const rows = new Uint16Array((text.length + 1) * width);
  const path = new Uint16Array(text.length + 1);
  for (let j = 1; j < width; j++) rows[j] = j * COST.extra;
  for (let depth = 1; depth <= text.length; depth++) {
    path[depth] = text.charCodeAt(depth - 1);
    if (fillRow(rows, width, depth, typed, path) > budget) return undefined;
  }
  const cost = rows.at(-1) ?? 0;
  return cost > budget ? undefined : cost;
}

/**
 * Computes the row of the table that belongs to the letter at `path[depth]` and returns its least cost; the rows before
 * it have to be there, the first as the cost of nothing but extra letters.
 */
export function fillRow(
  rows: Uint16Array,
  width: number,
  depth: number,
  typed: string,
  path: Uint16Array,
): number {
  const row = depth * width;
  const above = row - width;
  const letter = path[depth] ?? 0;
  let least = depth * COST.missing;
  rows[row] = least;
  for (let j = 1; j < width; j++) {
    const typedLetter = typed.charCodeAt(j - 1);
    let cost = (rows[above + j - 1] ?? 0) + (typedLetter === letter ? 0 : COST.other);
    cost = Math.min(cost, (rows[row + j - 1] ?? 0) + COST.extra, (rows[above + j] ?? 0) + COST.missing);
    if (depth > 1 && j > 1 && typedLetter === path[depth - 1] && typed.charCodeAt(j - 2) === letter) {
      cost = Math.min(cost, (rows[above - width + j - 2] ?? 0) + COST.swapped);
    }
    rows[row + j] = cost;
    if (cost < least) least = cost;
  }
  return least;
}
