import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AddedWords } from "../src/search/index/added-words.ts";
import { COST, EditTable } from "../src/search/index/edit-distance.ts";
import { Edits } from "../src/search/index/edits.ts";
import { KnownWords } from "../src/search/index/known-words.ts";
import { trieData } from "../src/search/index/trie.ts";
import { numbersOf, Vocabulary } from "../src/search/index/vocabulary.ts";
import { WordList, wordListData } from "../src/search/index/word-list.ts";

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

const letters = (most: number) =>
  fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: most }).map((some) => some.join(""));

describe("the words that typed letters may be a misspelling of", () => {
  it("are judged the same as one by one, in a base and among added words", () => {
    const words = fc.uniqueArray(letters(7), { minLength: 2, maxLength: 60 });
    const budget = fc.constantFrom(0, COST.swapped, COST.missing, COST.extra, 2 * COST.extra);
    fc.assert(
      fc.property(words, letters(7), budget, budget, (all, typed, whole, part) => {
        const added = all.splice(Math.floor(all.length / 2));
        const vocabulary = vocabularyOf(all.sort(), added);
        const edits = new Edits(typed, vocabulary, { whole, part });
        const listed = edits.list(() => false).flatMap(({ words }) => [...numbersOf(words)]);
        const numbers = [...all, ...added.sort()].map((word) => vocabulary.find(word));
        const judged = numbers.filter((word) => edits.to(word));
        expect([...new Set(listed)].sort()).toEqual(judged.sort());
        for (const word of judged) {
          expect(edits.to(word)).toEqual(byAllBeginnings(typed, vocabulary.word(word), { whole, part }));
        }
      }),
      { numRuns: 3000 },
    );
  });
});

function vocabularyOf(base: readonly string[], added: readonly string[]): Vocabulary {
  const list = wordListData(base);
  const known = new KnownWords({ list, trie: trieData(new WordList(list)) });
  return new Vocabulary(known, { added: new AddedWords(added), dead: new Set() });
}

/** The cheapest of the edits to a word and to each of its beginnings. */
function byAllBeginnings(typed: string, word: string, budgets: { whole: number; part: number }) {
  let best: { cost: number; whole: boolean } | undefined;
  for (let length = 1; length <= word.length; length++) {
    const cost = byWholeTable(typed, word.slice(0, length));
    const isWhole = length === word.length && cost <= budgets.whole;
    if ((isWhole || cost <= budgets.part) && (!best || cost < best.cost)) best = { cost, whole: isWhole };
  }
  return best;
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
