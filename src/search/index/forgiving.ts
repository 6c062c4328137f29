import { normaliseName } from "../normalise.ts";
import { soundKey, withoutSoftSigns } from "../transliterate.ts";
import { findAlmost } from "./almost.ts";
import type { Catalogue } from "./catalogue.ts";
import { COST } from "./edit-distance.ts";
import { findJoined, matchLettersNearly } from "./joined.ts";
import type { Matches } from "./matches.ts";
import { findNearest } from "./nearest.ts";
import { findByLayout } from "./other-layout.ts";

/** Adds names that are one error away to a few matches inside words: `sed horse` is in Cursed Horse, but means Red Horse. */
export function addNearMatches(catalogue: Catalogue, name: string, matches: Matches): void {
  for (const record of findAlmost(catalogue, name, COST.extra)) {
    if (!matches.has(record)) matches.addFound([record], 1, "fuzzy");
  }
}

/** Shorter queries are not joined and corrected at once. */
const LEAST_FOR_ERROR = 6;
/** No name has more words, and each costs time. */
const MOST_WORDS = 16;
/** Letters of another alphabet with digits: м4, нрг-500. */
const CODE = /(?=.*\d)(?=.*\p{Script=Cyrillic})/u;

/**
 * Finds what a query without matches probably meant: typed on another keyboard layout, joined or split words, a code in
 * another alphabet, and words that are spelled nearly alike or sound alike. The first of these that matches wins.
 */
export function findForgiving(catalogue: Catalogue, text: string, name: string, matches: Matches): void {
  if (name.split(" ").length > MOST_WORDS) return;
  findByLayout(catalogue, text, matches);
  if (name === "" || matches.total > 0) return;
  findJoined(catalogue, name, matches);
  if (matches.total === 0 && CODE.test(name)) {
    const latin = name.split(" ").map((word) => soundKey(word) || word);
    findJoined(catalogue, latin.join(" "), matches, { match: "transliteration" });
  }
  if (matches.total === 0) findNearest(catalogue, [name, normaliseName(withoutSoftSigns(text))], matches);
  if (matches.total === 0 && name.length >= LEAST_FOR_ERROR) {
    findJoined(catalogue, name, matches, { read: matchLettersNearly });
  }
}
