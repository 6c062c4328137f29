import type { Match } from "../answers.ts";
import { type RankedRange, type SortedNumbers, smallestOf } from "./numbers.ts";
import type { Segment } from "./segment.ts";
import type { Segments } from "./segments.ts";

/** More matches than these are not counted, unless as many are wanted. */
const COUNTED = 100;

const NONE = () => false;

/** A record that was found, by a name. */
export interface FoundName {
  /** The best of its names that match, among the names of all segments. */
  readonly name: number;
  readonly match: Match;
  /** The typed words that a partial match does not have. */
  readonly without?: readonly string[] | undefined;
}

/** Names of one segment, best first or a range of a list, and a test that their records must pass. */
export type SegmentNames = readonly [Segment, SortedNumbers | RankedRange, Test?];

/** A test of the records or the names of a segment. */
export type Test = (number: number) => boolean;

interface MatchesOptions {
  /** How many are wanted, from the first on. */
  readonly wanted: number;
  /** Names in this language come before others that match equally well. */
  readonly language?: string | undefined;
}

/** The matches of one search, best class first: each record once, as many as wanted, and a total. */
export class Matches {
  readonly found: FoundName[] = [];
  /** How many there are; with `complete` there are more. */
  total = 0;
  /** How many are wanted, from the first on. */
  readonly wanted: number;
  /** How many are counted at most. */
  readonly countTo: number;
  readonly #segments: Segments;
  readonly #language: string | undefined;
  readonly #seen = new Set<number>();

  constructor(segments: Segments, { wanted, language }: MatchesOptions) {
    this.#segments = segments;
    this.wanted = wanted;
    this.countTo = Math.max(COUNTED, wanted) + 1;
    this.#language = language;
  }

  /** True when enough are counted: more would change neither the answer nor its total. */
  get complete(): boolean {
    return this.total >= this.countTo;
  }

  /** Adds the records of names as the next class, without those that are already there. */
  add(match: Match, parts: readonly SegmentNames[]): void {
    const language = this.#language;
    if (language !== undefined) this.#add(match, parts, (segment) => segment.names.in(language) ?? NONE);
    this.#add(match, parts, () => undefined);
  }

  /** Adds what was found otherwise, in its order. */
  addFound(found: readonly FoundName[]): void {
    this.found.push(...found.slice(0, this.wanted - this.found.length));
    this.total += found.length;
  }

  /** Sorts names among those of all segments, best first. */
  compare(a: number, b: number): number {
    const language = this.#language;
    const own = language === undefined ? 0 : this.#isIn(b, language) - this.#isIn(a, language);
    return own || this.#segments.compare(a, b);
  }

  #isIn(name: number, language: string): number {
    const segment = this.#segments.segmentOf(name);
    return Number(segment.names.in(language)?.(name - segment.first) ?? false);
  }

  #add(match: Match, parts: readonly SegmentNames[], ownTest: (segment: Segment) => Test | undefined): void {
    if (this.complete) return;
    const missing = this.wanted - this.found.length;
    const best: number[][] = [];
    // The small segments first: the large one is not read to its end.
    for (const [segment, names, accepts] of parts.toReversed()) {
      const isOwn = ownTest(segment);
      const isWanted = (name: number) =>
        (isOwn === undefined || isOwn(name)) &&
        !segment.isGone(name) &&
        (accepts === undefined || accepts(segment.names.recordOf(name)));
      const own = this.#addPart(segment, names, { missing, isWanted });
      if (own.length > 0) best.push(own.map((name) => segment.first + name));
    }
    const inOrder = best.flat();
    if (best.length > 1) inOrder.sort((a, b) => this.#segments.compare(a, b));
    for (const name of inOrder.slice(0, missing)) this.found.push({ name, match });
  }

  /** Counts the records of a part, and returns the best of their names. */
  #addPart(
    segment: Segment,
    names: SortedNumbers | RankedRange,
    { missing, isWanted }: { missing: number; isWanted: Test },
  ): number[] {
    const recordOf = (name: number) => segment.names.recordOf(name);
    const isNew = (name: number) => !this.#seen.has(segment.first + recordOf(name)) && isWanted(name);
    if ("list" in names) {
      const { list, range } = names;
      const counted = new Set<number>();
      for (let at = range.start; at < range.end && !this.complete; at++) {
        const name = list.names[at] ?? 0;
        if (!isNew(name)) continue;
        counted.add(recordOf(name));
        this.#count(segment, name);
      }
      const accept = (name: number) => (counted.has(recordOf(name)) ? isWanted(name) : isNew(name));
      return smallestOf(list, range, { count: missing, accept, recordOf });
    }
    const best: number[] = [];
    names.some((name) => {
      if (!isNew(name)) return false;
      this.#count(segment, name);
      if (best.length < missing) best.push(name);
      return this.complete && best.length >= missing;
    });
    return best;
  }

  /** A segment has at least as many names as records, so this number is its record's own. */
  #count(segment: Segment, name: number): void {
    this.#seen.add(segment.first + segment.names.recordOf(name));
    this.total++;
  }
}
