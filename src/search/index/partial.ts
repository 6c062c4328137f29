import { isOrdinaryTyped } from "../typed-word.ts";
import { isStopWord } from "../word-forms.ts";
import { type Expansion, type Expansions, isPart, isSpoken, isWrong, wordsByEar } from "./expansion.ts";
import type { FoundName, Matches } from "./matches.ts";
import { EMPTY, type Range } from "./numbers.ts";
import { Role } from "./query.ts";
import type { Segment, WordSet } from "./segment.ts";

/** Names looked at; those with the rarest words come first. */
const MOST_NAMES = 2_000;
/** Shorter words are in a name by chance unless all of a word was typed. */
const LEAST_BEGINNING = 3;
/** A shorter name is among other words by chance. */
const LEAST_WHOLE = 4;
/** Shorter words sound like others by chance. */
const LEAST_HEARD = 5;

interface Word {
  readonly text: string;
  /** How much the word identifies a record. */
  readonly weight: number;
  /** By segment, the words of names that it stands for, and a test for records that are what it says. */
  readonly sets: readonly WordSet[];
  readonly holds: Role["holds"];
}

/**
 * Where no record has all words: finds those that have the words that tell most, and one in a name. They have to be at
 * least half of the words, or all of a name. Stop words do not count. A word may have an error, unless it is an ordinary
 * word: "hummer" is no hammer.
 */
export function findPartial(expansions: Expansions, all: readonly string[], matches: Matches): void {
  const { segments } = expansions;
  const typed = [...new Set(all)].filter((word) => !isStopWord(word));
  if (all.length < 2 || typed.length === 0) return;
  const words = typed.map((word) => wordOf(expansions, word)).sort(byWeight);
  const best = new Map<number, FoundName>();
  const seen = new Set<number>();
  let most = 0;
  let left = words.reduce((sum, { weight }) => sum + weight, 0);
  for (const { sets, weight } of words) {
    // A name that has none of the words before has less than the best.
    if (left < most) break;
    for (const [n, segment] of segments.all.entries()) {
      sets[n]?.some((own) => {
        const name = segment.first + own;
        if (seen.size >= MOST_NAMES) return true;
        if (seen.has(name) || segment.isGone(own)) return false;
        seen.add(name);
        const had = wordsOf(words, n, segment, own);
        const weight = had.reduce((sum, word) => sum + word.weight, 0);
        if (had.length === 0 || weight < most) return false;
        if (weight > most) best.clear();
        most = weight;
        const without = words.filter((word) => !had.includes(word)).map(({ text }) => text);
        const owner = segments.ownerOf(name);
        const other = best.get(owner);
        if (!other || matches.compare(name, other.name) < 0)
          best.set(owner, { name, match: "partial", without });
        return false;
      });
    }
    left -= weight;
  }
  matches.addFound([...best.values()].sort((a, b) => matches.compare(a.name, b.name)));
}

/** The words that a name has, with those that its record is; none if these are less than half. */
function wordsOf(words: readonly Word[], n: number, segment: Segment, name: number): readonly Word[] {
  const { names } = segment;
  const range = names.rangeOf(name);
  const wordsIn = (within: Range) => words.filter(({ sets }) => sets[n] && names.hasOne(sets[n], within));
  const inName = wordsIn(range);
  const record = names.recordOf(name);
  const had = words.filter((word) => inName.includes(word) || word.holds[n]?.(record));
  if (2 * had.length >= words.length) return had;
  // Each word of the name is typed, and more than a few letters: other words may be beside it.
  const isLong = inName.reduce((sum, { text }) => sum + text.length, 0) >= LEAST_WHOLE;
  for (let at = range.start; isLong && at < range.end; at++) {
    if (wordsIn({ start: at, end: at + 1 }).length === 0) return [];
  }
  return isLong ? had : [];
}

function wordOf(expansions: Expansions, text: string): Word {
  const { segments } = expansions;
  const sets = wordsLike(expansions, text);
  const records = sets.reduce((sum, { count }) => sum + count, 0);
  // One that nothing has tells most.
  const weight = Math.log(1 + segments.size / (1 + records));
  return { text, weight, sets, holds: new Role(text, false, segments.all).holds };
}

/** The words that begin with a typed one, and its forms; where there are none, those in another alphabet. */
function wordsLike(expansions: Expansions, text: string): WordSet[] {
  const { all } = expansions.segments;
  if (text.length < LEAST_BEGINNING)
    return all.map((segment) => segment.wordSet(segment.words.rangeOf(text)));
  const begun = all.map((segment) => segment.formsOf(text, segment.words.beginningWith(text)));
  if (text.length < LEAST_HEARD || begun.some(({ count }) => count > 0)) return begun;
  const expanded = expansions.of(text, { errors: "one" });
  return all.map((segment, n) => {
    const words = wordsHeardAs(segment, text, expanded[n]);
    return segment.wordSet(EMPTY, Uint32Array.from(words).sort());
  });
}

/** The whole words that a typed word stands for with an error, or that sound like it in another alphabet. */
function wordsHeardAs(segment: Segment, text: string, expansion: Expansion | undefined): number[] {
  const byEar = wordsByEar(segment, text, "none");
  return [...(expansion?.words() ?? [])].filter((word) => {
    if (!expansion || byEar.has(word)) return true;
    const way = expansion.wayOf(word);
    if (isPart(way)) return false;
    return isWrong(way) ? !isSpoken(way) && !isOrdinaryTyped(text) : isSpoken(way);
  });
}

function byWeight(a: Word, b: Word): number {
  return b.weight - a.weight || (a.text < b.text ? -1 : 1);
}
