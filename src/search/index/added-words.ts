import { Deletions, deletionsData } from "./deletions.ts";
import { EMPTY, type Range } from "./ranges.ts";
import type { Letters } from "./word-list.ts";

/** A few words ordered by UTF-16 code units. */
export class AddedWords implements Letters {
  readonly size: number;
  readonly #words: readonly string[];
  #deletions: Deletions | undefined;

  constructor(words: Iterable<string>) {
    this.#words = [...words].sort();
    this.size = this.#words.length;
  }

  /** Made at the first call, since most searches need none. */
  get deletions(): Deletions {
    this.#deletions ??= new Deletions(deletionsData(this), this);
    return this.#deletions;
  }

  word(n: number): string {
    return this.#words[n] ?? "";
  }

  lengthOf(n: number): number {
    return this.word(n).length;
  }

  letter(n: number, index: number): number {
    return this.word(n).charCodeAt(index);
  }

  /** The number of a word, or -1. */
  find(word: string): number {
    const n = this.#firstWhere((other) => other >= word);
    return this.#words[n] === word ? n : -1;
  }

  /** The words that begin with a prefix. */
  beginningWith(prefix: string): Range {
    const start = this.#firstWhere((word) => word >= prefix);
    if (!this.#words[start]?.startsWith(prefix)) return EMPTY;
    return { start, end: this.#firstWhere((word) => word >= prefix && !word.startsWith(prefix)) };
  }

  /** The words of a range, which share so many letters, that go on with a letter. */
  narrowed({ start, end }: Range, shared: number, letter: number): Range {
    let [first, last] = [start, end];
    while (first < last && this.#letterOrEnd(first, shared) < letter) first++;
    while (last > first && this.#letterOrEnd(last - 1, shared) > letter) last--;
    return { start: first, end: last };
  }

  #letterOrEnd(n: number, index: number): number {
    return index < this.lengthOf(n) ? this.letter(n, index) : -1;
  }

  #firstWhere(isPast: (word: string) => boolean): number {
    let low = 0;
    for (let high = this.size; low < high; ) {
      const middle = (low + high) >>> 1;
      if (isPast(this.word(middle))) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
