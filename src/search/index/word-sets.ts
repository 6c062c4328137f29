import { LRUCache } from "lru-cache";
import { NumberSet, type SortedNumbers } from "./numbers.ts";
import type { WordList } from "./word-list.ts";

/** Up to so many records are looked at one by one; larger sets are compared as bits, which is faster. */
export const FEW = 200;
/** Memory for sets that are likely to be needed again, such as those of two or three letters. */
const MOST_BYTES = 32 * 1024 * 1024;

type ListedWords = ArrayLike<number> & Iterable<number>;

interface Postings {
  readonly starts: Uint32Array;
  readonly records: Uint32Array;
}

/** Makes sets of words, and remembers large ones. */
export class WordSets {
  readonly #words: WordList;
  readonly #postings: Postings;
  readonly #size: number;
  readonly #remembered: LRUCache<string, WordSet>;
  /** Bits of forgotten sets that the running search may still read, and bits that are free. */
  readonly #retired: NumberSet[] = [];
  readonly #spare: NumberSet[] = [];

  /** `size`: how many records there are. */
  constructor(words: WordList, postings: Postings, size: number, mostBytes = MOST_BYTES) {
    this.#words = words;
    this.#postings = postings;
    this.#size = size;
    const bytesOf = ({ words }: WordSet) => Math.ceil(size / 8) + 4 * words;
    this.#remembered = new LRUCache({
      maxSize: mostBytes,
      sizeCalculation: bytesOf,
      dispose: (set) => this.#retire(set.made),
    });
  }

  /** Frees bits forgotten during the last search. They are reused, as new memory would keep the garbage collector busy. */
  startSearch(): void {
    this.#spare.push(...this.#retired.splice(0));
  }

  /** A word alone. */
  wordAlone(letters: string): WordSet {
    return this.#remember(`=${letters}`, () => {
      const n = this.#words.find(letters);
      return this.#make(n < 0 ? [] : [n], 1, (word) => word === n);
    });
  }

  /** The words that begin with the letters. */
  beginningWith(letters: string): WordSet {
    return this.#remember(`^${letters}`, () => {
      const { start, end } = this.#words.beginningWith(letters);
      return this.#make([start], end - start, (word) => word >= start && word < end);
    });
  }

  /** The words that begin with the letters, and some others, which must be the same for the same letters. */
  beginningOrAmong(letters: string, others: readonly number[]): WordSet {
    return this.#remember(`~${letters}`, () => {
      const { start, end } = this.#words.beginningWith(letters);
      const begun = Array.from({ length: end - start }, (_, n) => start + n);
      const words = new Set([...begun, ...others]);
      return this.#make([...words], 1, (word) => words.has(word));
    });
  }

  /** Some words, which must be the same for the same key. */
  among(key: string, words: readonly number[]): WordSet {
    return this.#remember(`≈${key}`, () => {
      const sought = new Set(words);
      return this.#make(words, 1, (word) => sought.has(word));
    });
  }

  /** The words that have the letters anywhere. */
  containing(letters: string): WordSet {
    return this.#remember(`*${letters}`, () =>
      this.#make(this.#words.containing(letters), 1, (word) => this.#words.contains(word, letters)),
    );
  }

  #retire(bits: NumberSet | undefined): void {
    if (bits) this.#retired.push(bits);
  }

  #remember(key: string, make: () => WordSet): WordSet {
    const known = this.#remembered.get(key);
    const set = known ?? make();
    if (!known && set.count > FEW) this.#remembered.set(key, set);
    return set;
  }

  #make(words: ListedWords, length: number, has: (word: number) => boolean): WordSet {
    return new WordSet(this.#postings, { words, length, has }, () => {
      return this.#spare.pop() ?? new NumberSet(this.#size);
    });
  }
}

/** The words that a set lists. */
interface Listed {
  /** The starts of ranges. */
  readonly words: ListedWords;
  /** How many words each range has. */
  readonly length: number;
  has(word: number): boolean;
}

/** The words that a typed word stands for. It is a class, because making an object's functions takes longer than a search. */
export class WordSet implements SortedNumbers {
  /** How many records the words lead to, counted once for each word. */
  readonly count: number;
  /** The bits, once they have been requested. */
  made: NumberSet | undefined;
  readonly #postings: Postings;
  readonly #listed: Listed;
  readonly #newBits: () => NumberSet;

  constructor(postings: Postings, listed: Listed, newBits: () => NumberSet) {
    this.#postings = postings;
    this.#listed = listed;
    this.#newBits = newBits;
    const { starts } = postings;
    let count = 0;
    for (const word of listed.words) count += (starts[word + listed.length] ?? 0) - (starts[word] ?? 0);
    this.count = count;
  }

  /** How many words the set lists, of four bytes each. */
  get words(): number {
    return this.#listed.words.length;
  }

  has(word: number): boolean {
    return this.#listed.has(word);
  }

  /** The different records. */
  bits(): NumberSet {
    this.made ??= this.#makeBits();
    return this.made;
  }

  some(visit: (record: number) => boolean): void {
    const records = this.count > FEW ? NumberSet.inAll([this.bits()]) : this.#sorted();
    records.some(visit);
  }

  #makeBits(): NumberSet {
    const bits = this.#newBits();
    bits.clear();
    const { records, starts } = this.#postings;
    const { words, length } = this.#listed;
    for (const word of words) {
      const end = starts[word + length] ?? 0;
      for (let at = starts[word] ?? 0; at < end; at++) bits.add(records[at] ?? 0);
    }
    return bits;
  }

  #sorted(): SortedNumbers {
    const { records: all, starts } = this.#postings;
    const { words, length } = this.#listed;
    const records = new Uint32Array(this.count);
    let filled = 0;
    for (const word of words) {
      const some = all.subarray(starts[word], starts[word + length]);
      records.set(some, filled);
      filled += some.length;
    }
    return records.sort().filter((record, at) => record !== records[at - 1]);
  }
}
