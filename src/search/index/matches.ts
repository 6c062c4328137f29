import type { Match } from "../answers.ts";
import { type RankedRange, type SortedNumbers, smallestOf } from "./numbers.ts";
import type { Segment } from "./segment.ts";
import type { Segments } from "./segments.ts";

/** More matches than these are not counted, unless as many are wanted. */
const COUNTED = 100;

/** A record that was found. */
export interface FoundRecord {
  readonly record: number;
  readonly match: Match;
  /** The typed words that a partial match does not have. */
  readonly without?: readonly string[] | undefined;
}

/** Records of one segment, best first or a range of a list, and a test that they must pass. */
export type SegmentRecords = readonly [Segment, SortedNumbers | RankedRange, Test?];

/** A test of the records of a segment. */
export type Test = (record: number) => boolean;

/** The matches of one search, best class first: each record once, as many as wanted, and a total. */
export class Matches {
  readonly found: FoundRecord[] = [];
  /** How many there are; with `complete` there are more. */
  total = 0;
  /** How many are wanted, from the first on. */
  readonly wanted: number;
  /** How many are counted at most. */
  readonly countTo: number;
  readonly #segments: Segments;
  readonly #seen = new Set<number>();

  constructor(segments: Segments, wanted: number) {
    this.#segments = segments;
    this.wanted = wanted;
    this.countTo = Math.max(COUNTED, wanted) + 1;
  }

  /** True when enough are counted: more would change neither the answer nor its total. */
  get complete(): boolean {
    return this.total >= this.countTo;
  }

  /** True if a record is there already, or gone. */
  has(segment: Segment, record: number): boolean {
    return this.#seen.has(segment.first + record) || segment.gone.has(record);
  }

  /** Adds records as the next class, without those that are already there. */
  add(match: Match, parts: readonly SegmentRecords[]): void {
    if (this.complete) return;
    const missing = this.wanted - this.found.length;
    const best: number[][] = [];
    // The small segments first: the large one is not read to its end.
    for (const part of parts.toReversed()) {
      const own = this.#addPart(part, missing);
      if (own.length > 0) best.push(own.map((record) => part[0].first + record));
    }
    const inOrder = best.flat();
    if (best.length > 1) inOrder.sort((a, b) => this.#segments.compare(a, b));
    for (const record of inOrder.slice(0, missing)) this.found.push({ record, match });
  }

  /** Adds what was found otherwise, in its order. */
  addFound(found: readonly FoundRecord[]): void {
    this.found.push(...found.slice(0, this.wanted - this.found.length));
    this.total += found.length;
  }

  /** Counts the records of a part, and returns the best. */
  #addPart([segment, records, accepts]: SegmentRecords, missing: number): number[] {
    const isNew = (record: number) =>
      !this.has(segment, record) && (accepts === undefined || accepts(record));
    if ("list" in records) {
      const { list, range } = records;
      const counted = new Set<number>();
      for (let at = range.start; at < range.end && !this.complete; at++) {
        const record = list.records[at] ?? 0;
        if (!isNew(record)) continue;
        counted.add(record);
        this.#count(segment, record);
      }
      return smallestOf(list, range, missing, (record) => counted.has(record) || isNew(record));
    }
    const best: number[] = [];
    records.some((record) => {
      if (!isNew(record)) return false;
      this.#count(segment, record);
      if (best.length < missing) best.push(record);
      return this.complete && best.length >= missing;
    });
    return best;
  }

  #count(segment: Segment, record: number): void {
    this.#seen.add(segment.first + record);
    this.total++;
  }
}
