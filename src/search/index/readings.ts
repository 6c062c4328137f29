import { isOrdinaryTyped, soundOfTyped } from "../typed-word.ts";
import type { Errors } from "./expansion.ts";
import type { ForgivingMatch } from "./matches.ts";
import { lettersOf, type Query } from "./query.ts";
import type { Segments } from "./segments.ts";

/** A reading on another keyboard layout costs this much, and more with an error. */
const LAYOUT_COST = 1;
export const LAYOUT_ERROR_COST = 6;
/** The shortest words on another layout to have an error, to be joined, and to be read at all. */
const LEAST_LETTERS = { error: 7, joined: 5, any: 3 };
/** A shorter word among others is seldom typed on another layout: the к of `лит к3` means k, not the r on the same key. */
const LEAST_MIXED = 3;
/** A word of a name is meant as typed from so many letters on; a shorter one may be one by chance. */
const LEAST_MEANT = 4;
/** Readings of a query with some words on another layout. */
const MOST_MIXED = 16;
/** The shortest ordinary word: a shorter one easily looks like the beginning of a name with an error. */
const LEAST_ORDINARY = 5;
/** The fewest known words that identify a name without the unknown one. */
const LEAST_KNOWN = 3;
/** Letters of another alphabet with digits: м4, нрг-500. */
const CODE = /(?=.*\d)(?=.*\p{Script=Cyrillic})/u;

/** A way to read a query: words that a name may have, as typed or otherwise. */
export interface Reading {
  readonly name: string;
  readonly words: readonly string[];
  readonly cost: number;
  readonly errors: Errors;
  /** What its matches are called; without it, that depends on the words. */
  readonly match?: ForgivingMatch;
  /** Only names that begin with it count: what is left when keys became punctuation is in many names by chance. */
  readonly isBeginning?: boolean;
  /** Whether its letters may be joined or taken apart. */
  readonly isJoined: boolean;
}

/** The query as typed, and as it reads if some punctuation stands for soft signs. */
export function typedReadings(segments: Segments, query: Query): Reading[] {
  return query.spellings.flatMap((name, n) => {
    const words = name.split(" ");
    return name === ""
      ? []
      : [{ name, words, cost: 0, errors: mostErrors(segments, words), isJoined: n === 0 }];
  });
}

/** A code as it sounds in Latin letters. */
export function codeReading({ name, words }: Query): Reading | undefined {
  if (!CODE.test(name)) return undefined;
  const latin = words.map((word) => soundOfTyped(word) || word);
  const code = { name: latin.join(" "), words: latin, cost: 0, isJoined: true };
  return { ...code, errors: "form", match: "transliteration" };
}

/**
 * The query on other keyboard layouts, all of it or some of its words, as names may have words of two alphabets.
 * Mixed readings keep only words that begin a word of a name.
 */
export function layoutReadings(segments: Segments, query: Query): Reading[] {
  const isKnown = (name: string) => name.split(" ").every((word) => segments.hasBeginning(word));
  let mixed: string[][] = [[]];
  for (const { name, letters, onOtherLayouts } of query.parts) {
    const isMeant = letters < LEAST_MIXED || (name.length >= LEAST_MEANT && segments.hasWord(name));
    const options = [...(isMeant ? [] : onOtherLayouts), name].filter(isKnown);
    mixed = mixed.flatMap((before) => options.map((option) => [...before, option])).slice(0, MOST_MIXED);
  }
  const names = new Set([...query.onOtherLayouts, ...mixed.map((words) => words.join(" "))]);
  return [...names]
    .filter((name) => name !== query.name && name.length >= LEAST_LETTERS.any)
    .map((name) => {
      const words = name.split(" ");
      const isBeginning = lettersOf(name) < query.letters;
      const mayErr = name.length >= LEAST_LETTERS.error && mostErrors(segments, query.words) !== "none";
      return {
        name,
        words,
        cost: LAYOUT_COST,
        errors: mayErr ? "one" : "form",
        match: "layout",
        isBeginning,
        isJoined: name.length >= LEAST_LETTERS.joined,
      };
    });
}

/**
 * The number of errors to allow. An ordinary word alone was meant as typed; beside others it may be a name's word with an
 * error. Several words that occur in names, but never together, rather mean a name and another word than several errors.
 */
export function mostErrors(segments: Segments, typed: readonly string[]): Errors {
  const [word = "", another] = typed;
  if (another === undefined) {
    return word.length >= LEAST_ORDINARY && isOrdinaryTyped(word) ? "none" : "several";
  }
  const isKnown = typed.length >= LEAST_KNOWN && typed.every((each) => segments.hasWord(each));
  return isKnown ? "one" : "several";
}
