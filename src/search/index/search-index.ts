import { normaliseName } from "../normalise.ts";
import { Base } from "./base.ts";
import type { IndexData } from "./build.ts";
import { Catalogue } from "./catalogue.ts";
import { ChangedRecords } from "./changed-records.ts";
import { addNearMatches, findForgiving } from "./forgiving.ts";
import { type Match, Matches, TOTAL_CAP } from "./matches.ts";
import { findPlain } from "./plain.ts";
import type { IndexedRecord } from "./records.ts";
import type { TimeLimit } from "./search-clock.ts";

export type { Match };

export interface Found {
  /** How many match, up to 1,000. */
  total: number;
  /** There are more than `total`. */
  atLeast: boolean;
  hits: { record: IndexedRecord; match: Match }[];
}

/** Which matches are wanted. */
export interface SearchRange {
  readonly limit: number;
  readonly offset: number;
  /** Matches as typed only, even if there are none. */
  readonly onlyAsTyped?: boolean;
  /** Whose search it is: of those that take long, callers take turns. */
  readonly address?: string | undefined;
}

/** A search that takes longer returns what it has, as others wait for it. */
const TIME_LIMIT_MS = 40;

/** With so many matches as typed, nothing is forgiven. */
const ROOM = 10;

/** The records of one kind, searched by id and by every name in every language. */
export class SearchIndex {
  readonly #base: Base;
  readonly #changes: ChangedRecords;
  #catalogue: Catalogue;
  readonly data: IndexData;
  readonly #limit: TimeLimit;

  /** @param timeLimitMs for a search that has no limit of its own; then it returns what it has */
  constructor(data: IndexData, timeLimitMs = TIME_LIMIT_MS) {
    this.data = data;
    this.#base = new Base(data);
    this.#changes = new ChangedRecords(this.#base);
    this.#catalogue = new Catalogue(this.#base, this.#changes);
    this.#limit = { milliseconds: timeLimitMs, onEnd: "cut" };
  }

  /**
   * Takes records as they are now, and the ids of removed ones; searches see all of it from then on. Returns false if
   * that changes nothing. Answers are those of an index that is built anew.
   */
  change(changed: Iterable<IndexedRecord>, removed: Iterable<string>): boolean {
    let isNew = false;
    for (const record of changed) isNew = this.#changes.put(record) || isNew;
    for (const id of removed) isNew = this.#changes.remove(id) || isNew;
    if (isNew) this.#catalogue = new Catalogue(this.#base, this.#changes);
    return isNew;
  }

  /** How many records differ from those that the index was built from; each makes searches a little slower. */
  get changedCount(): number {
    return this.#changes.size;
  }

  get size(): number {
    return this.#catalogue.size;
  }

  /** How many searches ran out of time and returned what they had. */
  get cutShort(): number {
    return this.#base.clock.cutShort;
  }

  /**
   * The best matches: exact id, exact name, beginning of the name, beginning of a later word, inside a word. If there
   * are none, or few inside words, also what was probably meant. A blank query finds nothing.
   * @throws TooLong if `timeLimit` wants it
   */
  search(
    query: string,
    { limit, offset, onlyAsTyped = false }: SearchRange,
    timeLimit: TimeLimit = this.#limit,
  ): Found {
    const matches = this.#find(query, { wanted: offset + limit, onlyAsTyped, timeLimit });
    const hits = matches.found.slice(offset).map(({ record, match }) => ({
      record: this.#catalogue.read(record),
      match,
    }));
    return { total: Math.min(matches.total, TOTAL_CAP), atLeast: matches.total > TOTAL_CAP, hits };
  }

  /** The ids of the best matches, best first. */
  ids(query: string, limit: number): string[] {
    const { found } = this.#find(query, { wanted: limit, onlyAsTyped: false, timeLimit: this.#limit });
    return found.map(({ record }) => this.#catalogue.read(record).id);
  }

  #find(
    query: string,
    { wanted, onlyAsTyped, timeLimit }: { wanted: number; onlyAsTyped: boolean; timeLimit: TimeLimit },
  ): Matches {
    const catalogue = this.#catalogue;
    const text = query.trim();
    const matches = new Matches(catalogue, wanted);
    if (text === "") return matches;
    catalogue.startSearch(timeLimit);
    for (const id of idsIn(text)) {
      const record = catalogue.recordWithId(id);
      if (record !== undefined) matches.addAll([record], "exact");
    }
    const name = normaliseName(text);
    if (name !== "") findPlain(catalogue, name, matches);
    if (matches.total >= ROOM) return matches;
    if (matches.found[0]?.match === "substring") addNearMatches(catalogue, name, matches);
    else if (matches.total === 0 && !onlyAsTyped) findForgiving(catalogue, text, name, matches);
    return matches;
  }
}

/** The ids that a text may be: as typed, in lower or upper case, and with full-width characters as plain ones. */
function idsIn(text: string): Set<string> {
  return new Set([text, text.normalize("NFKC")].flatMap((id) => [id, id.toLowerCase(), id.toUpperCase()]));
}
