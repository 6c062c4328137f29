import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { searchNotReady } from "../web/pages/errors.ts";
import { catalogueKinds } from "../words/kinds/kinds.ts";
import { type IndexedKind, isOtherKind, OTHER_KIND_NAMES } from "../words/kinds/searchable-kinds.ts";
import type { Query } from "./index/query.ts";
import type { Found, SearchIndex, SearchRange } from "./index/search-index.ts";
import { valueKeysOf } from "./index/values.ts";
import { IndexSource, type IndexSourceOptions } from "./index-source.ts";
import { KindIndex } from "./kind-index.ts";
import { type IndexVersions, readChanges, readVersions } from "./queries.ts";

const FIRST_LOAD_WAIT_MS = 5_000;
/** How often a search that waits looks whether that is worth while. */
const LOOK_MS = 200;
/** Rebuilding an index costs less than applying more changed records. */
const FOLLOWED_AT_MOST = 10_000;

export interface LiveSearchOptions extends IndexSourceOptions {
  readonly log: Logger;
  /** Loads changes before each search. For tests, which search for what they just wrote. */
  readonly checkEachSearch?: boolean;
  /** Searches wait for their first index up to so long after the first load begins; 5,000 by default. */
  readonly firstLoadWaitMs?: number;
}

// Declared here for the contexts of pages and endpoints, which are below all features.
/** The search over all kinds in this process. Loads nothing before the first `noticeChanges` or `refresh`. */
export class LiveSearch {
  #epoch = 0;
  #isDatabaseAway = false;
  readonly #options: LiveSearchOptions;
  readonly #closing = new AbortController();
  readonly #source: IndexSource;
  #loadingSince: number | undefined;
  readonly #kinds: readonly IndexedKind[] = [...catalogueKinds(), ...OTHER_KIND_NAMES];
  readonly #indexes: Readonly<Record<IndexedKind, KindIndex>>;

  constructor(options: LiveSearchOptions) {
    this.#options = options;
    this.#source = new IndexSource(options);
    const indexes = this.#kinds.map((kind) => [kind, this.#createIndex(kind)]);
    this.#indexes = Object.fromEntries(indexes);
  }

  /** Changes whenever searches may have other results; with `checkEachSearch`, at each read. */
  get epoch(): number {
    if (this.#options.checkEachSearch) this.#epoch += 1;
    return this.#epoch;
  }

  /** Whether each kind has an index, so that searches can be answered. */
  get ready(): Record<IndexedKind, boolean> {
    const kinds = this.#kinds.map((kind) => [kind, this.#indexes[kind].current !== undefined]);
    return Object.fromEntries(kinds);
  }

  /** The version that each kind's searches are of, see `readVersions`; undefined before there is an index. */
  get versions(): Record<IndexedKind, number | undefined> {
    const kinds = this.#kinds.map((kind) => [kind, this.#indexes[kind].version]);
    return Object.fromEntries(kinds);
  }

  /**
   * The matches of a query, best first, without a database query.
   * @throws HttpError 503 if there is no index of the kind yet
   */
  async search(kind: IndexedKind, typed: string | Query, range: SearchRange): Promise<Found> {
    const index = await this.#indexOf(kind);
    return index.search(typed, range);
  }

  /** The ids of the best matches, best first, at most `limit`. */
  async ids(kind: IndexedKind, query: string, limit: number): Promise<string[]> {
    const { hits } = await this.search(kind, query, { limit, offset: 0 });
    return hits.map(({ record }) => record.id);
  }

  /** Starts loading what has changed, without waiting for it. Never rejects; call it again and again. */
  async noticeChanges(): Promise<void> {
    const versions = await this.#readVersions();
    for (const [kind, index] of this.#following()) {
      // A change meanwhile is noticed in the next round.
      if (versions && !index.isFollowing) void index.follow(versions[kind]);
    }
  }

  /** Resolves when searches see everything committed before the call, if the database is there. */
  async refresh(): Promise<void> {
    const versions = await this.#readVersions();
    await Promise.all(this.#following().map(([kind, index]) => versions && index.follow(versions[kind])));
  }

  /** Ends running loads. */
  async close(): Promise<void> {
    const indexes = this.#following();
    this.#closing.abort();
    await Promise.all([this.#options.snapshots?.close(), ...indexes.map(([, index]) => index.settled())]);
  }

  /**
   * Resolves when these kinds can be searched.
   * @throws HttpError 503 if one of them takes longer than searches wait
   */
  async whenReady(kinds: readonly IndexedKind[]): Promise<void> {
    const { checkEachSearch = false, firstLoadWaitMs = FIRST_LOAD_WAIT_MS } = this.#options;
    const missing = () => kinds.filter((kind) => !this.#indexes[kind].current);
    if (missing().length === 0) return;
    if (checkEachSearch) await this.refresh();
    const began = performance.now();
    const isSoon = () => performance.now() < (this.#loadingSince ?? began) + firstLoadWaitMs;
    while (missing().length > 0 && !this.#isDatabaseAway && isSoon()) {
      const ready = missing().map((kind) => this.#indexes[kind].ready);
      await Promise.race([Promise.all(ready), delay(LOOK_MS, undefined, { ref: false })]);
    }
    if (missing().length > 0) throw searchNotReady();
  }

  async #indexOf(kind: IndexedKind): Promise<SearchIndex> {
    if (this.#options.checkEachSearch) await this.refresh();
    const index = this.#indexes[kind];
    if (!index.current) await this.whenReady([kind]);
    if (index.current) return index.current;
    throw searchNotReady();
  }

  /** All indexes, or none once the search is closed. */
  #following(): [IndexedKind, KindIndex][] {
    if (this.#closing.signal.aborted) return [];
    return this.#kinds.map((kind) => [kind, this.#indexes[kind]]);
  }

  /** Undefined while the database is away, which is logged once; searches go on without it. */
  async #readVersions(): Promise<IndexVersions | undefined> {
    const { db, log } = this.#options;
    try {
      const versions = await readVersions(db);
      this.#loadingSince ??= performance.now();
      if (this.#isDatabaseAway) log.info("searches follow the database again");
      this.#isDatabaseAway = false;
      return versions;
    } catch (error) {
      if (!this.#isDatabaseAway) log.warn({ err: error }, "searches cannot follow the database");
      this.#isDatabaseAway = true;
      return undefined;
    }
  }

  #createIndex(kind: IndexedKind): KindIndex {
    const events = {
      onSwap: () => {
        this.#epoch += 1;
      },
      onFailure: (error: unknown) => {
        if (this.#closing.signal.aborted) return;
        this.#options.log.warn({ err: error, kind }, "a search index could not be made");
      },
    };
    const load = () => this.#source.load(kind, this.#closing.signal);
    if (isOtherKind(kind)) return new KindIndex(load, events);
    return new KindIndex(load, events, async (since, { data }) => {
      const range = { since, most: FOLLOWED_AT_MOST, keys: valueKeysOf(data.values) };
      return readChanges(this.#options.db, kind, range);
    });
  }
}
