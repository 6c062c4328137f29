import { normaliseName } from "../normalise.ts";
import { soundKey, withoutSoftSigns } from "../transliterate.ts";
import { findAlmost } from "./almost.ts";
import type { Catalogue } from "./catalogue.ts";
import { COST } from "./edit-distance.ts";
import { findJoined, readOnNearly } from "./joined.ts";
import type { Matches } from "./matches.ts";
import { findNearest } from "./nearest.ts";
import { findByLayout } from "./other-layout.ts";

/**
 * Beside a few matches inside words, finds names that are what was typed but for one error: `sed horse` is inside
 * Cursed Horse, and meant is Red Horse.
 */
export function findBesides(catalogue: Catalogue, name: string, matches: Matches): void {
  for (const record of findAlmost(catalogue, name, COST.extra)) {
    if (!matches.has(record)) matches.addFound([record], 1, "fuzzy");
  }
}

/** In fewer letters, words joined and an error in them as well is too much. */
const LEAST_FOR_ERROR = 6;
/** No name has more words, and each takes its time. */
const MOST_WORDS = 16;
/** Letters of another alphabet beside digits: м4, нрг-500. */
const CODE = /(?=.*\d)(?=.*\p{Script=Cyrillic})/u;

/**
 * Finds what was probably meant by a query that matches nothing as typed: the keys pressed on another keyboard layout,
 * words joined or taken apart, a code in another alphabet, and words that are nearly, or sound like, what was typed. The
 * first that answers is the answer.
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
    findJoined(catalogue, name, matches, { read: readOnNearly });
  }
}
