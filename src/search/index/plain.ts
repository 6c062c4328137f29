import type { Match, Matches, SegmentRecords, Test } from "./matches.ts";
import { EMPTY, NumberSet, type Range, type RankedRange, type SortedNumbers } from "./numbers.ts";
import type { Role } from "./query.ts";
import type { Segment } from "./segment.ts";
import type { Segments } from "./segments.ts";
import { FEW, type WordSet } from "./word-sets.ts";

/** One or two letters, which nearly every word contains. Han characters, Korean syllables and digits are words of their own. */
const SHORT =
  /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hiragana}\p{Script=Katakana}ㄱ-ㅎ]{1,2}$/u;

/** At this many matches, worse kinds of matches are not tried. */
const ENOUGH = 100;

/** How many words that may be in a name are also looked for as values. */
const MOST_VALUES = 4;

/**
 * Names as typed. All words must be in one name, and the worst match among them decides the class. Among beginnings,
 * names with all of them as whole words come first.
 */
export class PlainSearch {
  readonly #words: readonly string[];
  readonly #searches: readonly SegmentSearch[];
  readonly #matches: Matches;
  readonly #as: Match | undefined;

  /** `as`: what all matches are called, unless by their classes. `values`: what the records have to be. */
  constructor(
    segments: Segments,
    words: readonly string[],
    matches: Matches,
    { as, values = [] }: { as?: Match; values?: readonly Role[] } = {},
  ) {
    this.#words = words;
    // Words that begin another one match whenever the longer word does, at least as well.
    const needed = words.map((word, n) =>
      words.every((other, at) => (other === word ? at >= n : !other.startsWith(word))),
    );
    this.#searches = segments.all.map((segment, n) => {
      const tests = values.map(({ holds }) => holds[n] ?? (() => false));
      return new SegmentSearch(segment, words, needed, { matches, tests });
    });
    this.#matches = matches;
    this.#as = as;
  }

  /**
   * Finds whole names, and their beginnings. A prefix has to continue the whole text: `mirage m` finds Mirage Morgaine
   * before Mirage Red, though both begin with each word.
   */
  findBeginnings(): void {
    this.#add("exact", (search) => search.exact());
    this.#add("prefix", (search) => search.prefix("whole"));
    this.#add("prefix", (search) => search.prefix("begun"));
  }

  findNames(): void {
    this.findBeginnings();
    this.findWords();
  }

  /** Finds the beginnings of words in any order. */
  findWords(): void {
    this.#add("word", (search) => search.words("whole"));
    this.#add("word", (search) => search.words("begun"));
  }

  /**
   * Finds more if fewer than 100 records match: other forms of the words, then records with a typed value such as a
   * category, then letters inside words. Searches one or two letters inside words only if they are the whole query and
   * begin no word.
   */
  findInside(): void {
    if (this.#matches.total < ENOUGH) {
      const isHalf = this.#words.map((_, n) => {
        const words = this.#searches.flatMap((search) => search.typed[n] ?? []);
        return words.every(({ whole }) => whole < 0) && words.some(isBegun);
      });
      this.#add("form", (search) => search.forms(isHalf));
    }
    if (this.#matches.total < ENOUGH) this.#findValues();
    if (this.#matches.total < ENOUGH) this.#add("substring", (search) => search.substrings());
  }

  /** What all records are, such as what their kind is called, finds none. */
  #findValues(): void {
    const inAnyForm = this.#matches.total === 0;
    const found = this.#searches.flatMap(({ segment }) => {
      const sets = segment.values.setsWith(this.#words, inAnyForm);
      return sets ? [{ segment, sets }] : [];
    });
    const areOfAll = found.every(({ segment, sets }) => segment.values.areOfAll(sets, segment.gone));
    if (found.length === this.#searches.length && areOfAll) return;
    this.#matches.add(
      this.#as ?? "word",
      found.map(({ segment, sets }) => [segment, segment.values.recordsOf(sets)]),
    );
  }

  #add(match: Match, recordsOf: (search: SegmentSearch) => Records | undefined): void {
    if (this.#matches.complete) return;
    const parts: SegmentRecords[] = [];
    for (const search of this.#searches) {
      const records = recordsOf(search);
      if (records) parts.push([search.segment, records, search.accepts]);
    }
    if (parts.length > 0) this.#matches.add(this.#as ?? match, parts);
  }
}

/**
 * Finds names that have the typed words but for those that say what a record is, as few of these as possible. Leaves out
 * stop words that no name has, and all of them if nothing has the others.
 */
export function findBeside(segments: Segments, roles: readonly Role[], matches: Matches): void {
  const telling = roles.filter(({ isStopWord }) => !isStopWord);
  const isInNames = ({ text }: Role) => segments.hasBeginning(text);
  const values = telling.filter(({ isNeeded }) => !isNeeded);
  const either = values.filter(isInNames).slice(0, MOST_VALUES);
  const absent = values.filter((role) => !isInNames(role));
  const known = roles.filter(({ isStopWord, text }) => !isStopWord || segments.hasWord(text));
  for (const kept of known.length > telling.length ? [known, telling] : [telling]) {
    if (!kept.every((role) => absent.includes(role) || isInNames(role))) continue;
    for (let count = 0; count <= either.length && matches.total === 0; count++) {
      const searches = choose(either, count).flatMap((chosen) => {
        const left = [...absent, ...chosen];
        const words = kept.filter((role) => !left.includes(role));
        const isSearched = words.length < roles.length && words.some(({ isStopWord }) => !isStopWord);
        const texts = words.map(({ text }) => text);
        return isSearched ? [new PlainSearch(segments, texts, matches, { values: left })] : [];
      });
      for (const search of searches) search.findBeginnings();
      for (const search of searches) search.findWords();
    }
  }
}

/** All ways to choose so many of them. */
function choose<Value>([first, ...others]: readonly Value[], count: number): Value[][] {
  if (count === 0) return [[]];
  if (first === undefined) return [];
  return [...choose(others, count - 1).map((chosen) => [first, ...chosen]), ...choose(others, count)];
}

type Records = SortedNumbers | RankedRange;

/** Whether a typed word is all of a name's word or begins one. */
type Extent = "whole" | "begun";

/** A typed word in a segment. */
interface TypedWord {
  readonly text: string;
  /** The words that begin with it. */
  readonly range: Range;
  /** The word itself, or -1 if no name has it. */
  readonly whole: number;
}

/** The search of one segment, whose steps are called in the order of the classes. */
class SegmentSearch {
  readonly segment: Segment;
  readonly typed: readonly TypedWord[];
  /** True if each typed word begins a word of the segment. */
  readonly isBegun: boolean;
  /** Whether a record is what it has to be; undefined without such a condition. */
  readonly accepts: Test | undefined;
  readonly #isNeeded: readonly boolean[];
  readonly #matches: Matches;
  #begun: readonly WordSet[] | undefined;
  /** What one pass over the records with several words has found. */
  #passed: { begun: number[]; inside: number[] | undefined } | undefined;

  constructor(
    segment: Segment,
    typed: readonly string[],
    isNeeded: readonly boolean[],
    { matches, tests }: { matches: Matches; tests: readonly Test[] },
  ) {
    const { words } = segment;
    this.segment = segment;
    this.typed = typed.map((text) => {
      const range = words.beginningWith(text);
      return { text, range, whole: words.wholeIn(range, text) };
    });
    this.isBegun = this.typed.every(isBegun);
    this.accepts = tests.length > 0 ? (record) => tests.every((test) => test(record)) : undefined;
    this.#isNeeded = isNeeded;
    this.#matches = matches;
  }

  exact(): Records | undefined {
    const { names } = this.segment;
    const wholes = this.typed.map(({ whole }) => whole);
    return wholes.includes(-1) ? undefined : { list: names.sortedRecords, range: names.equalTo(wholes) };
  }

  prefix(extent: Extent): Records | undefined {
    const { names } = this.segment;
    const before = this.typed.slice(0, -1).map(({ whole }) => whole);
    const next = rangeOf(this.typed.at(-1), extent);
    if (before.includes(-1) || next.start === next.end) return undefined;
    return { list: names.sortedRecords, range: names.beginningWith(before, next) };
  }

  words(extent: Extent): Records | undefined {
    if (!this.isBegun) return undefined;
    if (this.typed.length > 1) return extent === "whole" ? this.#wholeWords() : this.#pass().begun;
    const range = rangeOf(this.typed[0], extent);
    return { list: this.segment.postings, range: this.segment.recordRange(range) };
  }

  forms(isHalf: readonly boolean[]): Records | undefined {
    let hasForms = false;
    const sets: WordSet[] = [];
    for (const [n, { text, range }] of this.typed.entries()) {
      if (!this.#isNeeded[n]) continue;
      const forms = this.segment.formsOf(text, range, isHalf[n] === true);
      const set = forms ?? this.segment.wordSet(range);
      if (isEmpty(set)) return undefined;
      hasForms ||= forms !== undefined;
      sets.push(set);
    }
    return hasForms ? this.#withAll(sets) : undefined;
  }

  substrings(): Records | undefined {
    if (this.#passed?.inside) return this.#passed.inside;
    const words = this.#needed;
    const isSearched = !words.some(isShort) || (words.length === 1 && this.#matches.total === 0);
    const sets = isSearched ? this.#containing() : undefined;
    return sets && this.#withAll(sets);
  }

  get #needed(): readonly TypedWord[] {
    return this.typed.filter((_, n) => this.#isNeeded[n]);
  }

  #wholeWords(): Records | undefined {
    if (this.typed.some(({ whole }) => whole < 0)) return undefined;
    return this.#withAll(this.typed.map((word) => this.segment.wordSet(rangeOf(word, "whole"))));
  }

  /** Several words in one pass: intersecting large sets costs more than telling the class of a record. */
  #pass(): { begun: number[]; inside: number[] | undefined } {
    this.#passed ??= this.#readRecords();
    return this.#passed;
  }

  #readRecords(): { begun: number[]; inside: number[] | undefined } {
    const begun: number[] = [];
    const isBegunOnly = this.#needed.length === 1 || this.#needed.some(isShort);
    const sets = isBegunOnly ? this.#beginning : this.#containing();
    const inside: number[] | undefined = isBegunOnly ? undefined : [];
    if (!sets || sets.some(isEmpty)) return { begun, inside };
    const { names } = this.segment;
    const { countTo } = this.#matches;
    candidatesFor(sets).some((record) => {
      if (this.#matches.has(this.segment, record) || this.accepts?.(record) === false) return false;
      if (names.hasAll(record, this.#beginning)) begun.push(record);
      else if (inside && inside.length < countTo && names.hasAll(record, sets)) inside.push(record);
      return begun.length >= countTo;
    });
    return { begun, inside };
  }

  get #beginning(): readonly WordSet[] {
    this.#begun ??= this.#needed.map(({ range }) => this.segment.wordSet(range));
    return this.#begun;
  }

  /** The records for each typed word's letters; undefined if no word contains those of one. */
  #containing(): WordSet[] | undefined {
    const sets: WordSet[] = [];
    for (const { text } of this.#needed) {
      const set = this.segment.containing(text);
      if (isEmpty(set)) return undefined;
      sets.push(set);
    }
    return sets;
  }

  /** The records with a name that has a word of each set. */
  #withAll(sets: readonly WordSet[]): Records {
    const candidates = candidatesFor(sets);
    if (sets.length === 1) return candidates;
    return {
      some: (visit) => candidates.some((record) => this.segment.names.hasAll(record, sets) && visit(record)),
    };
  }
}

function isEmpty({ count }: WordSet): boolean {
  return count === 0;
}

function isShort({ text }: TypedWord): boolean {
  return SHORT.test(text);
}

function isBegun({ range }: TypedWord): boolean {
  return range.start < range.end;
}

function rangeOf(word: TypedWord | undefined, extent: Extent): Range {
  if (!word || extent === "begun") return word?.range ?? EMPTY;
  return word.whole < 0 ? EMPTY : { start: word.whole, end: word.whole + 1 };
}

/** The records in all sets, even if by different names. */
function candidatesFor(sets: readonly WordSet[]): SortedNumbers {
  const fewest = sets.reduce((a, b) => (b.count < a.count ? b : a));
  return fewest.count <= FEW ? fewest : NumberSet.inAll(sets.map((set) => set.bits()));
}
