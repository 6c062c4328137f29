import { findAlmost } from "./almost.ts";
import { type Alternative, Alternatives, ERROR_IN_SOUND, type Errors, SOUND_COST } from "./alternatives.ts";
import { visitRecords, visitRecordsWithOneError } from "./candidates.ts";
import type { Catalogue } from "./catalogue.ts";
import { COST } from "./edit-distance.ts";
import type { Matches } from "./matches.ts";
import type { Names } from "./names.ts";
import { NumberSet } from "./number-set.ts";

/** Matches that cost more than this above the nearest are not shown. */
const SLACK = 1;
/** More words than these, or than half of them, are not misspelt in a name that is meant. */
const MOST_MISSPELT = 2;
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
  readonly via: Alternative["via"];
}

/**
 * Finds the nearest names that have every word of the query in some form; `names` are the readings of the query. If
 * several names complete a half-typed word, it keeps only those with the best rank. At most one word of a name has an
 * error unless `most` is several; words may also be spelled by sound in another alphabet.
 */
export function findNearest(
  catalogue: Catalogue,
  names: readonly string[],
  matches: Matches,
  most: Errors,
): void {
  const candidates = wordByWord(catalogue, names, most);
  const nearest = leastCost(candidates);
  if (nearest >= SEVERAL_ERRORS && most === "several") {
    const almost = findAlmost(catalogue, names[0] ?? "", nearest - 1);
    for (const record of almost) matches.addFound([record], 1, "fuzzy");
    if (almost.length > 0) return;
  }
  const near = candidates.filter(({ cost }) => cost <= nearest + SLACK);
  const first = near.reduce((least, { place }) => Math.min(least, place), 2);
  const shown = near.filter(({ place, part }) => place === first || !part);
  shown.sort((a, b) => byNearness(a, b) || catalogue.rankOf(a.record) - catalogue.rankOf(b.record));
  for (const { record, via } of shown.slice(0, matches.wanted)) matches.addFound([record], 0, via);
  matches.total += shown.length;
}

/** The cheapest candidate of each record over all readings. */
function wordByWord(catalogue: Catalogue, names: readonly string[], most: Errors): Candidate[] {
  const readings = (errors: Errors) =>
    names.map((name) => alternativesFor(catalogue, name, errors)).filter(isReadable);
  if (most === "none") return weighEach(catalogue, readings("none"), visitRecords);
  // All candidates that cost less than what is left out here.
  const nearly = weighEach(catalogue, readings("one"), visitRecordsWithOneError);
  const nearest = leastCost(nearly);
  const isEnough = most === "one" || nearest + SLACK < ERROR_IN_SOUND;
  return isEnough ? nearly : weighEach(catalogue, readings("several"), visitRecords);
}

/** Whether enough of the typed words are words of names as typed, or as they sound. */
function isReadable(words: readonly Alternatives[]): boolean {
  const misspelt = words.filter(({ known }) => known.records === 0).length;
  return misspelt <= Math.max(MOST_MISSPELT, words.length / 2);
}

function alternativesFor(catalogue: Catalogue, name: string, errors: Errors): Alternatives[] {
  const typed = [...new Set(name.split(" "))];
  const letters = typed.length > 1 ? name.length : undefined;
  return typed.map((word) => new Alternatives(catalogue, word, { letters, errors }));
}

/** The cheapest candidate of each record that is near enough. */
function weighEach(
  catalogue: Catalogue,
  readings: readonly Alternatives[][],
  visitEach: typeof visitRecords,
): Candidate[] {
  const best = new Map<number, Candidate>();
  let nearest = Number.POSITIVE_INFINITY;
  const isTooMuch = (cost: number) => cost > nearest + SLACK;
  for (const alternatives of readings) {
    const seen = new NumberSet(catalogue.limit);
    const visit = (record: number) => {
      if (catalogue.isOver()) return true;
      if (seen.has(record)) return false;
      seen.add(record);
      const candidate = weigh(catalogue, record, alternatives, isTooMuch);
      if (!candidate || candidate.cost >= (best.get(record)?.cost ?? Number.POSITIVE_INFINITY)) return false;
      best.set(record, candidate);
      nearest = Math.min(nearest, candidate.cost);
      return false;
    };
    visitEach(catalogue, alternatives, { visit, isTooMuch });
  }
  return [...best.values()];
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
  typed: readonly Alternatives[],
  isTooMuch: (cost: number) => boolean,
): Candidate | undefined {
  let best: Candidate | undefined;
  names.someName(record, (start, end) => {
    let cost = 0;
    let part = false;
    let isSpoken = false;
    let dearest: Alternative | undefined;
    for (const words of typed) {
      const answer = cheapestAnswer(names, words, start, end);
      if (!answer) return false;
      // Another alphabet counts once, since it is used for all words.
      cost += isSpoken && answer.via === "transliteration" ? answer.cost - SOUND_COST : answer.cost;
      isSpoken ||= answer.via === "transliteration";
      part ||= !answer.whole;
      if (!dearest || answer.cost > dearest.cost) dearest = answer;
    }
    if (isTooMuch(cost)) return false;
    const rest = Math.min(3, end - start - typed.length) + (part ? 1 : 0);
    if (best && (cost > best.cost || (cost === best.cost && rest >= best.rest))) return false;
    const place = placeOf(names, typed, start, end);
    best = { record, cost, rest, place, part, via: dearest?.via ?? "fuzzy" };
    return false;
  });
  return best;
}

function placeOf(names: Names, typed: readonly Alternatives[], start: number, end: number): 0 | 1 | 2 {
  const inOrder = typed.every((words, n) => start + n < end && words.answerOf(names.wordAt(start + n)));
  if (inOrder) return 0;
  return typed.some((words) => words.answerOf(names.wordAt(start))) ? 1 : 2;
}

function cheapestAnswer(
  names: Names,
  words: Alternatives,
  start: number,
  end: number,
): Alternative | undefined {
  let cheapest: Alternative | undefined;
  for (let at = start; at < end; at++) {
    const answer = words.answerOf(names.wordAt(at));
    if (answer && (!cheapest || answer.cost < cheapest.cost)) cheapest = answer;
  }
  return cheapest;
}
