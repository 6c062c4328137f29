import type { NumberSet, SortedNumbers } from "./number-set.ts";
import { type Range, type RankedList, smallestOf } from "./ranges.ts";

/** The classes of matches as typed, best first. */
export type PlainMatch = "exact" | "prefix" | "word" | "form" | "substring";

/** How a query was changed to match. */
export type ForgivingMatch = "fuzzy" | "layout" | "transliteration";

export type Match = PlainMatch | ForgivingMatch | "partial";

/** With more matches a total is a lower bound. */
export const TOTAL_CAP = 1000;

/** What the matches of a search need to know of records by number. */
export interface Numbering {
  readonly marks: Marks;
  /** Numbers that stand for no record any more. */
  readonly gone: NumberSet;
  /** Smaller numbers stand for better records, but for the changed ones. */
  readonly hasChanged: boolean;
  rankOf(record: number): number;
}

/** A record that was found. */
export interface FoundRecord {
  readonly record: number;
  readonly match: Match;
  /** The typed words that a partial match does not have. */
  readonly without?: readonly string[] | undefined;
}

function acceptAny(): boolean {
  return true;
}

/** The matches of one search, best class first: each record once, as many as wanted, and a total. */
export class Matches {
  readonly found: FoundRecord[] = [];
  total = 0;
  /** True when enough are counted: more would change neither the answer nor its total. */
  get complete(): boolean {
    return this.total >= this.countTo;
  }
  /** How many are wanted, from the first on. */
  readonly wanted: number;
  /** How many are counted at most. */
  readonly countTo: number;
  readonly #records: Numbering;
  readonly #marks: Marks;
  readonly #first: number;

  constructor(records: Numbering, wanted: number) {
    this.#records = records;
    this.#marks = records.marks;
    this.#first = this.#marks.next();
    this.wanted = wanted;
    this.countTo = Math.max(TOTAL_CAP + 1, wanted);
  }

  /** True if a record is there already, or gone. */
  has(record: number): boolean {
    return this.#marks.of(record) >= this.#first || this.#records.gone.has(record);
  }

  /** Adds the records of a range as the next class, and changed records that belong to it. */
  addRange(
    list: RankedList,
    range: Range,
    match: Match,
    changed: readonly number[],
    accepts: (record: number) => boolean = acceptAny,
  ): void {
    if (this.complete || (range.start === range.end && changed.length === 0)) return;
    const before = this.#marks.next();
    const added: number[] = [];
    for (let at = range.start; at < range.end && !this.complete; at++) {
      const record = list.records[at] ?? 0;
      if (!this.has(record) && accepts(record)) this.#count(record, before, added);
    }
    const best = this.complete
      ? smallestOf(list, range, this.#missing(), (record) => {
          return this.#marks.of(record) === before || (!this.has(record) && accepts(record));
        })
      : added;
    for (const record of changed) {
      if (!this.has(record) && accepts(record)) this.#count(record, before, best);
    }
    this.#keep(best, match);
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

  /** Adds the matches of another search whose records are accepted, in its order. */
  addMatches(other: Matches, accepts?: (record: number) => boolean): void {
    const accepted = accepts ? other.found.filter(({ record }) => accepts(record)) : other.found;
    this.found.push(...accepted.slice(0, this.#missing()));
    this.total += accepts ? accepted.length : other.total;
  }

  /** Adds a record that does not have all words. */
  addPartial(record: number, without: readonly string[]): void {
    this.total++;
    if (this.#missing() > 0) this.found.push({ record, match: "partial", without });
  }

  #count(record: number, mark: number, added: number[]): void {
    this.#marks.set(record, mark);
    this.total++;
    added.push(record);
  }

  #keep(records: number[], match: Match): void {
    const missing = this.#missing();
    if (missing === 0) return;
    for (const record of this.#bestFirst(records).slice(0, missing)) this.found.push({ record, match });
  }

  #bestFirst(records: number[]): Uint32Array | number[] {
    const { hasChanged } = this.#records;
    if (!hasChanged) return Uint32Array.from(records).sort();
    return records.sort((a, b) => this.#records.rankOf(a) - this.#records.rankOf(b));
  }

  #missing(): number {
    return this.wanted - this.found.length;
  }
}

/** Which records a search has seen, as a number per record, so that nothing is cleared between searches. */
export class Marks {
  readonly #marks: Uint32Array;
  /** The marks of changed records, whose numbers follow the others. */
  #changed = new Uint32Array(0);
  #last = 0;

  constructor(size: number) {
    this.#marks = new Uint32Array(size);
  }

  /** Makes room for so many changed records, which have no mark. */
  extend(count: number): void {
    this.#changed = new Uint32Array(count);
  }

  /** A mark that no record has. */
  next(): number {
    if (this.#last === 0xffffffff) {
      this.#marks.fill(0);
      this.#changed.fill(0);
      this.#last = 0;
    }
    return ++this.#last;
  }

  set(record: number, mark: number): void {
    const size = this.#marks.length;
    if (record < size) this.#marks[record] = mark;
    else this.#changed[record - size] = mark;
  }

  of(record: number): number {
    const size = this.#marks.length;
    return (record < size ? this.#marks[record] : this.#changed[record - size]) ?? 0;
  }
}
