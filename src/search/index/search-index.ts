import { CONSONANTS } from "../letters.ts";
import { isOrdinaryTyped } from "../typed-word.ts";
import type { IndexData } from "./build.ts";
import { Expansions } from "./expansion.ts";
import { type FoundName, Matches } from "./matches.ts";
import { areInitials } from "./names.ts";
import { findNearest } from "./nearest.ts";
import { findPartial } from "./partial.ts";
import { findBeside, PlainSearch } from "./plain.ts";
import { codeReading, layoutReadings, Query, type Reading, typedReadings } from "./query.ts";
import type { IndexedRecord, RecordToIndex } from "./records.ts";
import { Segments } from "./segments.ts";
import type { Labels } from "./values.ts";

/** The maximum number of words to forgive: hardly any name has more, and each takes time. */
const MOST_WORDS = 12;

/** A record that was found, see `FoundName`. */
export interface FoundHit extends Omit<FoundName, "name"> {
  readonly record: IndexedRecord;
}

export interface Found {
  /** How many match, exact up to 100 or as many as are wanted. */
  total: number;
  /** There are more than `total`. */
  atLeast: boolean;
  hits: FoundHit[];
}

/** Which matches are wanted. */
export interface SearchRange {
  readonly limit: number;
  readonly offset: number;
  /** The reader's language: names in it come before others that match equally well. */
  readonly language?: string | undefined;
  /** Matches as typed only, even without any. */
  readonly onlyAsTyped?: boolean;
  /** It is known that nothing matches as typed, so only what was meant is looked for. */
  readonly isNoneAsTyped?: boolean;
}

/** The records of one kind, searched by id and by every name in every language. */
export class SearchIndex {
  readonly data: IndexData;
  readonly #segments: Segments;

  constructor(data: IndexData) {
    this.data = data;
    this.#segments = new Segments(data);
  }

  /** See `Segments.change`. */
  change(changed: Iterable<RecordToIndex>, removed: Iterable<string>): boolean {
    return this.#segments.change(changed, removed);
  }

  /** Takes over what the values of records are called; searches find them by it from then on. */
  label(labels: Labels): void {
    this.#segments.label(labels);
  }

  /** How many records differ from those that the index was built from; each change indexes them again. */
  get changedCount(): number {
    return this.#segments.changedCount;
  }

  get size(): number {
    return this.#segments.size;
  }

  /**
   * The best matches: exact id, exact name, beginning of the name, beginning of a later word, another form of the words,
   * inside a word. If there are none, what was probably meant. A blank query finds nothing.
   */
  search(query: string | Query, range: SearchRange): Found {
    const { found, total, countTo } = this.#find(Query.of(query), range);
    const hits = found
      .slice(range.offset)
      .map(({ name, ...hit }) => ({ ...hit, record: this.#segments.read(name) }));
    return { total: Math.min(total, countTo - 1), atLeast: total >= countTo, hits };
  }

  /** The ids of the best matches, best first. */
  ids(query: string, limit: number, language?: string): string[] {
    const { found } = this.#find(new Query(query), { limit, offset: 0, language });
    return found.map(({ name }) => this.#segments.read(name).id);
  }

  #find(query: Query, { limit, offset, language, onlyAsTyped, isNoneAsTyped }: SearchRange): Matches {
    const segments = this.#segments;
    const matches = new Matches(segments, { wanted: offset + limit, language });
    if (query.text === "") return matches;
    if (!isNoneAsTyped) {
      for (const segment of segments.all) {
        for (const id of query.ids) {
          const record = segment.recordWithId(id);
          if (record !== undefined) matches.add("exact", [[segment, [segment.names.mainNameOf(record)]]]);
        }
      }
    }
    const isSearchedAsTyped = query.name !== "" && !isNoneAsTyped;
    const plain = new PlainSearch(segments, query.words, matches);
    if (isSearchedAsTyped) plain.findNames();
    const typed = matches.total === 0 ? typedReadings(segments, query) : [];
    if (isSearchedAsTyped) {
      for (const { name, roles } of typed) {
        if (name !== query.name) new PlainSearch(segments, name.split(" "), matches).findNames();
        if (matches.total === 0) findBeside(segments, roles, matches);
      }
      plain.findInside();
    }
    if (matches.total === 0 && !onlyAsTyped && query.words.length <= MOST_WORDS) {
      suggest(new Expansions(segments), query, typed, matches);
    }
    return matches;
  }
}

/**
 * Finds what a query probably meant if no record matches it as typed. Tries the same keys on another layout, then
 * initials, then names with joined words, errors or other letters, then only the most telling words. The other layout
 * with an error comes last.
 */
function suggest(expansions: Expansions, query: Query, typed: readonly Reading[], matches: Matches): void {
  const { segments } = expansions;
  const { name, words, onOtherLayouts } = query;
  const layouts = layoutReadings(segments, query);
  for (const reading of layouts) findOnLayout(segments, reading, matches);
  if (matches.total > 0) return;
  for (const initials of [name, ...onOtherLayouts]) {
    const isLikely = CONSONANTS.test(initials) || (areInitials(initials) && !isOrdinaryTyped(initials));
    if (!isLikely || matches.total > 0) continue;
    matches.add(
      "fuzzy",
      segments.all.map((segment) => [segment, segment.withInitials(initials)]),
    );
  }
  const code = codeReading(segments, query);
  findNearest(expansions, code ? [...typed, code] : typed, matches);
  if (matches.total === 0 && name !== "") findPartial(expansions, words, matches);
  findNearest(expansions, layouts, matches);
}

/** Finds a query as it reads on another layout. While a name is half typed, those that begin so come alone. */
function findOnLayout(segments: Segments, { name, lost = 0 }: Reading, matches: Matches): void {
  if (matches.total > 0) return;
  const words = name.split(" ");
  const plain = new PlainSearch(segments, words, matches, { as: "layout" });
  plain.findBeginnings();
  // A name without some of its letters is part of other names by chance.
  if (lost > 0) return;
  if (matches.total === 0 || segments.hasWord(words.at(-1) ?? "")) plain.findWords();
}
