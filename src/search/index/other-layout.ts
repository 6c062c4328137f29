import type { Catalogue } from "./catalogue.ts";
import { Matches } from "./matches.ts";
import { findPlain, type LastClass } from "./plain.ts";
import { lettersOf, type Query } from "./query.ts";

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
export function findByLayout(catalogue: Catalogue, query: Query, matches: Matches): void {
  for (const name of readingsOf(catalogue, query)) {
    for (const last of classesFor(catalogue, name, query.letters)) {
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
function classesFor({ words }: Catalogue, name: string, letters: number): LastClass[] {
  if (name.length < LEAST_LETTERS.word) return [];
  if (lettersOf(name) < letters) return ["prefix"];
  const complete = words.find(name.slice(name.lastIndexOf(" ") + 1)) >= 0;
  const classes: LastClass[] = complete ? ["word"] : ["prefix", "word"];
  return name.length < LEAST_LETTERS.inside ? classes : [...classes, "substring"];
}

/**
 * How a query may read, normalised: all of it on one other layout, then mixed word by word, as names may have words of
 * two alphabets. Mixed readings keep only words that begin a word of the catalogue.
 */
function readingsOf(catalogue: Catalogue, query: Query): string[] {
  let readings: string[][] = [[]];
  for (const { name, letters, onOtherLayouts } of query.parts) {
    const isMeant = letters < LEAST_LETTERS.mixed || isWord(catalogue, name);
    const options = [...(isMeant ? [] : onOtherLayouts), name].filter((option) => isKnown(catalogue, option));
    readings = readings
      .flatMap((before) => options.map((option) => [...before, option]))
      .slice(0, MOST_READINGS);
  }
  const mixed = readings.map((words) => words.join(" "));
  const whole = query.onOtherLayouts.filter(
    (name) => name.split(" ").length <= MOST_UNKNOWN || isKnown(catalogue, name),
  );
  return [...new Set([...whole, ...mixed])].filter((name) => name !== query.name);
}

function isKnown({ words }: Catalogue, name: string): boolean {
  return name.split(" ").every((word) => words.hasBeginning(word));
}

/** Whether a typed word is one of a name, and so long that it is not one by chance. */
function isWord({ words }: Catalogue, name: string): boolean {
  return name.length >= LEAST_LETTERS.meant && words.find(name) >= 0;
}
