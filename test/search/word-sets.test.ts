import { describe, expect, it } from "vitest";
import { IndexBuilder } from "../../src/search/index/build.ts";
import { NumberSet } from "../../src/search/index/number-set.ts";
import { WordList, wordListData } from "../../src/search/index/word-list.ts";
import { FEW, type WordSet, WordSets } from "../../src/search/index/word-sets.ts";

/** Every name holds two of these, so that each leads to many records. */
const WORDS = ["banana", "bandana", "cabana", "nabana", "ananas", "nab", "cab"];
const names = Array.from({ length: 4000 }, (_, n) => [
  WORDS[n % WORDS.length] ?? "",
  WORDS[(n + 1 + (n % 3)) % WORDS.length] ?? "",
]);
const PARTS = ["ban", "ana", "nab", "cab", "anan", "bandana", "na", "zzz"];

function setsWith(mostBytes?: number): WordSets {
  const builder = new IndexBuilder();
  for (const [n, words] of names.entries()) {
    builder.add({
      id: `${n}`,
      name: words.join(" "),
      names: {},
      category: null,
      image: null,
      popularity: null,
    });
  }
  const { words, postings, size } = builder.finish();
  return new WordSets(new WordList(words.list), postings, size, mostBytes);
}

function recordsOf(set: WordSet): number[] {
  const records: number[] = [];
  set.some((record) => {
    records.push(record);
    return false;
  });
  return records;
}

function recordsWhere(holds: (word: string) => boolean): number[] {
  return [...names.keys()].filter((record) => names[record]?.some(holds));
}

describe("sets of words", () => {
  it("lead to the records with a word that begins with, or holds, some letters", () => {
    const sets = setsWith();
    for (const part of PARTS) {
      expect(recordsOf(sets.beginningWith(part)), part).toEqual(
        recordsWhere((word) => word.startsWith(part)),
      );
      expect(recordsOf(sets.containing(part)), part).toEqual(recordsWhere((word) => word.includes(part)));
    }
  });

  it("are those of the letters asked for, also where others share their bucket", () => {
    const letters = [..."abcdefghijklmnopqrstuvwxyz"];
    const words = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)));
    const list = new WordList(wordListData(words));
    const wrong = words.filter((word, n) => [...list.containing(word)].join() !== `${n}`);
    expect(wrong).toEqual([]);
  });

  it("are right with memory for one of them, search after search", () => {
    const sets = setsWith(names.length / 8 + 100);
    for (let search = 0; search < 3 * PARTS.length; search++) {
      sets.startSearch();
      const [one = "", other = ""] = [PARTS[search % PARTS.length], PARTS[(search * 3 + 1) % PARTS.length]];
      const first = sets.containing(one);
      const second = sets.containing(other);
      if (first.count <= FEW || second.count <= FEW) continue;
      const both: number[] = [];
      NumberSet.inAll([first.bits(), second.bits()]).some((record) => both.push(record) === 0);
      const expected = names.flatMap((words, record) =>
        [one, other].every((part) => words.some((word) => word.includes(part))) ? [record] : [],
      );
      expect(both, `${one} ${other}`).toEqual(expected);
    }
  });
});
