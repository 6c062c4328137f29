import type { Match } from "../answers.ts";
import { otherLayouts } from "../layout.ts";
import { withPlainDigits } from "../letters.ts";
import { normaliseName } from "../normalise.ts";
import { withoutSoftSigns } from "../transliterate.ts";
import { isOrdinaryTyped, soundOfTyped } from "../typed-word.ts";
import { isStopWord } from "../word-forms.ts";
import type { Errors } from "./edit-distance.ts";
import type { Segment } from "./segment.ts";
import type { Segments } from "./segments.ts";

/** What stands between two spaces of a query, with its punctuation. */
interface Part {
  /** Normalised. */
  readonly name: string;
  readonly letters: number;
  /** The same keys on other layouts, normalised. Punctuation at its ends may be letters there. */
  readonly onOtherLayouts: readonly string[];
}

/** What somebody typed. It is read once, for all kinds of records and all classes of matches. */
export class Query {
  static of(typed: string | Query): Query {
    return typeof typed === "string" ? new Query(typed) : typed;
  }

  readonly text: string;
  /** The normalised text. */
  readonly name: string;
  readonly words: readonly string[];
  /**
   * The ids that it may be: as typed, in lower or upper case, and with full-width characters and the digits of other
   * scripts as plain ones.
   */
  readonly ids: ReadonlySet<string>;
  #onOtherLayouts: readonly string[] | undefined;
  #parts: readonly Part[] | undefined;
  #spellings: readonly string[] | undefined;

  constructor(typed: string) {
    this.text = typed.trim();
    this.name = normaliseName(this.text);
    this.words = this.name.split(" ");
    const plain = withPlainDigits(this.text.normalize("NFKC"));
    this.ids = new Set([this.text, plain].flatMap((id) => [id, id.toLowerCase(), id.toUpperCase()]));
  }

  /** The same keys on other keyboard layouts, normalised, likeliest first. */
  get onOtherLayouts(): readonly string[] {
    this.#onOtherLayouts ??= otherLayouts(this.text).map(normaliseName);
    return this.#onOtherLayouts;
  }

  get parts(): readonly Part[] {
    this.#parts ??= this.text.split(/\s+/).map(readPart);
    return this.#parts;
  }

  get letters(): number {
    return lettersOf(this.text);
  }

  /** The name, and what it is if some punctuation stands for soft signs. */
  get spellings(): readonly string[] {
    this.#spellings ??= [...new Set([this.name, normaliseName(withoutSoftSigns(this.text))])];
    return this.#spellings;
  }
}

function readPart(text: string): Part {
  const open = text.replace(/[^\p{L}\p{N}]+$/u, "");
  const bare = open.replace(/^[^\p{L}\p{N}]+/u, "");
  const others = [...new Set([text, open, bare])].flatMap(otherLayouts).map(normaliseName);
  return { name: normaliseName(text), letters: lettersOf(text), onOtherLayouts: [...new Set(others)] };
}

/** How many letters and digits a text has. */
function lettersOf(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}

/** A reading on another keyboard layout costs this much, and more with an error. */
const LAYOUT_COST = 1;
export const LAYOUT_ERROR_COST = 6;
/** The shortest words on another layout to have an error, to be joined, and to be read at all. */
const LEAST_LETTERS = { error: 7, joined: 5, any: 3 };
/** A shorter word among others is seldom typed on another layout: the к of `лит к3` means k, not the r on the same key. */
const LEAST_MIXED = 3;
/** Readings of a query with some words on another layout. */
const MOST_MIXED = 16;
/** The shortest ordinary word: a shorter one easily looks like the beginning of a name with an error. */
const LEAST_ORDINARY = 5;
/** Letters of another alphabet with digits: м4, нрг-500. */
const CODE = /(?=.*\d)(?=.*\p{Script=Cyrillic})/u;

/** A way to read a query: words that a name may have, as typed or otherwise. */
export interface Reading {
  readonly name: string;
  readonly roles: readonly Role[];
  readonly cost: number;
  readonly errors: Errors;
  /** What its matches are called; without it, that depends on the words. */
  readonly match?: Match;
  /** The share of letters that are none on this layout, as their keys are punctuation. */
  readonly lost?: number;
  /** True if its words may be joined or split. */
  readonly isJoined: boolean;
}

/** The query as typed, and as it reads if some punctuation stands for soft signs. */
export function typedReadings(segments: Segments, query: Query): Reading[] {
  const names = query.spellings.filter((name) => name !== "");
  return names.map((name, n) => ({
    ...readingOf(segments, name),
    errors: mostErrors(name),
    isJoined: n === 0,
  }));
}

/** A code as it sounds in Latin letters. */
export function codeReading(segments: Segments, { name, words }: Query): Reading | undefined {
  if (!CODE.test(name)) return undefined;
  const latin = words.map((word) => soundOfTyped(word) || word);
  return { ...readingOf(segments, latin.join(" ")), match: "transliteration" };
}

/**
 * The query on other keyboard layouts, all of it or some of its words, as names may have words of two alphabets.
 * Mixed readings keep only words that begin a word of a name.
 */
export function layoutReadings(segments: Segments, query: Query): Reading[] {
  const isKnown = (name: string) => name.split(" ").every((word) => segments.hasBeginning(word));
  let mixed: string[][] = [[]];
  for (const { name, letters, onOtherLayouts } of query.parts) {
    const options = [...(letters < LEAST_MIXED ? [] : onOtherLayouts), name].filter(isKnown);
    mixed = mixed.flatMap((before) => options.map((option) => [...before, option])).slice(0, MOST_MIXED);
  }
  const mayErr = mostErrors(query.name) !== "none";
  const names = new Set([...query.onOtherLayouts, ...mixed.map((words) => words.join(" "))]);
  return [...names]
    .filter((name) => name !== query.name && name.length >= LEAST_LETTERS.any)
    .map((name) => {
      const lost = 1 - lettersOf(name) / query.letters;
      return {
        ...readingOf(segments, name),
        cost: LAYOUT_COST,
        errors: mayErr && name.length >= LEAST_LETTERS.error ? "one" : "typed",
        match: "layout",
        lost,
        isJoined: name.length >= LEAST_LETTERS.joined,
      };
    });
}

function readingOf(segments: Segments, name: string): Reading {
  return { name, roles: rolesOf(segments, name.split(" ")), cost: 0, errors: "typed", isJoined: true };
}

/** An ordinary word alone was meant as typed; beside others it may be a name's word with an error. */
function mostErrors(name: string): Errors {
  const isWord = name.length >= LEAST_ORDINARY && !name.includes(" ");
  return isWord && isOrdinaryTyped(name) ? "none" : "several";
}

/** A shorter word like `of` at the end is taken for the beginning of another one. */
const LEAST_LAST = 3;

/** A typed word and what may stand for it outside of a name. */
export class Role {
  readonly text: string;
  /** Words like `the` need not be in a name, unless they are the only ones. */
  readonly isStopWord: boolean;
  readonly #segments: readonly Segment[];
  #holds: readonly (((record: number) => boolean) | undefined)[] | undefined;

  /** `segments`: where it may say what a record is. */
  constructor(text: string, isStopWord: boolean, segments: readonly Segment[]) {
    this.text = text;
    this.isStopWord = isStopWord;
    this.#segments = segments;
  }

  /** By segment, a test for records that are what the word says, such as all of a category; undefined if none is. */
  get holds(): readonly (((record: number) => boolean) | undefined)[] {
    this.#holds ??= this.#segments.map(({ values }) => values.holding(this.text));
    return this.#holds;
  }

  /** It is neither a stop word nor what any record is. */
  get isNeeded(): boolean {
    return !this.isStopWord && this.holds.every((holds) => holds === undefined);
  }
}

/** The different typed words with their roles. A single word has to be in the name. */
function rolesOf(segments: Segments, typed: readonly string[]): Role[] {
  const isLeft = (word: string, at: number) =>
    isStopWord(word) && (at < typed.length - 1 || word.length >= LEAST_LAST);
  const isTelling = typed.some((word, at) => !isLeft(word, at));
  // If a word is typed twice, the last one counts.
  const different = typed.filter((word, at) => typed.lastIndexOf(word) === at);
  return different.map((text) => {
    const isStop = isTelling && isLeft(text, typed.lastIndexOf(text));
    return new Role(text, isStop, typed.length > 1 && !isStop ? segments.all : []);
  });
}
