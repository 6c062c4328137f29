import type { SortedNumbers } from "./number-set.ts";
import { type Range, type RankedList, smallestOf } from "./ranges.ts";

/** The classes of matches as typed, best first. */
export type PlainMatch = "exact" | "prefix" | "word" | "substring";

/** How a query was changed to match. */
export type ForgivingMatch = "fuzzy" | "layout" | "transliteration";

export type Match = PlainMatch | ForgivingMatch;

/** With more matches a total is a lower bound. */
export const TOTAL_CAP = 1000;

/** Which records a search has seen, as a number per record, so that nothing is cleared between searches. */
export class Marks {
  readonly #marks: Uint32Array;
  #last = 0;

  constructor(size: number) {
    this.#marks = new Uint32Array(size);
  }

  /** A mark that no record has. */
  next(): number {
    if (this.#last === 0xffffffff) {
      this.#marks.fill(0);
      this.#last = 0;
    }
    return ++this.#last;
  }

  set(record: number, mark: number): void {
    this.#marks[record] = mark;
  }

  of(record: number): number {
    return this.#marks[record] ?? 0;
  }
}

/** The matches of one search, best class first: each record once, as many as wanted, and a total. */
export class Matches {
  readonly found: { record: number; match: Match }[] = [];
  total = 0;
  /** True when enough are counted: more would change neither the answer nor its total. */
  get complete(): boolean {
    return this.total >= this.countTo;
  }
  /** How many are wanted, from the first on. */
  readonly wanted: number;
  /** How many are counted at most. */
  readonly countTo: number;
  readonly #marks: Marks;
  readonly #first: number;

  constructor(marks: Marks, wanted: number) {
    this.#marks = marks;
    this.#first = marks.next();
    this.wanted = wanted;
    this.countTo = Math.max(TOTAL_CAP + 1, wanted);
  }

  has(record: number): boolean {
    return this.#marks.of(record) >= this.#first;
  }

  /** Adds the records of a range as the next class. */
  addRange(list: RankedList, range: Range, match: Match): void {
    if (this.complete || range.start === range.end) return;
    const before = this.#marks.next();
    const added: number[] = [];
    for (let at = range.start; at < range.end && !this.complete; at++) {
      const record = list.records[at] ?? 0;
      if (!this.has(record)) this.#count(record, before, added);
    }
    if (!this.complete) {
      this.#keep(added, match);
      return;
    }
    const open = (record: number) => !this.has(record) || this.#marks.of(record) === before;
    this.#keep(smallestOf(list, range, this.#missing(), open), match);
  }

  /** Adds records that come best first as the next class, until enough are counted. */
  addSorted(records: SortedNumbers, match: Match): void {
    if (this.complete) return;
    const mark = this.#marks.next();
    records.some((record) => {
      if (this.has(record)) return false;
      this.#marks.set(record, mark);
      this.total++;
      if (this.#missing() > 0) this.found.push({ record, match });
      return this.complete;
    });
  }

  /** Adds records in any order as the next class, without those that are already there. */
  addAll(records: Iterable<number>, match: Match): void {
    const mark = this.#marks.next();
    const added: number[] = [];
    for (const record of records) if (!this.has(record)) this.#count(record, mark, added);
    this.#keep(added, match);
  }

  /** Adds what another search found, in its order. */
  addFound(records: readonly number[], total: number, match: Match): void {
    for (const record of records.slice(0, this.#missing())) this.found.push({ record, match });
    this.total += total;
  }

  #count(record: number, mark: number, added: number[]): void {
    this.#marks.set(record, mark);
    this.total++;
    added.push(record);
  }

  #keep(records: number[], match: Match): void {
    const missing = this.#missing();
    if (missing === 0) return;
    const best = Uint32Array.from(records).sort().subarray(0, missing);
    for (const record of best) this.found.push({ record, match });
  }

  #missing(): number {
    return this.wanted - this.found.length;
  }
}
