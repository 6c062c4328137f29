import { isOrdinaryTyped, soundOfTyped } from "../typed-word.ts";
import type { Catalogue } from "./catalogue.ts";
import { type Errors, Expansions } from "./expansion.ts";
import { areInitials } from "./initials.ts";
import { findJoined, findJoinedInitials } from "./joined.ts";
import { Matches } from "./matches.ts";
import { findNearest } from "./nearest.ts";
import { findByLayout } from "./other-layout.ts";
import { findPartial } from "./partial.ts";
import type { Query } from "./query.ts";
import type { Readings } from "./readings.ts";

/** The shortest words on another layout to be joined: shorter ones begin names by chance. */
const LEAST_FOR_LAYOUT = 5;
/** The shortest words on another layout to have an error as well. */
const LEAST_FOR_ERROR = 7;
/** The shortest ordinary word: a shorter one easily looks like the beginning of a name with an error. */
const LEAST_ORDINARY = 5;
/** The fewest known words that identify a name without the unknown one. */
const LEAST_KNOWN = 3;
/** The shortest word to be corrected: shorter ones are rather initials. */
const LEAST_FOR_CORRECTION = 4;
/** How many fuzzy hits are checked against the query's other words. */
const MOST_WEIGHED = 200;
/** The maximum number of words: hardly any name has more, and each takes time. */
const MOST_WORDS = 12;
/** Letters of another alphabet with digits: м4, нрг-500. */
const CODE = /(?=.*\d)(?=.*\p{Script=Cyrillic})/u;

/**
 * Finds what a query probably meant if no record matches it as typed. It tries all words on another keyboard layout,
 * as initials or with errors; then only the most distinctive words, and last the other layout with an error.
 */
export function findMeant(catalogue: Catalogue, query: Query, { others }: Readings, matches: Matches): void {
  const { name, words: typed } = query;
  if (typed.length > MOST_WORDS) return;
  const expansions = new Expansions(catalogue);
  findByLayout(catalogue, query, matches);
  if (matches.total === 0) findJoinedInitials(catalogue, name, matches);
  const isShort = name.length < LEAST_FOR_CORRECTION;
  if (isShort && matches.total === 0) findInitials(catalogue, query, matches);
  const most = mostErrors(catalogue, typed);
  if (matches.total === 0) findForgiving(expansions, query, matches, most);
  if (!isShort && matches.total === 0) findInitials(catalogue, query, matches);
  for (const { words, accepts } of others) {
    if (matches.total > 0) return;
    const rest = query.only(words);
    const found = new Matches(catalogue, accepts ? MOST_WEIGHED : matches.wanted);
    findByLayout(catalogue, rest, found);
    if (found.total === 0) findForgiving(expansions, rest, found, fewer(most, mostErrors(catalogue, words)));
    matches.addMatches(found, accepts);
  }
  if (matches.total === 0 && name !== "") findPartial(expansions, typed, matches);
  for (const reading of most === "none" ? [] : query.onOtherLayouts) {
    if (matches.total > 0 || reading.length < LEAST_FOR_ERROR) continue;
    findNearest(expansions, [reading], matches, "one", "layout");
  }
}

/** Finds names by the first letters of their words, `hoj` for Hand of Justice, also typed on another layout. */
function findInitials(catalogue: Catalogue, { name, onOtherLayouts }: Query, matches: Matches): void {
  for (const initials of [name, ...onOtherLayouts]) {
    if (matches.total === 0 && areInitials(initials) && !isOrdinaryTyped(initials)) {
      matches.addSorted(catalogue.withInitials(initials), "fuzzy");
    }
  }
}

/**
 * Finds names with joined or split words, also on another layout; with a code in another alphabet; or with words that are
 * spelled or sound alike. The first of these that matches wins.
 */
function findForgiving(expansions: Expansions, query: Query, matches: Matches, most: Errors): void {
  const { catalogue } = expansions;
  const { name, words } = query;
  if (name === "") return;
  findJoined(catalogue, name, matches);
  if (matches.total === 0 && CODE.test(name)) {
    const latin = words.map((word) => soundOfTyped(word) || word);
    findJoined(catalogue, latin.join(" "), matches, "transliteration");
  }
  for (const reading of query.onOtherLayouts) {
    if (matches.total === 0 && reading.length >= LEAST_FOR_LAYOUT) {
      findJoined(catalogue, reading, matches, "layout");
    }
  }
  if (matches.total === 0) findNearest(expansions, query.spellings, matches, most);
}

/**
 * The number of errors to allow. An ordinary word alone was meant as typed; beside others it may be a name's word with an
 * error. Several words that occur in names, but never together, rather mean a name and another word than several errors.
 */
function mostErrors({ words }: Catalogue, typed: readonly string[]): Errors {
  const [word = "", another] = typed;
  if (another === undefined) {
    return word.length >= LEAST_ORDINARY && isOrdinaryTyped(word) ? "none" : "several";
  }
  return typed.length >= LEAST_KNOWN && typed.every((word) => words.find(word) >= 0) ? "one" : "several";
}

const FEWEST_FIRST: readonly Errors[] = ["none", "one", "several"];

function fewer(one: Errors, other: Errors): Errors {
  return FEWEST_FIRST.find((errors) => errors === one || errors === other) ?? one;
}
