import { NumberSet } from "./number-set.ts";
import type { Range } from "./ranges.ts";
import type { WordList } from "./word-list.ts";

/** Fewer records than these are looked at one by one; lists of more are compared as bits, at a fraction of the time. */
export const FEW = 500;
/** Memory for sets that may be asked for again: beginnings of two or three letters are, again and again. */
const MOST_BYTES = 32 * 1024 * 1024;

/** The words that one typed word stands for. */
export interface WordSet {
  has(word: number): boolean;
  /** How many records the words lead to, one counted once for each word; infinite where that is not worth knowing. */
  readonly count: number;
  /** The different records, ascending. */
  records(): Iterable<number>;
  /** The same as bits. */
  bits(): NumberSet;
}

interface Postings {
  readonly starts: Uint32Array;
  readonly records: Uint32Array;
}

/** Makes sets of words, and remembers the large ones. */
export class WordSets {
  readonly #words: WordList;
  readonly #postings: Postings;
  readonly #size: number;
  readonly #most: number;
  /** By what was asked; the one that was asked for last is the last. */
  readonly #remembered = new Map<string, WordSet>();

  /** `size`: how many records there are. */
  constructor(words: WordList, postings: Postings, size: number) {
    this.#words = words;
    this.#postings = postings;
    this.#size = size;
    this.#most = Math.floor(MOST_BYTES / ((size + words.size) / 8 + 1));
  }

  /** The words that begin with some letters. */
  beginningWith(letters: string): WordSet {
    return this.#remember(`^${letters}`, () => {
      const { start, end } = this.#words.beginningWith(letters);
      return this.#make([{ start, end }], (word) => word >= start && word < end);
    });
  }

  /** The words that hold some letters anywhere. */
  containing(letters: string): WordSet {
    return this.#remember(`*${letters}`, () => this.#setOf(this.#words.containing(letters)));
  }

  /** The words that hold some letters, but not at the beginning. */
  inside(letters: string): WordSet {
    return this.#remember(`.${letters}`, () => {
      const { start, end } = this.#words.beginningWith(letters);
      return this.#setOf(this.#words.containing(letters).filter((word) => word < start || word >= end));
    });
  }

  /** The same two for letters in so many words that it is cheaper to look at the words which others lead to. */
  uncounted(letters: string, where: "containing" | "inside"): WordSet {
    const has = (word: number) =>
      this.#words.contains(word, letters) &&
      (where === "containing" || !this.#words.startsWith(word, letters));
    const none = new NumberSet(0);
    return { has, count: Number.POSITIVE_INFINITY, records: () => [], bits: () => none };
  }

  #setOf(numbers: readonly number[]): WordSet {
    const words = new NumberSet(this.#words.size);
    for (const number of numbers) words.add(number);
    const ranges = numbers.map((start) => ({ start, end: start + 1 }));
    return this.#make(ranges, (word) => words.has(word));
  }

  #remember(key: string, make: () => WordSet): WordSet {
    const known = this.#remembered.get(key);
    const set = known ?? make();
    if (known) this.#remembered.delete(key);
    if (set.count > FEW) this.#remembered.set(key, set);
    if (this.#remembered.size > this.#most) {
      for (const [oldest] of this.#remembered) {
        this.#remembered.delete(oldest);
        break;
      }
    }
    return set;
  }

  #make(words: readonly Range[], has: (word: number) => boolean): WordSet {
    const { starts } = this.#postings;
    const stretches = words.map(({ start, end }) => ({ start: starts[start] ?? 0, end: starts[end] ?? 0 }));
    const count = stretches.reduce((sum, { start, end }) => sum + end - start, 0);
    let made: NumberSet | undefined;
    const bits = () => {
      made ??= this.#bitsOf(stretches);
      return made;
    };
    const records = () => (count > FEW ? NumberSet.inAll([bits()]) : this.#sorted(stretches, count));
    return { has, count, records, bits };
  }

  #bitsOf(stretches: readonly Range[]): NumberSet {
    const bits = new NumberSet(this.#size);
    for (const { start, end } of stretches) {
      for (let at = start; at < end; at++) bits.add(this.#postings.records[at] ?? 0);
    }
    return bits;
  }

  #sorted(stretches: readonly Range[], count: number): Iterable<number> {
    const records = new Uint32Array(count);
    let at = 0;
    for (const { start, end } of stretches) {
      records.set(this.#postings.records.subarray(start, end), at);
      at += end - start;
    }
    return new Set(records.sort());
  }
}
