import { initialsOf } from "../letters.ts";
import { group, type Range, type RankedList, rankedList } from "./numbers.ts";

/** The names of all records as rows of word numbers. */
export interface NamesData {
  /** The first name of each record, and one entry for the end. */
  readonly firstNames: Uint32Array<ArrayBuffer>;
  /** Where each name begins in `words`, and one entry for the end. */
  readonly starts: Uint32Array<ArrayBuffer>;
  readonly words: Uint32Array<ArrayBuffer>;
  /** All names in alphabetical order, and their records in the same order. */
  readonly sorted: Uint32Array<ArrayBuffer>;
  readonly sortedRecords: RankedList;
}

export function namesData(
  firstNames: Uint32Array<ArrayBuffer>,
  starts: Uint32Array<ArrayBuffer>,
  words: Uint32Array<ArrayBuffer>,
  wordCount: number,
): NamesData {
  const sorted = sortNames(starts, words, wordCount);
  const recordOf = new Uint32Array(starts.length - 1);
  for (let record = 0; record + 1 < firstNames.length; record++) {
    recordOf.fill(record, firstNames[record], firstNames[record + 1]);
  }
  const sortedRecords = rankedList(sorted.map((name) => recordOf[name] ?? 0));
  return { firstNames, starts, words, sorted, sortedRecords };
}

/** A radix sort by words, last place first. A name joins at its last word, before longer names that begin alike. */
function sortNames(starts: Uint32Array, words: Uint32Array, wordCount: number): Uint32Array<ArrayBuffer> {
  const byLength: number[][] = [];
  for (let name = 0; name + 1 < starts.length; name++) {
    const length = (starts[name + 1] ?? 0) - (starts[name] ?? 0);
    const alike = byLength[length] ?? [];
    alike.push(name);
    byLength[length] = alike;
  }
  let order = new Uint32Array(0);
  for (let place = byLength.length - 2; place >= 0; place--) {
    const joining = byLength[place + 1] ?? [];
    const active = new Uint32Array(joining.length + order.length);
    active.set(joining);
    active.set(order, joining.length);
    const keys = active.map((name) => words[(starts[name] ?? 0) + place] ?? 0);
    order = group(keys, active, wordCount).members;
  }
  return order;
}

interface Words {
  has(word: number): boolean;
}

/** Finds names by their words, and the names of a record. */
export class Names {
  readonly sortedRecords: RankedList;
  readonly #data: NamesData;
  readonly #words: Uint32Array;

  constructor(data: NamesData) {
    this.#data = data;
    this.#words = data.words;
    this.sortedRecords = data.sortedRecords;
  }

  /** The range of `sortedRecords` whose name has exactly these words. */
  equalTo(words: readonly number[]): Range {
    return { start: this.#firstNotBefore(words), end: this.#firstNotBefore([...words, 0]) };
  }

  /** The range of `sortedRecords` whose name begins with these words and then one of a range. */
  beginningWith(words: readonly number[], { start, end }: Range): Range {
    return { start: this.#firstNotBefore([...words, start]), end: this.#firstNotBefore([...words, end]) };
  }

  /** Calls `visit` with each name of a record, as a range for `wordAt`, until it returns true. */
  someName(record: number, visit: (start: number, end: number) => boolean): boolean {
    const { firstNames, starts } = this.#data;
    const end = firstNames[record + 1] ?? 0;
    for (let name = firstNames[record] ?? 0; name < end; name++) {
      if (visit(starts[name] ?? 0, starts[name + 1] ?? 0)) return true;
    }
    return false;
  }

  /** True if a name of a record has a word of each set. */
  hasAll(record: number, sets: readonly Words[]): boolean {
    return this.someName(record, (start, end) => sets.every((set) => this.hasOne(set, start, end)));
  }

  /** True if the range of a name has a word of a set. */
  hasOne(set: Words, start: number, end: number): boolean {
    for (let at = start; at < end; at++) if (set.has(this.wordAt(at))) return true;
    return false;
  }

  wordAt(place: number): number {
    return this.#words[place] ?? 0;
  }

  #firstNotBefore(words: readonly number[]): number {
    const { sorted } = this.#data;
    let low = 0;
    for (let high = sorted.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if (this.#isBefore(sorted[middle] ?? 0, words)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #isBefore(name: number, words: readonly number[]): boolean {
    const { starts, words: all } = this.#data;
    const start = starts[name] ?? 0;
    const length = (starts[name + 1] ?? 0) - start;
    for (let i = 0; i < length && i < words.length; i++) {
      const difference = (all[start + i] ?? 0) - (words[i] ?? 0);
      if (difference !== 0) return difference < 0;
    }
    return length < words.length;
  }
}

/** Names of fewer words have initials that are in many words; nobody counts more words. */
const WORDS = { least: 3, most: 8 } as const;

const LETTERS = new RegExp(`^\\p{Letter}{${WORDS.least},${WORDS.most}}$`, "u");
const CONSONANT = /[ㄱ-ㅎ]/;

/**
 * What a normalised name may be abbreviated by: the first letters of its words, if they are letters and neither too few
 * nor too many. A Korean name of several words also by those of the syllables, from each word on.
 */
export function abbreviationsOf(name: string): string[] {
  const words = name.split(" ");
  const letters = words.map((word) => word.charAt(0)).join("");
  const found = areInitials(letters) ? [letters] : [];
  if (words.length === 1 || !CONSONANT.test(name)) return found;
  const syllables = words.map(initialsOf);
  return [...found, ...syllables.map((_, at) => syllables.slice(at).join(""))];
}

/** Whether a typed word may be the initials of a name. */
export function areInitials(typed: string): boolean {
  return LETTERS.test(typed);
}
