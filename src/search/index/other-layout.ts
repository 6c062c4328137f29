import { otherLayouts } from "../layout.ts";
import { normaliseName } from "../normalise.ts";
import type { Catalogue } from "./catalogue.ts";
import { Matches, type PlainMatch } from "./matches.ts";
import { findPlain } from "./plain.ts";

/**
 * With fewer letters too much would match by chance; inside words still more so. A short word among others is seldom
 * of another layout than they are: the к of `лит к3` means a k, not the key of the r.
 */
const LEAST_LETTERS = { word: 3, inside: 6, mixed: 3 };
/** Readings tried of one query: words typed in one layout leave a handful. */
const MOST_READINGS = 16;

/** Finds what the same keys would have found with another keyboard layout on, for all of the query or some of its words. */
export function findByLayout(catalogue: Catalogue, text: string, matches: Matches): void {
  for (const name of readingsOf(catalogue, text)) {
    for (const last of classesFor(catalogue, name, text)) {
      const found = new Matches(catalogue.marks, matches.wanted);
      findPlain(catalogue, name, found, last);
      if (found.total === 0) continue;
      const records = found.found.map(({ record }) => record);
      matches.addFound(records, found.total, "layout");
      return;
    }
  }
}

/**
 * How far to look, step by step. What breaks off within a word is a name being typed: first those that begin so. Keys
 * that give punctuation leave short words that are in many names by chance: then only those that begin so.
 */
function classesFor({ words }: Catalogue, name: string, text: string): PlainMatch[] {
  if (name.length < LEAST_LETTERS.word) return [];
  if (lettersOf(name) < lettersOf(text)) return ["prefix"];
  const last = name.length < LEAST_LETTERS.inside ? "word" : "substring";
  const complete = words.find(name.slice(name.lastIndexOf(" ") + 1)) >= 0;
  return complete ? [last] : ["prefix", last];
}

/**
 * The query as it would read, normalised: all of it by one layout, then word by word what begins a word of the
 * catalogue, for a name may hold words of two alphabets.
 */
function readingsOf(catalogue: Catalogue, text: string): string[] {
  let readings: string[][] = [[]];
  for (const word of text.split(/\s+/)) {
    const others = lettersOf(word) < LEAST_LETTERS.mixed ? [] : otherWords(word);
    const options = [...others, normaliseName(word)].filter((option) => isKnown(catalogue, option));
    readings = readings
      .flatMap((before) => options.map((option) => [...before, option]))
      .slice(0, MOST_READINGS);
  }
  const asTyped = normaliseName(text);
  const mixed = readings.map((words) => words.join(" "));
  return [...new Set([...otherLayouts(text).map(normaliseName), ...mixed])].filter(
    (name) => name !== asTyped,
  );
}

/** A word on the other layouts, where punctuation at its ends may be letters or punctuation there too. */
function otherWords(word: string): string[] {
  const open = word.replace(/[^\p{L}\p{N}]+$/u, "");
  const bare = open.replace(/^[^\p{L}\p{N}]+/u, "");
  return [...new Set([word, open, bare].flatMap(otherLayouts).map(normaliseName))];
}

function isKnown({ words }: Catalogue, name: string): boolean {
  return name.split(" ").every((word) => {
    const { start, end } = words.beginningWith(word);
    return end > start;
  });
}

function lettersOf(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}
