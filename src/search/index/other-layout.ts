import { otherLayouts } from "../layout.ts";
import { normaliseName } from "../normalise.ts";
import type { Catalogue } from "./catalogue.ts";
import { Matches } from "./matches.ts";
import { findPlain, type LastClass } from "./plain.ts";

/**
 * Shorter words match by chance, inside other words even more so. A short word among others is seldom typed on another
 * layout: the к of `лит к3` means k, not the r on the same key.
 */
const LEAST_LETTERS = { word: 3, inside: 6, mixed: 3, meant: 4 };
/** Readings tried of one query. */
const MOST_READINGS = 16;
/** In more words than these each must be known: names are not looked into for their letters. */
const MOST_UNKNOWN = 3;

/** Finds names typed on another keyboard layout, wholly or in some words. */
export function findByLayout(catalogue: Catalogue, text: string, matches: Matches): void {
  for (const name of readingsOf(catalogue, text)) {
    for (const last of classesFor(catalogue, name, text)) {
      const found = new Matches(catalogue, matches.wanted);
      findPlain(catalogue, { asTyped: { words: name.split(" ") } }, found, last);
      if (found.total === 0) continue;
      const records = found.found.map(({ record }) => record);
      matches.addFound(records, found.total, "layout");
      return;
    }
  }
}

/**
 * Which classes to search, in order. A reading that ends within a word is a name being typed, so prefixes come first. If
 * keys became punctuation, the words left are short and in many names by chance, so only prefixes count.
 */
function classesFor({ words }: Catalogue, name: string, text: string): LastClass[] {
  if (name.length < LEAST_LETTERS.word) return [];
  if (lettersOf(name) < lettersOf(text)) return ["prefix"];
  const complete = words.find(name.slice(name.lastIndexOf(" ") + 1)) >= 0;
  const classes: LastClass[] = complete ? ["word"] : ["prefix", "word"];
  return name.length < LEAST_LETTERS.inside ? classes : [...classes, "substring"];
}

/**
 * How a query may read, normalised: all of it on one other layout, then mixed word by word, as names may have words of
 * two alphabets. Mixed readings keep only words that begin a word of the catalogue.
 */
function readingsOf(catalogue: Catalogue, text: string): string[] {
  let readings: string[][] = [[]];
  for (const word of text.split(/\s+/)) {
    const asTyped = normaliseName(word);
    const isMeant = lettersOf(word) < LEAST_LETTERS.mixed || isWord(catalogue, asTyped);
    const others = isMeant ? [] : otherWords(word);
    const options = [...others, asTyped].filter((option) => isKnown(catalogue, option));
    readings = readings
      .flatMap((before) => options.map((option) => [...before, option]))
      .slice(0, MOST_READINGS);
  }
  const asTyped = normaliseName(text);
  const mixed = readings.map((words) => words.join(" "));
  const whole = otherLayouts(text)
    .map(normaliseName)
    .filter((name) => name.split(" ").length <= MOST_UNKNOWN || isKnown(catalogue, name));
  return [...new Set([...whole, ...mixed])].filter((name) => name !== asTyped);
}

/** A word on other layouts; punctuation at its ends may be letters there. */
function otherWords(word: string): string[] {
  const open = word.replace(/[^\p{L}\p{N}]+$/u, "");
  const bare = open.replace(/^[^\p{L}\p{N}]+/u, "");
  const forms = new Set([word, open, bare]);
  return [...new Set([...forms].flatMap(otherLayouts).map(normaliseName))];
}

function isKnown({ words }: Catalogue, name: string): boolean {
  return name.split(" ").every((word) => words.hasBeginning(word));
}

/** Whether a typed word is one of a name, and so long that it is not one by chance. */
function isWord({ words }: Catalogue, name: string): boolean {
  return name.length >= LEAST_LETTERS.meant && words.find(name) >= 0;
}

function lettersOf(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}
