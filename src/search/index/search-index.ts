import { Base } from "./base.ts";
import type { IndexData } from "./build.ts";
import { Catalogue } from "./catalogue.ts";
import { ChangedRecords } from "./changed-records.ts";
import { findMeant } from "./forgiving.ts";
import { type FoundRecord, Matches, TOTAL_CAP } from "./matches.ts";
import { findPlain } from "./plain.ts";
import { Query } from "./query.ts";
import { Readings } from "./readings.ts";
import type { IndexedRecord, RecordToIndex } from "./records.ts";

/** A record that was found, see `FoundRecord`. */
export interface FoundHit extends Omit<FoundRecord, "record"> {
  readonly record: IndexedRecord;
}

export interface Found {
  /** How many match, up to 1,000. */
  total: number;
  /** There are more than `total`. */
  atLeast: boolean;
  hits: FoundHit[];
}

/** Which matches are wanted. */
export interface SearchRange {
  readonly limit: number;
  readonly offset: number;
  /** Matches as typed only, even without any. */
  readonly onlyAsTyped?: boolean;
  /** It is known that nothing matches as typed, so only what was meant is looked for. */
  readonly isNoneAsTyped?: boolean;
}

/** The records of one kind, searched by id and by every name in every language. */
export class SearchIndex {
  readonly #base: Base;
  readonly #changes: ChangedRecords;
  #catalogue: Catalogue;
  readonly data: IndexData;

  constructor(data: IndexData) {
    this.data = data;
    this.#base = new Base(data);
    this.#changes = new ChangedRecords(this.#base);
    this.#catalogue = new Catalogue(this.#base, this.#changes);
  }

  /**
   * Applies records as they are now, and the ids of removed ones; searches see all of it from then on. Returns false
   * if that changes nothing. Answers equal those of a rebuilt index.
   */
  change(changed: Iterable<RecordToIndex>, removed: Iterable<string>): boolean {
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

  /**
   * The best matches: exact id, exact name, beginning of the name, beginning of a later word, another form of the words,
   * inside a word. If there are none, what was probably meant. A blank query finds nothing.
   */
  search(query: string | Query, range: SearchRange): Found {
    const matches = this.#find(Query.of(query), range);
    const hits = matches.found.slice(range.offset).map((found) => {
      return { ...found, record: this.#catalogue.read(found.record) };
    });
    const { total } = matches;
    return { total: Math.min(total, TOTAL_CAP), atLeast: total > TOTAL_CAP, hits };
  }

  /** The ids of the best matches, best first. */
  ids(query: string, limit: number): string[] {
    const { found } = this.#find(new Query(query), { limit, offset: 0 });
    return found.map(({ record }) => this.#catalogue.read(record).id);
  }

  #find(query: Query, { limit, offset, onlyAsTyped, isNoneAsTyped }: SearchRange): Matches {
    const catalogue = this.#catalogue;
    const matches = new Matches(catalogue, offset + limit);
    catalogue.startSearch();
    if (query.text === "") return matches;
    const readings = new Readings(catalogue, query);
    if (!isNoneAsTyped) {
      for (const id of query.ids) {
        const record = catalogue.recordWithId(id);
        if (record !== undefined) matches.addAll([record], "exact");
      }
      if (query.name !== "") findPlain(catalogue, readings, matches);
    }
    if (matches.total === 0 && !onlyAsTyped) findMeant(catalogue, query, readings, matches);
    return matches;
  }
}
