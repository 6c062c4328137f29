import { type RankedRange, type SortedNumbers, smallestOf } from "./numbers.ts";
import type { Segment } from "./segment.ts";
import type { Segments } from "./segments.ts";

/** The classes of matches: as typed, best first, then how a query was changed to match. */
export type Match =
  | "exact"
  | "prefix"
  | "word"
  | "form"
  | "substring"
  | "fuzzy"
  | "layout"
  | "transliteration"
  | "partial";

/** With more matches a total is a lower bound. */
export const TOTAL_CAP = 1000;

/** A record that was found. */
export interface FoundRecord {
  readonly record: number;
  readonly match: Match;
  /** The typed words that a partial match does not have. */
  readonly without?: readonly string[] | undefined;
}

/** Records of one segment: best first, or a range of a list. */
export type SegmentRecords = readonly [Segment, SortedNumbers | RankedRange];

/** The matches of one search, best class first: each record once, as many as wanted, and a total. */
export class Matches {
  readonly found: FoundRecord[] = [];
  total = 0;
  /** How many are wanted, from the first on. */
  readonly wanted: number;
  /** How many are counted at most. */
  readonly countTo: number;
  readonly #segments: Segments;
  readonly #first: number;

  constructor(segments: Segments, wanted: number) {
    this.#segments = segments;
    this.#first = segments.marks.next();
    this.wanted = wanted;
    this.countTo = Math.max(TOTAL_CAP + 1, wanted);
  }

  /** True when enough are counted: more would change neither the answer nor its total. */
  get complete(): boolean {
    return this.total >= this.countTo;
  }

  /** True if a record is there already, or gone. */
  has(segment: Segment, record: number): boolean {
    return this.#segments.marks.of(segment.first + record) >= this.#first || segment.gone.has(record);
  }

  /** Adds records as the next class, without those that are already there. */
  add(match: Match, parts: readonly SegmentRecords[]): void {
    if (this.complete) return;
    const mark = this.#segments.marks.next();
    const best: number[] = [];
    // The small segments first: the large one is not read to its end.
    for (const [segment, records] of parts.toReversed()) {
      const own =
        "list" in records ? this.#addRange(segment, records, mark) : this.#addSorted(segment, records, mark);
      for (const record of own) best.push(segment.first + record);
    }
    if (parts.length > 1) best.sort((a, b) => this.#segments.rankOf(a) - this.#segments.rankOf(b));
    for (const record of best.slice(0, this.#missing)) this.found.push({ record, match });
  }

  /** Adds what was found otherwise, in its order, with how many there are. */
  addFound(found: readonly FoundRecord[], total = found.length): void {
    this.found.push(...found.slice(0, this.#missing));
    this.total += total;
  }

  get #missing(): number {
    return this.wanted - this.found.length;
  }

  /** Counts records that come best first, and returns the best. */
  #addSorted(segment: Segment, records: SortedNumbers, mark: number): number[] {
    const best: number[] = [];
    records.some((record) => {
      if (this.has(segment, record)) return false;
      this.#count(segment.first + record, mark);
      if (best.length < this.#missing) best.push(record);
      return this.complete && best.length >= this.#missing;
    });
    return best;
  }

  /** The same for a range. */
  #addRange(segment: Segment, { list, range }: RankedRange, mark: number): readonly number[] {
    const { marks } = this.#segments;
    const added: number[] = [];
    for (let at = range.start; at < range.end && !this.complete; at++) {
      const record = list.records[at] ?? 0;
      if (this.has(segment, record)) continue;
      this.#count(segment.first + record, mark);
      added.push(record);
    }
    if (!this.complete) return [...Uint32Array.from(added).sort()];
    return smallestOf(list, range, this.#missing, (record) => {
      return marks.of(segment.first + record) === mark || !this.has(segment, record);
    });
  }

  #count(record: number, mark: number): void {
    this.#segments.marks.set(record, mark);
    this.total++;
  }
}
