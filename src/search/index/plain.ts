import type { Match } from "../answers.ts";
import type { Matches, SegmentNames, Test } from "./matches.ts";
import { EMPTY, NumberSet, type Range, type RankedRange, type SortedNumbers } from "./numbers.ts";
import type { Role } from "./query.ts";
import { FEW, type Segment, type WordSet } from "./segment.ts";
import type { Segments } from "./segments.ts";

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
    this.#searches = segments.all.map((segment, n) => {
      const tests = values.map(({ holds }) => holds[n] ?? (() => false));
      return new SegmentSearch(segment, words, tests);
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
    if (this.#matches.total < ENOUGH) this.#add("form", (search) => search.forms());
    if (this.#matches.total < ENOUGH) this.#findValues();
    if (this.#matches.total < ENOUGH)
      this.#add("substring", (search) => search.substrings(this.#matches.total === 0));
  }

  /** What all records are, such as what their kind is called, finds none. */
  #findValues(): void {
    const found = this.#searches.flatMap(({ segment }) => {
      const sets = segment.values.setsWith(this.#words);
      return sets ? [{ segment, sets }] : [];
    });
    const areOfAll = found.every(({ segment, sets }) => segment.values.areOfAll(sets, segment.gone));
    if (found.length === this.#searches.length && areOfAll) return;
    this.#matches.add(
      this.#as ?? "word",
      found.map(({ segment, sets }) => [segment, segment.mainNamesWith(sets)]),
    );
  }

  #add(match: Match, namesOf: (search: SegmentSearch) => FoundNames | undefined): void {
    if (this.#matches.complete) return;
    const parts: SegmentNames[] = [];
    for (const search of this.#searches) {
      const names = namesOf(search);
      if (names) parts.push([search.segment, names, search.accepts]);
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

type FoundNames = SortedNumbers | RankedRange;

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
  /** Whether a record is what it has to be; undefined without such a condition. */
  readonly accepts: Test | undefined;
  readonly #typed: readonly TypedWord[];

  constructor(segment: Segment, typed: readonly string[], tests: readonly Test[]) {
    const { words } = segment;
    this.segment = segment;
    this.accepts = tests.length > 0 ? (record) => tests.every((test) => test(record)) : undefined;
    this.#typed = typed.map((text) => {
      const range = words.beginningWith(text);
      return { text, range, whole: words.wholeIn(range, text) };
    });
  }

  exact(): FoundNames | undefined {
    const { names } = this.segment;
    const wholes = this.#typed.map(({ whole }) => whole);
    return wholes.includes(-1) ? undefined : { list: names.sorted, range: names.equalTo(wholes) };
  }

  prefix(extent: Extent): FoundNames | undefined {
    const { names } = this.segment;
    const before = this.#typed.slice(0, -1).map(({ whole }) => whole);
    const next = rangeOf(this.#typed.at(-1), extent);
    if (before.includes(-1) || isEmpty(next)) return undefined;
    return { list: names.sorted, range: names.beginningWith(before, next) };
  }

  words(extent: Extent): FoundNames | undefined {
    if (this.#typed.some((word) => isEmpty(rangeOf(word, extent)))) return undefined;
    // No word goes on, so all with these beginnings have been found.
    if (extent === "begun" && this.#typed.every(({ range, whole }) => whole === range.end - 1))
      return undefined;
    const [word, another] = this.#typed;
    if (!another) {
      return { list: this.segment.postings, range: this.segment.postingRange(rangeOf(word, extent)) };
    }
    return this.#withAll(this.#typed.map((each) => this.segment.wordSet(rangeOf(each, extent))));
  }

  forms(): FoundNames | undefined {
    return this.#withMore(({ text, range }) => this.segment.formsOf(text, range));
  }

  /** `isAlone`: nothing else was found. */
  substrings(isAlone: boolean): FoundNames | undefined {
    if (this.#typed.some(isShort) && (this.#typed.length > 1 || !isAlone)) return undefined;
    return this.#withMore(({ text }) => this.segment.containing(text));
  }

  /**
   * The names that have a word of each set. The sets have the words that begin as typed, and others;
   * undefined if they have no others, because those names have been found.
   */
  #withMore(setOf: (word: TypedWord) => WordSet): FoundNames | undefined {
    const sets: WordSet[] = [];
    let isMore = false;
    for (const word of this.#typed) {
      const set = setOf(word);
      if (set.count === 0) return undefined;
      isMore ||= set.count > this.segment.countOf(word.range);
      sets.push(set);
    }
    return isMore ? this.#withAll(sets) : undefined;
  }

  /** The names that have a word of each set. */
  #withAll(sets: readonly WordSet[]): SortedNumbers {
    const fewest = sets.reduce((a, b) => (b.count < a.count ? b : a));
    if (fewest.count > FEW) return NumberSet.inAll(sets.map((set) => set.bits()));
    return { some: (visit) => fewest.some((name) => this.segment.names.hasAll(name, sets) && visit(name)) };
  }
}

function isShort({ text }: TypedWord): boolean {
  return SHORT.test(text);
}

function isEmpty({ start, end }: Range): boolean {
  return start === end;
}

function rangeOf(word: TypedWord | undefined, extent: Extent): Range {
  if (!word || extent === "begun") return word?.range ?? EMPTY;
  return word.whole < 0 ? EMPTY : { start: word.whole, end: word.whole + 1 };
}
