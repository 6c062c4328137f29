import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { COST, editDistance } from "../src/search/index/edit-distance.ts";

describe("editDistance", () => {
  it.each([
    ["infernus", "infernus", 0],
    ["ifnernus", "infernus", COST.swapped],
    ["infrnus", "infernus", COST.missing],
    ["inferrnus", "infernus", COST.extra],
    ["imfernus", "infernus", COST.other],
    ["", "ab", 2 * COST.missing],
    ["ab", "", 2 * COST.extra],
    ["бронжелетт", "бронежелет", COST.missing + COST.extra],
  ])("of %s and %s is %d", (typed, text, cost) => {
    expect(editDistance(typed, text, 40)).toBe(cost);
  });

  it("spends all of a budget on a swap", () => {
    expect(editDistance("cb", "bc", COST.swapped)).toBe(COST.swapped);
  });

  it("is what a whole table gives, or nothing above the budget", () => {
    const word = fc
      .array(fc.constantFrom("a", "b", "c"), { maxLength: 9 })
      .map((letters) => letters.join(""));
    fc.assert(
      fc.property(word, word, fc.integer({ min: 0, max: 40 }), (typed, text, budget) => {
        const cost = byWholeTable(typed, text);
        expect(editDistance(typed, text, budget)).toBe(cost <= budget ? cost : undefined);
      }),
      { numRuns: 5000 },
    );
  });
});

/** The same distance without leaving anything out. */
function byWholeTable(typed: string, text: string): number {
  const table: number[][] = [];
  for (let i = 0; i <= text.length; i++) {
    const row: number[] = [];
    table.push(row);
    for (let j = 0; j <= typed.length; j++) row.push(cell(table, i, j, typed, text));
  }
  return table.at(-1)?.at(-1) ?? 0;
}

function cell(table: number[][], i: number, j: number, typed: string, text: string): number {
  const at = (row: number, column: number) => table[row]?.[column] ?? Number.POSITIVE_INFINITY;
  if (i === 0) return j * COST.extra;
  if (j === 0) return i * COST.missing;
  const same = typed[j - 1] === text[i - 1];
  const swapped = i > 1 && j > 1 && typed[j - 1] === text[i - 2] && typed[j - 2] === text[i - 1];
  return Math.min(
    at(i - 1, j - 1) + (same ? 0 : COST.other),
    at(i, j - 1) + COST.extra,
    at(i - 1, j) + COST.missing,
    swapped ? at(i - 2, j - 2) + COST.swapped : Number.POSITIVE_INFINITY,
  );
}
