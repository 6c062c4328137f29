import type { VocabularyData } from "./build.ts";
import { Deletions } from "./deletions.ts";
import { WordList } from "./word-list.ts";

/**
 * The words of a base, opened. Remembers what the words of changed records ask for, since each change asks for those of
 * all records that changed before.
 */
export class KnownWords {
  readonly list: WordList;
  readonly deletions: Deletions;
  readonly #numbers = new Map<string, number>();
  readonly #counts = new Map<string, number>();

  constructor(data: VocabularyData) {
    this.list = new WordList(data.list);
    this.deletions = new Deletions(data.deletions, this.list);
  }

  /** The number of a word, or -1. */
  numberOf(word: string): number {
    return remembered(this.#numbers, word, () => this.list.find(word));
  }

  /** How many words begin with the letters. */
  countBeginning(letters: string): number {
    return remembered(this.#counts, letters, () => {
      const { start, end } = this.list.beginningWith(letters);
      return end - start;
    });
  }
}

function remembered(known: Map<string, number>, key: string, find: () => number): number {
  const before = known.get(key);
  if (before !== undefined) return before;
  const found = find();
  known.set(key, found);
  return found;
}
