import type { Match, Matches, SegmentRecords } from "./matches.ts";
import { EMPTY, NumberSet, type Range, type RankedRange, type SortedNumbers } from "./numbers.ts";
import type { Segment } from "./segment.ts";
import type { Segments } from "./segments.ts";
import { FEW, type WordSet } from "./word-sets.ts";

/** One or two letters, which nearly every word contains. Han characters, Korean syllables and digits are words of their own. */
const SHORT =
  /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hiragana}\p{Script=Katakana}ㄱ-ㅎ]{1,2}$/u;

/** At this many matches, worse kinds of matches are not tried. */
const ENOUGH = 100;

/**
 * Names as typed. All words must be in one name, and the worst match among them decides the class. Among beginnings,
 * names with all of them as whole words come first.
 */
export class PlainSearch {
  readonly #segments: Segments;
  readonly #words: readonly string[];
  readonly #searches: readonly SegmentSearch[];
  readonly #matches: Matches;
  readonly #as: Match | undefined;

  /** `as`: what all matches are called, unless by their classes. */
  constructor(segments: Segments, words: readonly string[], matches: Matches, as?: Match) {
    this.#segments = segments;
    this.#words = words;
    this.#searches = segments.all.map((segment) => new SegmentSearch(segment, words, matches));
    this.#matches = matches;
    this.#as = as;
  }

  /**
   * Finds whole names, and their beginnings. A prefix has to continue the whole text: `mirage m` finds Mirage Morgaine
   * before Mirage Red, though both begin with each word.
   */
  findBeginnings(): void {
    if (!this.#isBegun) return;
    this.#add("exact", (search) => search.exact());
    this.#add("prefix", (search) => search.prefix("whole"));
    this.#add("prefix", (search) => search.prefix("begun"));
  }

  /** Finds the beginnings of words in any order. */
  findWords(): void {
    if (!this.#isBegun) return;
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
      const halves = new Set(this.#words.filter((word) => this.#segments.isHalf(word)));
      this.#add("form", (search) => search.forms(halves));
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
    const isOfAll = ({ segment, sets }: (typeof found)[number]) => {
      let isOther = false;
      segment.values.recordsOf(sets, false).some((record) => {
        isOther = !segment.gone.has(record);
        return isOther;
      });
      return !isOther;
    };
    if (found.length === this.#searches.length && found.every(isOfAll)) return;
    this.#matches.add(
      this.#as ?? "word",
      found.map(({ segment, sets }) => [segment, segment.values.recordsOf(sets, true)]),
    );
  }

  get #isBegun(): boolean {
    return this.#searches.some(({ isBegun }) => isBegun);
  }

  #add(match: Match, recordsOf: (search: SegmentSearch) => Records | undefined): void {
    if (this.#matches.complete) return;
    const parts: SegmentRecords[] = [];
    for (const search of this.#searches) {
      const records = recordsOf(search);
      if (records) parts.push([search.segment, records]);
    }
    if (parts.length > 0) this.#matches.add(this.#as ?? match, parts);
  }
}

type Records = SortedNumbers | RankedRange;

/** Whether a typed word is all of a name's word or begins one. */
type Extent = "whole" | "begun";

/** The search of one segment, whose steps are called in the order of the classes. */
class SegmentSearch {
  readonly segment: Segment;
  /** True if each typed word begins a word of the segment. */
  readonly isBegun: boolean;
  readonly #typed: readonly string[];
  /** The words that begin with each typed one. */
  readonly #ranges: readonly Range[];
  /** The typed words themselves, or -1 for one that no name has. */
  readonly #wholes: readonly number[];
  readonly #matches: Matches;
  #different: readonly string[] | undefined;
  #begun: readonly WordSet[] | undefined;
  /** What one pass over the records with several words has found. */
  #passed: { begun: number[]; inside: number[] | undefined } | undefined;

  constructor(segment: Segment, typed: readonly string[], matches: Matches) {
    const { words } = segment;
    this.segment = segment;
    this.#typed = typed;
    this.#ranges = typed.map((word) => words.beginningWith(word));
    this.#wholes = typed.map((word, n) => words.wholeIn(this.#ranges[n] ?? EMPTY, word));
    this.isBegun = this.#ranges.every(({ start, end }) => start < end);
    this.#matches = matches;
  }

  exact(): Records | undefined {
    const { names } = this.segment;
    if (this.#wholes.includes(-1)) return undefined;
    return { list: names.sortedRecords, range: names.equalTo(this.#wholes) };
  }

  prefix(extent: Extent): Records | undefined {
    const { names } = this.segment;
    const before = this.#wholes.slice(0, -1);
    const last = this.#wholes.at(-1) ?? -1;
    if (!this.isBegun || before.includes(-1) || (extent === "whole" && last < 0)) return undefined;
    const next = extent === "whole" ? { start: last, end: last + 1 } : (this.#ranges.at(-1) ?? EMPTY);
    return { list: names.sortedRecords, range: names.beginningWith(before, next) };
  }

  words(extent: Extent): Records | undefined {
    const [whole = -1] = this.#wholes;
    if (!this.isBegun) return undefined;
    if (this.#typed.length > 1) return extent === "whole" ? this.#wholeWords() : this.#pass().begun;
    const range = extent === "begun" ? this.#ranges[0] : { start: whole, end: whole + 1 };
    if (!range || range.start < 0) return undefined;
    return { list: this.segment.postings, range: this.segment.recordRange(range) };
  }

  forms(halves: ReadonlySet<string>): Records | undefined {
    let hasForms = false;
    const sets: WordSet[] = [];
    for (const word of this.#words) {
      const forms = this.segment.formsOf(word, halves.has(word));
      const range = this.#ranges[this.#typed.indexOf(word)];
      if (!forms && range?.start === range?.end) return undefined;
      const set = forms ?? this.segment.wordSets.beginningWith(word);
      if (isEmpty(set)) return undefined;
      hasForms ||= forms !== undefined;
      sets.push(set);
    }
    return hasForms ? this.#withAll(sets) : undefined;
  }

  substrings(): Records | undefined {
    if (this.#passed?.inside) return this.#passed.inside;
    const isSearched = !this.#words.some(isShort) || (this.#words.length === 1 && this.#matches.total === 0);
    const sets = isSearched ? this.#containing() : undefined;
    return sets && this.#withAll(sets);
  }

  /**
   * The typed words without those that begin another one, because they match whenever the longer word does, at least
   * as well.
   */
  get #words(): readonly string[] {
    this.#different ??= this.#typed.filter((word, n) =>
      this.#typed.every((other, at) => (other === word ? at >= n : !other.startsWith(word))),
    );
    return this.#different;
  }

  #wholeWords(): Records | undefined {
    const { wordSets } = this.segment;
    if (this.#wholes.includes(-1)) return undefined;
    return this.#withAll(this.#typed.map((word) => wordSets.wordAlone(word)));
  }

  /** Several words in one pass: intersecting large sets costs more than telling the class of a record. */
  #pass(): { begun: number[]; inside: number[] | undefined } {
    this.#passed ??= this.#readRecords();
    return this.#passed;
  }

  #readRecords(): { begun: number[]; inside: number[] | undefined } {
    const begun: number[] = [];
    const isBegunOnly = this.#words.length === 1 || this.#words.some(isShort);
    const sets = isBegunOnly ? this.#beginning : this.#containing();
    const inside: number[] | undefined = isBegunOnly ? undefined : [];
    if (!sets || sets.some(isEmpty)) return { begun, inside };
    const { countTo } = this.#matches;
    candidatesFor(sets).some((record) => {
      if (this.#matches.has(this.segment, record)) return false;
      if (hasAll(this.segment, record, this.#beginning)) begun.push(record);
      else if (inside && inside.length < countTo && hasAll(this.segment, record, sets)) inside.push(record);
      return begun.length >= countTo;
    });
    return { begun, inside };
  }

  get #beginning(): readonly WordSet[] {
    this.#begun ??= this.#words.map((word) => this.segment.wordSets.beginningWith(word));
    return this.#begun;
  }

  /** The records for each typed word's letters; undefined if no word contains those of one. */
  #containing(): WordSet[] | undefined {
    const sets: WordSet[] = [];
    for (const word of this.#words) {
      const set = this.segment.containing(word);
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
      some: (visit) => candidates.some((record) => hasAll(this.segment, record, sets) && visit(record)),
    };
  }
}

function isEmpty({ count }: WordSet): boolean {
  return count === 0;
}

function isShort(word: string): boolean {
  return SHORT.test(word);
}

/** The records in all sets, even if by different names. */
function candidatesFor(sets: readonly WordSet[]): SortedNumbers {
  const fewest = sets.reduce((a, b) => (b.count < a.count ? b : a));
  return fewest.count <= FEW ? fewest : NumberSet.inAll(sets.map((set) => set.bits()));
}

function hasAll({ names }: Segment, record: number, sets: readonly WordSet[]): boolean {
  return names.someName(record, (start, end) =>
    sets.every((set) => {
      for (let at = start; at < end; at++) if (set.has(names.wordAt(at))) return true;
      return false;
    }),
  );
}
