import { findAlmost } from "./almost.ts";
import type { Catalogue } from "./catalogue.ts";
import { COST } from "./edit-distance.ts";
import {
  costOf,
  ERROR_IN_SOUND,
  type Errors,
  type Expansion,
  type Expansions,
  isPart,
  isSpoken,
  isWrong,
  SOUND_COST,
} from "./expansion.ts";
import type { ForgivingMatch, Matches } from "./matches.ts";
import type { Names } from "./names.ts";
import { NumberSet } from "./number-set.ts";

/** Matches that cost more than this above the nearest are not shown. */
const SLACK = 1;
/** More words than these, or than half of them, are not misspelt in a name that is meant. */
const MOST_MISSPELT = 2;
/** Records read of a single typed word: more can neither be shown nor change the order. */
const RECORDS_A_WORD = 1050;
/** Records weighed at most: of a query of many short words nearly every one is likely. */
const MOST_RECORDS = 4_000;
/** Scoring this many records is faster than listing others. */
const FEW_RECORDS = 200;
/** From this cost on, the whole name is compared too: it may be nearer than its words one by one. */
const SEVERAL_ERRORS = 2 * COST.swapped;

interface Candidate {
  readonly record: number;
  readonly cost: number;
  /** How much of the name is beyond what was typed. */
  readonly rest: number;
  /** 0: the name begins with all typed words in order; 1: with one of them; 2: with another word. */
  readonly place: 0 | 1 | 2;
  /** Only the beginning of some word was typed. */
  readonly part: boolean;
  readonly via: "fuzzy" | "transliteration";
}

/**
 * Finds the nearest names that have every word of the query in some form; `names` are the readings of the query. If
 * several names complete a half-typed word, it keeps only those with the best rank. At most one word of a name has an
 * error unless `most` is several; words may also be spelled by sound in another alphabet.
 */
export function findNearest(
  expansions: Expansions,
  names: readonly string[],
  matches: Matches,
  most: Errors,
  match?: ForgivingMatch,
): void {
  const { catalogue } = expansions;
  const candidates = wordByWord(expansions, names, most);
  const nearest = leastCost(candidates);
  if (nearest >= SEVERAL_ERRORS && most === "several") {
    const almost = findAlmost(catalogue, names[0] ?? "", nearest - 1);
    for (const record of almost) matches.addFound([record], 1, match ?? "fuzzy");
    if (almost.length > 0) return;
  }
  const near = candidates.filter(({ cost }) => cost <= nearest + SLACK);
  const first = near.reduce((least, { place }) => Math.min(least, place), 2);
  const shown = near.filter(({ place, part }) => place === first || !part);
  shown.sort((a, b) => byNearness(a, b) || catalogue.rankOf(a.record) - catalogue.rankOf(b.record));
  for (const { record, via } of shown.slice(0, matches.wanted)) matches.addFound([record], 0, match ?? via);
  matches.total += shown.length;
}

/** The cheapest candidate of each record over all readings that is near enough. */
function wordByWord(expansions: Expansions, names: readonly string[], most: Errors): Candidate[] {
  if (most !== "several") return weighEach(expansions, names, most);
  // All candidates that cost less than what is left out here.
  const nearly = weighEach(expansions, names, "one");
  return leastCost(nearly) + SLACK < ERROR_IN_SOUND ? nearly : weighEach(expansions, names, "several");
}

function weighEach(expansions: Expansions, names: readonly string[], errors: Errors): Candidate[] {
  const { catalogue } = expansions;
  const best = new Map<number, Candidate>();
  let nearest = Number.POSITIVE_INFINITY;
  for (const name of names) {
    const typed = expandEach(expansions, name, errors);
    if (!isReadable(typed)) continue;
    const isTooMuch = (cost: number) => cost > nearest + SLACK;
    visitRecords(catalogue, typed, isTooMuch, (record) => {
      const candidate = weigh(catalogue, record, typed, { isTooMuch, errors });
      if (!candidate || candidate.cost >= (best.get(record)?.cost ?? Number.POSITIVE_INFINITY)) return;
      best.set(record, candidate);
      nearest = Math.min(nearest, candidate.cost);
    });
  }
  return [...best.values()];
}

/** Whether enough of the typed words are words of names as typed, or as they sound. */
function isReadable(words: readonly Expansion[]): boolean {
  const misspelt = words.filter(({ known }) => known === 0).length;
  return misspelt <= Math.max(MOST_MISSPELT, words.length / 2);
}

function expandEach(expansions: Expansions, name: string, errors: Errors): Expansion[] {
  const typed = [...new Set(name.split(" "))];
  const letters = typed.length > 1 ? name.length : undefined;
  return typed.map((word) => expansions.of(word, { letters, errors }));
}

/**
 * Visits the records that may have all words once each: those of the word with the fewest, which others must have too
 * where these are many.
 */
function visitRecords(
  { postings, limit }: Catalogue,
  typed: readonly Expansion[],
  isTooMuch: (cost: number) => boolean,
  visit: (record: number) => void,
): void {
  const [leading, second] = typed.toSorted((a, b) => a.records - b.records);
  if (!leading) return;
  const most = second ? Number.POSITIVE_INFINITY : RECORDS_A_WORD;
  const others = leading.records > FEW_RECORDS ? second?.allRecords() : undefined;
  const seen = new NumberSet(limit);
  let left = MOST_RECORDS;
  for (const word of leading.words()) {
    if (isTooMuch(costOf(leading.wayOf(word)))) return;
    const isEnough = postings.someOf(
      word,
      (record) => {
        if (seen.has(record) || others?.has(record) === false) return false;
        seen.add(record);
        visit(record);
        return --left === 0;
      },
      most,
    );
    if (isEnough) return;
  }
}

function leastCost(candidates: readonly Candidate[]): number {
  return candidates.reduce((least, { cost }) => Math.min(least, cost), Number.POSITIVE_INFINITY);
}

function byNearness(a: Candidate, b: Candidate): number {
  return a.cost - b.cost || a.place - b.place || a.rest - b.rest;
}

/** The nearest name of a record that has all words; undefined if none has, or only at too much cost. */
function weigh(
  { names }: Catalogue,
  record: number,
  typed: readonly Expansion[],
  { isTooMuch, errors }: { isTooMuch: (cost: number) => boolean; errors: Errors },
): Candidate | undefined {
  let best: Candidate | undefined;
  names.someName(record, (start, end) => {
    let cost = 0;
    let part = false;
    let spoken = false;
    let wrong = 0;
    let dearest = 0;
    for (const words of typed) {
      const way = cheapestWay(names, words, start, end);
      if (way === 0) return false;
      // Another alphabet counts once, since it is used for all words.
      cost += costOf(way) - (spoken && isSpoken(way) ? SOUND_COST : 0);
      spoken ||= isSpoken(way);
      part ||= isPart(way);
      if (isWrong(way)) wrong++;
      if (costOf(way) > costOf(dearest) || dearest === 0) dearest = way;
    }
    if (isTooMuch(cost) || (wrong > 1 && errors === "one")) return false;
    const rest = Math.min(3, end - start - typed.length) + (part ? 1 : 0);
    if (best && (cost > best.cost || (cost === best.cost && rest >= best.rest))) return false;
    const place = placeOf(names, typed, start, end);
    best = { record, cost, rest, place, part, via: isSpoken(dearest) ? "transliteration" : "fuzzy" };
    return false;
  });
  return best;
}

function placeOf(names: Names, typed: readonly Expansion[], start: number, end: number): 0 | 1 | 2 {
  const inOrder = typed.every((words, n) => start + n < end && words.wayOf(names.wordAt(start + n)) > 0);
  if (inOrder) return 0;
  return typed.some((words) => words.wayOf(names.wordAt(start)) > 0) ? 1 : 2;
}

function cheapestWay(names: Names, words: Expansion, start: number, end: number): number {
  let cheapest = 0;
  for (let at = start; at < end; at++) {
    const way = words.wayOf(names.wordAt(at));
    if (way > 0 && (cheapest === 0 || way < cheapest)) cheapest = way;
  }
  return cheapest;
}
