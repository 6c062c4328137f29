import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AddedWords } from "../../src/search/index/added-words.ts";
import { deletionsData } from "../../src/search/index/deletions.ts";
import { COST, EditTable } from "../../src/search/index/edit-distance.ts";
import { KnownWords } from "../../src/search/index/known-words.ts";
import { numbersOf, Vocabulary } from "../../src/search/index/vocabulary.ts";
import { WordList, wordListData } from "../../src/search/index/word-list.ts";

describe("the cost of an edit", () => {
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

const letters = (least: number, most: number) =>
  fc
    .array(fc.constantFrom("a", "b", "c"), { minLength: least, maxLength: most })
    .map((some) => some.join(""));

describe("the words that typed letters may be a misspelling of", () => {
  it.each([
    ["one error", { typed: letters(3, 9), words: letters(1, 9), budget: COST.extra }],
    [
      "two errors in seven letters",
      { typed: letters(7, 10), words: letters(7, 10), budget: 2 * COST.extra - 1 },
    ],
  ])("are all that %s leads to, in a base and among added words", (_, { typed: text, words, budget }) => {
    const some = fc.uniqueArray(words, { minLength: 2, maxLength: 60 });
    fc.assert(
      fc.property(some, text, (all, typed) => {
        const added = all.splice(Math.floor(all.length / 2));
        const vocabulary = vocabularyOf(all.sort(), added);
        const best = new Map<string, number>();
        for (const { words: span, cost, whole } of vocabulary.corrections(typed, budget)) {
          for (const word of numbersOf(span)) note(best, `${vocabulary.word(word)} ${whole}`, cost);
        }
        expect([...best].sort()).toEqual([...byAllBeginnings(typed, [...all, ...added], budget)].sort());
      }),
      { numRuns: 1500 },
    );
  });
});

function vocabularyOf(base: readonly string[], added: readonly string[]): Vocabulary {
  const list = wordListData(base);
  const known = new KnownWords({ list, deletions: deletionsData(new WordList(list)) });
  return new Vocabulary(known, { added: new AddedWords(added), dead: new Set() });
}

/** The cheapest edits to each word, and to a beginning of it where that costs less. */
function byAllBeginnings(typed: string, words: readonly string[], budget: number): Map<string, number> {
  const best = new Map<string, number>();
  for (const word of words) {
    for (let length = 1; length <= word.length; length++) {
      const cost = byWholeTable(typed, word.slice(0, length));
      if (cost > budget) continue;
      note(best, `${word} false`, cost);
      if (length === word.length) note(best, `${word} true`, cost);
    }
  }
  return best;
}

function note(best: Map<string, number>, key: string, cost: number): void {
  best.set(key, Math.min(cost, best.get(key) ?? cost));
}

function editDistance(typed: string, text: string, budget: number): number | undefined {
  const table = new EditTable(typed, text.length, budget);
  for (let depth = 1; depth <= text.length; depth++) {
    if (!table.fill(depth, text.charCodeAt(depth - 1))) return undefined;
  }
  const cost = table.costAt(text.length);
  return cost > budget ? undefined : cost;
}

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
