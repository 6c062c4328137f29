import { NumberSet, type Range, type SortedNumbers } from "./numbers.ts";

/** Up to so many records are looked at one by one; larger sets are compared as bits, which is faster. */
export const FEW = 200;

interface Postings {
  readonly starts: Uint32Array;
  readonly records: Uint32Array;
}

/** The words that a typed word stands for: a range of them, and others in ascending order. */
export class WordSet implements SortedNumbers {
  /** How many records the words lead to, counted once for each word. */
  readonly count: number;
  readonly #postings: Postings;
  /** How many records there are. */
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

  /** The different records. */
  bits(): NumberSet {
    const bits = new NumberSet(this.#size);
    this.#eachPart((records) => bits.addAll(records));
    return bits;
  }

  some(visit: (record: number) => boolean): void {
    const records = this.count > FEW ? NumberSet.inAll([this.bits()]) : this.#sorted();
    records.some(visit);
  }

  #sorted(): SortedNumbers {
    const records = new Uint32Array(this.count);
    let filled = 0;
    this.#eachPart((some) => {
      records.set(some, filled);
      filled += some.length;
    });
    return records.sort().filter((record, at) => record !== records[at - 1]);
  }

  #eachPart(visit: (records: Uint32Array) => void): void {
    const { records, starts } = this.#postings;
    visit(records.subarray(starts[this.#range.start], starts[this.#range.end]));
    for (let n = 0; n < this.#others.length; n++) {
      const word = this.#others[n] ?? 0;
      visit(records.subarray(starts[word], starts[word + 1]));
    }
  }
}
