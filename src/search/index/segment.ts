import { abbreviatedBy, CONSONANTS, FIRST_CONSONANTS, FIRST_SYLLABLE } from "../letters.ts";
import { isOrdinaryTyped, stemOfTyped } from "../typed-word.ts";
import type { IndexData } from "./build.ts";
import { Deletions } from "./deletions.ts";
import { Names, recordsInBucket } from "./names.ts";
import { type Groups, NumberSet, type Range, type SortedNumbers } from "./numbers.ts";
import { findId, Records } from "./records.ts";
import { ofEvery, Values } from "./values.ts";
import { WordList } from "./word-list.ts";
import { type WordSet, WordSets } from "./word-sets.ts";

/** A Roman numeral, but also the beginning of many words. */
const ONE_LETTER = /^\p{Letter}$/u;
const DIGITS = /^\d+$/;

/** Some records with an index of their own, opened for searches. Its records are numbered from 0, best first. */
export class Segment {
  /** The number of its first record among those of all segments. */
  readonly first: number;
  readonly size: number;
  /** The records that were removed, or that a later segment replaces. */
  readonly gone: NumberSet;
  readonly words: WordList;
  readonly corrections: Deletions;
  readonly names: Names;
  readonly records: Records;
  readonly postings: IndexData["postings"];
  /** What the words sound like. */
  readonly sounds: WordList;
  readonly soundCorrections: Deletions;
  readonly values: Values;
  readonly wordSets: WordSets;
  readonly #data: IndexData;
  readonly #stems: WordList;
  readonly #consonants: WordList;

  constructor(data: IndexData, first = 0) {
    this.#data = data;
    this.first = first;
    this.size = data.size;
    this.gone = new NumberSet(data.size);
    this.words = new WordList(data.words.list);
    this.corrections = new Deletions(data.words.deletions, this.words);
    this.names = new Names(data.names);
    this.records = new Records(data.records);
    this.postings = data.postings;
    this.sounds = new WordList(data.sounds.list);
    this.soundCorrections = new Deletions(data.sounds.deletions, this.sounds);
    this.values = new Values(data.values);
    this.wordSets = new WordSets(this.words, data.postings, data.size);
    this.#stems = new WordList(data.forms.stems);
    this.#consonants = new WordList(data.consonants.keys);
  }

  recordWithId(id: string): number | undefined {
    const record = findId(this.#data.ids, id, (each) => this.records.hasId(each, id));
    return record === undefined || this.gone.has(record) ? undefined : record;
  }

  /** The records that pass a test, best first; none without a test. */
  where(isRight: ((record: number) => boolean) | undefined): SortedNumbers {
    return {
      some: (visit) => {
        for (let record = 0; isRight && record < this.size; record++) {
          if (isRight(record) && !this.gone.has(record) && visit(record)) return;
        }
      },
    };
  }

  /** Whether all its records pass a test. */
  isEvery(isRight: ((record: number) => boolean) | undefined): boolean {
    let isEvery = true;
    if (isRight === ofEvery) return true;
    this.where((record) => !isRight?.(record)).some(() => {
      isEvery = false;
      return true;
    });
    return isEvery;
  }

  /** The range of `postings` that belongs to a range of words. */
  recordRange({ start, end }: Range): Range {
    const { starts } = this.postings;
    return start === end ? { start, end: start } : { start: starts[start] ?? 0, end: starts[end] ?? 0 };
  }

  /** How many records the words of a range lead to, each counted once for each word. */
  countOf(words: Range): number {
    const { start, end } = this.recordRange(words);
    return end - start;
  }

  /** Calls `visit` with the records of a word, at most `most`, best first, until it returns true; returns whether it did. */
  someOf(word: number, visit: (record: number) => boolean, most = Number.POSITIVE_INFINITY): boolean {
    const { starts, records } = this.postings;
    const start = starts[word] ?? 0;
    const end = Math.min(starts[word + 1] ?? 0, start + most);
    for (let at = start; at < end; at++) {
      const record = records[at] ?? 0;
      if (!this.gone.has(record) && visit(record)) return true;
    }
    return false;
  }

  /** The records of words, at most so many; one comes again for each of its words. */
  *recordsOf(words: readonly Range[], most = Number.POSITIVE_INFINITY): Generator<number> {
    let left = most;
    for (const range of words) {
      const { start, end } = this.recordRange(range);
      for (let at = start; at < end && left > 0; at++) {
        const record = this.postings.records[at] ?? 0;
        if (this.gone.has(record)) continue;
        left--;
        yield record;
      }
    }
  }

  /**
   * The words that begin with the letters, and those that are other forms of them, or that they abbreviate in Korean;
   * undefined if there are no others. Letters have no forms that are half of a word, such as those of a name half typed.
   */
  formsOf(letters: string, isHalf: boolean): WordSet | undefined {
    const forms = this.#otherForms(letters, isHalf);
    return forms.length > 0 ? this.wordSets.beginningOrAmong(letters, forms) : undefined;
  }

  #otherForms(letters: string, isHalf: boolean): number[] {
    if (ONE_LETTER.test(letters)) return [];
    const abbreviated = abbreviatedBy(letters);
    if (abbreviated) return this.#wordsAbbreviated(letters, abbreviated);
    if (isHalf && !isOrdinaryTyped(letters) && !DIGITS.test(letters)) return [];
    const { start, end } = this.words.beginningWith(letters);
    return this.wordsWithStem(letters).filter((other) => other < start || other >= end);
  }

  /** The words that have the letters anywhere, or syllables in a row that begin with these consonants. */
  containing(letters: string): WordSet {
    if (!CONSONANTS.test(letters)) return this.wordSets.containing(letters);
    return this.wordSets.among(letters, this.wordsWithConsonants(letters, "inside"));
  }

  /** The records with a name whose words begin with these letters, in this order. */
  withInitials(initials: string): SortedNumbers {
    return [...new Set(recordsInBucket(this.#data.initials, initials))].filter((record) =>
      this.names.someName(record, (start, end) => {
        if (end - start !== initials.length) return false;
        for (let at = start; at < end; at++) {
          if (this.words.letter(this.names.wordAt(at), 0) !== initials.charCodeAt(at - start)) return false;
        }
        return true;
      }),
    );
  }

  /** The sound of a word. */
  soundOf(word: number): number {
    return this.#data.sounds.ofWords[word] ?? 0;
  }

  /** The words that have a sound of a range. */
  wordsHeard(sounds: Range): Uint32Array {
    return membersOf(this.#data.sounds.words, sounds);
  }

  /** The words with the stem of letters; none if that is only the word itself, which they are. */
  wordsWithStem(letters: string, word = this.words.find(letters)): readonly number[] {
    const { ofWords, words } = this.#data.forms;
    const n = word < 0 ? this.#stems.find(stemOfTyped(letters)) : (ofWords[word] ?? 0);
    if (n < 0) return [];
    const related = membersOf(words, { start: n, end: n + 1 });
    return word >= 0 && related.length === 1 ? [] : [...related];
  }

  /** The words with consonants as `consonantKeys` gives them. */
  wordsWithConsonants(key: string, where: "whole" | "beginning" | "inside" = "whole"): number[] {
    const { words } = this.#data.consonants;
    if (where === "inside") {
      const keys = [...this.#consonants.containing(key)];
      return keys.flatMap((n) => [...membersOf(words, { start: n, end: n + 1 })]);
    }
    if (where === "beginning") return [...membersOf(words, this.#consonants.beginningWith(key))];
    return [...membersOf(words, this.#consonants.rangeOf(key))];
  }

  /** The words that are abbreviated so, read one by one of those with the same first letters. */
  #wordsAbbreviated(letters: string, abbreviated: RegExp): number[] {
    const [leads = ""] = letters.match(FIRST_CONSONANTS) ?? [];
    const [syllable = ""] = letters.match(FIRST_SYLLABLE) ?? [];
    const words =
      leads.length > 1
        ? this.wordsWithConsonants(leads, "beginning")
        : numbersIn(this.words.beginningWith(syllable));
    return words.filter((word) => this.words.word(word).search(abbreviated) === 0);
  }
}

function membersOf({ starts, members }: Groups, { start, end }: Range): Uint32Array {
  return start === end ? members.subarray(0, 0) : members.subarray(starts[start], starts[end]);
}

function numbersIn({ start, end }: Range): number[] {
  return Array.from({ length: end - start }, (_, n) => start + n);
}
