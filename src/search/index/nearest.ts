import type { Match } from "../answers.ts";
import { COST, type Errors, MOST_COST } from "./edit-distance.ts";
import {
  costOf,
  ERROR_IN_SOUND,
  type Expansion,
  type Expansions,
  isPart,
  isSpoken,
  isWrong,
  SOUND_COST,
} from "./expansion.ts";
import type { Matches } from "./matches.ts";
import type { Names } from "./names.ts";
import { LAYOUT_ERROR_COST, type Reading } from "./query.ts";
import { findNearRuns, findRuns } from "./runs.ts";
import type { Segment } from "./segment.ts";

/** The cost of a typed word that the name lacks: one that is a value of the record, or a stop word. */
const ABSENT_COST = { value: 2, stopWord: 1 };
/** Matches that cost more than this above the nearest are not shown. */
const SLACK = 1;
/** If more of the letters are lost, what is left is in many names by chance: only names that begin so count. */
const MOST_LOST = 0.15;
/** Names weighed at most: of a query of many short words nearly every one is likely. */
const MOST_NAMES = 2_000;
/** Scoring this many names is faster than listing others. */
const FEW_NAMES = 200;
/** From this cost on, the letters of whole names are compared too: one may be nearer than its words one by one. */
const SEVERAL_ERRORS = 2 * COST.swapped;

/** A name that may be meant. */
interface Candidate {
  /** Among the names of all segments. */
  readonly name: number;
  readonly cost: number;
  /** How much of the name is beyond what was typed. */
  readonly rest: number;
  /** 0: the name begins with all typed words in order; 1: with one of them; 2: with another word. */
  readonly place: 0 | 1 | 2;
  /** Only the beginning of some word was typed. */
  readonly part: boolean;
  readonly match: Match;
}

/** A typed word with what it may stand for in a segment. */
interface Typed {
  readonly ways: Expansion;
  readonly holds: ((record: number) => boolean) | undefined;
  readonly isStopWord: boolean;
  readonly isNeeded: boolean;
}

/**
 * Finds the nearest names that have every word of a reading in some form: as typed, by sound or with errors.
 * Words that say what the record is, and words like `the`, may be missing. If several names complete a half-typed word,
 * only those at the best place are kept.
 */
export function findNearest(expansions: Expansions, readings: readonly Reading[], matches: Matches): void {
  if (matches.total > 0) return;
  const search = new NearestSearch(expansions, matches);
  const joined = readings.filter(({ isJoined }) => isJoined);
  for (const reading of joined) {
    if (search.nearest > reading.cost) search.compareLetters(reading);
  }
  for (const reading of search.nearest === 0 ? [] : readings)
    search.weigh(reading, reading.errors === "several" ? "one" : reading.errors);
  // An error in what a word sounds like costs at least this much, as do several.
  for (const reading of search.nearest + SLACK < ERROR_IN_SOUND ? [] : readings) {
    if (reading.errors === "several") search.weigh(reading, "several");
  }
  for (const reading of joined) {
    if (reading.errors === "typed" || search.nearest < SEVERAL_ERRORS) continue;
    search.compareLetters(reading, Math.min(MOST_COST[reading.errors], search.nearest - 1));
  }
  matches.addFound(search.ranked());
}

class NearestSearch {
  /** What the nearest name costs. */
  nearest = Number.POSITIVE_INFINITY;
  readonly #expansions: Expansions;
  readonly #matches: Matches;
  /** By what `ownerOf` returns. */
  readonly #best = new Map<number, Candidate>();

  constructor(expansions: Expansions, matches: Matches) {
    this.#expansions = expansions;
    this.#matches = matches;
  }

  /** Weighs the names that may have the words of a reading. */
  weigh(reading: Reading, errors: Errors): void {
    const { segments } = this.#expansions;
    const { name, roles } = reading;
    // Words of one name support each other.
    const letters = roles.length > 1 ? name.length : undefined;
    const expanded = segments.all.map((segment) => ({ segment, typed: [] as Typed[] }));
    for (const role of roles) {
      const { text, isStopWord } = role;
      const ways = this.#expansions.of(text, { letters, errors });
      // No name has it, however the others are read.
      if (ways.every(({ set }) => set.count === 0) && role.isNeeded) return;
      for (const [n, { typed }] of expanded.entries()) {
        const own = ways[n];
        if (own) typed.push({ ways: own, isStopWord, isNeeded: role.isNeeded, holds: role.holds[n] });
      }
    }
    for (const { segment, typed } of expanded) {
      this.#visit(segment, typed, (name) => this.#weighOne(segment, name, typed, reading));
    }
  }

  /** Weighs names that have the letters of a reading, whatever their spaces are; with a budget, despite errors. */
  compareLetters({ name, cost: readingCost, match = "fuzzy" }: Reading, budget = 0): void {
    const letters = name.replaceAll(" ", "");
    for (const segment of this.#expansions.segments.all) {
      const note = (own: number, cost: number, place: Candidate["place"]) =>
        this.#note({
          name: segment.first + own,
          cost: readingCost + cost,
          rest: place === 0 ? 0 : 1,
          place,
          part: false,
          match,
        });
      if (budget > 0) findNearRuns(segment, letters, budget, note);
      else findRuns(segment, letters, note);
    }
  }

  /** The nearest names, best first. */
  ranked(): Candidate[] {
    const near = [...this.#best.values()].filter(({ cost }) => cost <= this.nearest + SLACK);
    const first = near.reduce((best, { place }) => Math.min(best, place), 2);
    return near
      .filter(({ place, part }) => place === first || !part)
      .sort(
        (a, b) =>
          a.cost - b.cost || a.place - b.place || a.rest - b.rest || this.#matches.compare(a.name, b.name),
      );
  }

  /**
   * Visits the names that may have all words once each: those with the word of the fewest, which need a second one too
   * where these are many.
   */
  #visit(segment: Segment, typed: readonly Typed[], visit: (name: number) => void): void {
    const byNames = typed.toSorted((a, b) => a.ways.set.count - b.ways.set.count);
    const needed = byNames.filter(({ isNeeded }) => isNeeded);
    const [rarest, second] = needed;
    const leading = rarest ? [rarest] : byNames.filter(({ isStopWord }) => !isStopWord);
    const others = rarest && rarest.ways.set.count > FEW_NAMES ? second?.ways.set.bits() : undefined;
    const seen = new Set<number>();
    let left = MOST_NAMES;
    for (const { ways } of leading) {
      for (const word of ways.words()) {
        if (costOf(ways.wayOf(word)) > this.nearest + SLACK) break;
        const isEnough = segment.someOf(word, (name) => {
          if (seen.has(name) || others?.has(name) === false) return false;
          seen.add(name);
          visit(name);
          return --left === 0;
        });
        if (isEnough) return;
      }
    }
  }

  /** Weighs a name that has all words. */
  #weighOne(
    segment: Segment,
    name: number,
    typed: readonly Typed[],
    { cost: readingCost, match, lost = 0 }: Reading,
  ): void {
    const { names } = segment;
    const { start, end } = names.rangeOf(name);
    let cost = readingCost;
    let [spoken, wrong, part, isCut] = [false, false, false, false];
    let [had, telling, dearest] = [0, 0, 0];
    // The name begins with all typed words in order, or with one of them.
    let [inOrder, isFirst] = [true, false];
    for (const { ways, holds, isStopWord } of typed) {
      const way = cheapestWay(names, ways, start, end);
      if (way === 0) {
        if (isStopWord) cost += ABSENT_COST.stopWord;
        else if (holds?.(names.recordOf(name))) cost += ABSENT_COST.value;
        else return;
        continue;
      }
      inOrder &&= start + had < end && ways.wayOf(names.wordAt(start + had)) > 0;
      isFirst ||= ways.wayOf(names.wordAt(start)) > 0;
      had++;
      isCut ||= part;
      if (!isStopWord) telling++;
      // Another alphabet counts once, since it is used for all words.
      cost += costOf(way) - (spoken && isSpoken(way) ? SOUND_COST : 0);
      spoken ||= isSpoken(way);
      part ||= isPart(way);
      wrong ||= isWrong(way);
      if (costOf(way) > costOf(dearest) || dearest === 0) dearest = way;
    }
    if (wrong && match === "layout") cost += LAYOUT_ERROR_COST;
    if (telling === 0 || cost > this.nearest + SLACK) return;
    const place = inOrder ? 0 : isFirst ? 1 : 2;
    if (lost > MOST_LOST && (place > 0 || isCut)) return;
    const rest = Math.min(3, Math.max(0, end - start - had)) + (part ? 1 : 0);
    const matched = match ?? matchOf({ dearest, part, place, rest });
    this.#note({ name: segment.first + name, cost, rest, place, part, match: matched });
  }

  #note(candidate: Candidate): void {
    const owner = this.#expansions.segments.ownerOf(candidate.name);
    const before = this.#best.get(owner);
    if (before && (candidate.cost - before.cost || candidate.rest - before.rest) >= 0) return;
    this.#best.set(owner, candidate);
    this.nearest = Math.min(this.nearest, candidate.cost);
  }
}

/** What a match is called: as typed but for words that are not in the name, or by what differs most. */
function matchOf({
  dearest,
  part,
  place,
  rest,
}: Pick<Candidate, "part" | "place" | "rest"> & { dearest: number }): Match {
  if (isSpoken(dearest)) return "transliteration";
  if (costOf(dearest) > 0) return "fuzzy";
  if (place > 0) return "word";
  return rest === 0 && !part ? "exact" : "prefix";
}

function cheapestWay(names: Names, ways: Expansion, start: number, end: number): number {
  let cheapest = 0;
  for (let at = start; at < end; at++) {
    const way = ways.wayOf(names.wordAt(at));
    if (way > 0 && (cheapest === 0 || way < cheapest)) cheapest = way;
  }
  return cheapest;
}
