import { abbreviatedBy, CONSONANTS, FIRST_CONSONANTS, FIRST_SYLLABLE } from "../letters.ts";
import { stemOfTyped } from "../typed-word.ts";
import type { IndexData } from "./build.ts";
import { Deletions } from "./deletions.ts";
import { Names } from "./names.ts";
import { EMPTY, NumberSet, type Range, type SortedNumbers, withHash } from "./numbers.ts";
import { hashOf, Records } from "./records.ts";
import { Values } from "./values.ts";
import { KeyList, WordList } from "./word-list.ts";

/** A Roman numeral, but also the beginning of many words. */
const ONE_LETTER = /^\p{Letter}$/u;

/** Some records with an index of their own, opened for searches. Its records and names are numbered from 0. */
export class Segment {
  /** The number of its first name among those of all segments. */
  readonly first: number;
  /** How many records it has. */
  readonly size: number;
  /** The records that were removed, or that a later segment replaces. */
  readonly gone: NumberSet;
  readonly words: WordList;
  readonly corrections: Deletions;
  readonly names: Names;
  readonly records: Records;
  readonly postings: IndexData["postings"];
  /** The words by what they sound like, by their stems, and by their consonants, see `consonantKeys`. */
  readonly sounds: KeyList;
  readonly soundCorrections: Deletions;
  readonly stems: KeyList;
  readonly consonants: KeyList;
  readonly values: Values;
  readonly #data: IndexData;
  readonly #initials: KeyList;

  constructor(data: IndexData, first: number) {
    this.#data = data;
    this.first = first;
    this.size = data.size;
    this.gone = new NumberSet(data.size);
    this.words = new WordList(data.words);
    this.corrections = new Deletions(data.wordDeletions, this.words);
    this.names = new Names(data.names);
    this.records = new Records(data.records);
    this.postings = data.postings;
    this.sounds = new KeyList(data.sounds);
    this.soundCorrections = new Deletions(data.soundDeletions, this.sounds.keys);
    this.stems = new KeyList(data.stems);
    this.consonants = new KeyList(data.consonants);
    this.values = new Values(data.values);
    this.#initials = new KeyList(data.initials);
  }

  recordWithId(id: string): number | undefined {
    const record = withHash(this.#data.ids, hashOf(id)).find((each) => this.records.hasId(each, id));
    return record === undefined || this.gone.has(record) ? undefined : record;
  }

  /** The range of `postings` that belongs to a range of words. */
  postingRange({ start, end }: Range): Range {
    const { starts } = this.postings;
    return start === end ? { start, end: start } : { start: starts[start] ?? 0, end: starts[end] ?? 0 };
  }

  /** How many names the words of a range lead to, each counted once for each word. */
  countOf(words: Range): number {
    const { start, end } = this.postingRange(words);
    return end - start;
  }

  /** Calls `visit` with the names with a word, best first, until it returns true; returns whether it did. */
  someOf(word: number, visit: (name: number) => boolean): boolean {
    const { starts, names } = this.postings;
    const end = starts[word + 1] ?? 0;
    for (let at = starts[word] ?? 0; at < end; at++) {
      const name = names[at] ?? 0;
      if (!this.isGone(name) && visit(name)) return true;
    }
    return false;
  }

  isGone(name: number): boolean {
    return this.gone.has(this.names.recordOf(name));
  }

  /** The main names of the records with some sets of values, see `Values.setsWith`. */
  mainNamesWith(sets: Uint8Array): SortedNumbers {
    const names = new NumberSet(this.names.size);
    this.values.eachWith(sets, (record) => names.add(this.names.mainNameOf(record)));
    return NumberSet.inAll([names]);
  }

  /** The words of a range, and others in ascending order. */
  wordSet(range: Range, others?: ArrayLike<number>): WordSet {
    return new WordSet(this.postings, this.names.size, range, others);
  }

  /**
   * The words that begin with the letters, `begun`, and those that are other forms of them, or that they abbreviate in
   * Korean.
   */
  formsOf(letters: string, begun: Range): WordSet {
    return this.wordSet(begun, this.#otherForms(letters, begun));
  }

  #otherForms(letters: string, { start, end }: Range): ArrayLike<number> {
    if (ONE_LETTER.test(letters)) return [];
    const abbreviated = abbreviatedBy(letters);
    if (abbreviated) return this.#wordsAbbreviated(letters, abbreviated);
    return this.stems.with(stemOfTyped(letters)).filter((other) => other < start || other >= end);
  }

  /** The words that have the letters anywhere, or syllables in a row that begin with these consonants. */
  containing(letters: string): WordSet {
    if (!CONSONANTS.test(letters)) return this.wordSet(EMPTY, this.words.containing(letters));
    const keys = [...this.consonants.keys.containing(letters)];
    const words = keys.flatMap((n) => [...this.consonants.in({ start: n, end: n + 1 })]);
    return this.wordSet(EMPTY, Uint32Array.from(words).sort());
  }

  /**
   * The names whose words begin with these letters, in this order, best first. Korean consonants may also begin the
   * syllables of several words: ㅅㄱㅁㅇ finds 사과 마을.
   */
  withInitials(initials: string): readonly number[] {
    const { keys } = this.#initials;
    const range = CONSONANTS.test(initials) ? keys.beginningWith(initials) : keys.rangeOf(initials);
    return [...new Set(this.#initials.in(range).slice().sort())];
  }

  /** The words that are abbreviated so, read one by one of those with the same first letters. */
  #wordsAbbreviated(letters: string, abbreviated: RegExp): number[] {
    const [leads = ""] = letters.match(FIRST_CONSONANTS) ?? [];
    const [syllable = ""] = letters.match(FIRST_SYLLABLE) ?? [];
    const words =
      leads.length > 1
        ? [...this.consonants.in(this.consonants.keys.beginningWith(leads))]
        : numbersIn(this.words.beginningWith(syllable));
    return words.filter((word) => this.words.word(word).search(abbreviated) === 0).sort((a, b) => a - b);
  }
}

function numbersIn({ start, end }: Range): number[] {
  return Array.from({ length: end - start }, (_, n) => start + n);
}

/** Up to so many names are looked at one by one; larger sets are compared as bits, which is faster. */
export const FEW = 200;

interface Postings {
  readonly starts: Uint32Array;
  readonly names: Uint32Array;
}

/** The words that a typed word stands for, a range of them and others in ascending order, and the names with them. */
export class WordSet implements SortedNumbers {
  /** How many names the words lead to, counted once for each word. */
  readonly count: number;
  readonly #postings: Postings;
  /** How many names there are. */
  readonly #size: number;
  readonly #range: Range;
  readonly #others: ArrayLike<number>;

  constructor(postings: Postings, size: number, range: Range, others: ArrayLike<number> = []) {
    this.#postings = postings;
    this.#size = size;
    this.#range = range;
    this.#others = others;
    const { starts } = postings;
    let count = (starts[range.end] ?? 0) - (starts[range.start] ?? 0);
    for (let n = 0; n < others.length; n++) {
      const word = others[n] ?? 0;
      count += (starts[word + 1] ?? 0) - (starts[word] ?? 0);
    }
    this.count = count;
  }

  has(word: number): boolean {
    if (word >= this.#range.start && word < this.#range.end) return true;
    let low = 0;
    for (let high = this.#others.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if ((this.#others[middle] ?? 0) < word) low = middle + 1;
      else high = middle;
    }
    return this.#others[low] === word;
  }

  /** The different names. */
  bits(): NumberSet {
    const bits = new NumberSet(this.#size);
    this.#eachPart((names) => bits.addAll(names));
    return bits;
  }

  some(visit: (name: number) => boolean): void {
    const names = this.count > FEW ? NumberSet.inAll([this.bits()]) : this.#sorted();
    names.some(visit);
  }

  #sorted(): SortedNumbers {
    const names = new Uint32Array(this.count);
    let filled = 0;
    this.#eachPart((some) => {
      names.set(some, filled);
      filled += some.length;
    });
    return names.sort().filter((name, at) => name !== names[at - 1]);
  }

  #eachPart(visit: (names: Uint32Array) => void): void {
    const { names, starts } = this.#postings;
    visit(names.subarray(starts[this.#range.start], starts[this.#range.end]));
    for (let n = 0; n < this.#others.length; n++) {
      const word = this.#others[n] ?? 0;
      visit(names.subarray(starts[word], starts[word + 1]));
    }
  }
}
