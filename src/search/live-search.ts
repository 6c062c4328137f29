import { setTimeout as delay } from "node:timers/promises";
import type { ChangeFeed, Versions } from "../db/change-feed.ts";
import { searchNotReady } from "../web/pages/errors.ts";
import { storedKinds } from "../words/kinds/kinds.ts";
import { type IndexedKind, isOtherKind, OTHER_KIND_NAMES } from "../words/kinds/searchable-kinds.ts";
import type { Query } from "./index/query.ts";
import type { Found, SearchIndex, SearchRange } from "./index/search-index.ts";
import { valueKeysOf } from "./index/values.ts";
import { KindIndex } from "./kind-index.ts";
import { IndexSource, type IndexSourceOptions } from "./load.ts";
import { indexVersion, readChanges } from "./queries.ts";

const FIRST_LOAD_WAIT_MS = 5_000;
/** How often a search that waits looks whether that is worth while. */
const LOOK_MS = 200;
/** Rebuilding an index costs less than applying more changed records. */
const FOLLOWED_AT_MOST = 2_000;

export interface LiveSearchOptions extends IndexSourceOptions {
  readonly feed: ChangeFeed;
  /** Loads changes before each search. For tests, which search for what they just wrote. */
  readonly checkEachSearch?: boolean;
  /** Searches wait for their first index up to so long after the first load begins; 5,000 by default. */
  readonly firstLoadWaitMs?: number;
}

/** The search over all kinds in this process. Loads its indexes, and what has changed, whenever the feed was read. */
export class LiveSearch {
  #epoch = 0;
  readonly #options: LiveSearchOptions;
  readonly #closing = new AbortController();
  readonly #source: IndexSource;
  #loadingSince: number | undefined;
  readonly #kinds: readonly IndexedKind[] = [...storedKinds(), ...OTHER_KIND_NAMES];
  readonly #indexes: Readonly<Record<IndexedKind, KindIndex>>;

  constructor(options: LiveSearchOptions) {
    this.#options = options;
    this.#source = new IndexSource(options);
    const indexes = this.#kinds.map((kind) => [kind, this.#createIndex(kind)]);
    this.#indexes = Object.fromEntries(indexes);
    options.feed.follow("notice catalogue changes", async (versions) => {
      // Not waited for: the first load of a million records takes a minute. A change meanwhile is noticed after it.
      void this.#follow(
        versions,
        this.#open().filter(([, index]) => !index.isFollowing),
      );
    });
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

  /** The version that each kind's searches are of, see `indexVersion`; undefined before there is an index. */
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

  /** Resolves when searches see what the feed reads now, if the database is up. */
  async refresh(): Promise<void> {
    const { feed } = this.#options;
    await feed.confirm();
    if (feed.versions && !feed.isDown) await this.#follow(feed.versions, this.#open());
  }

  /** Ends running loads. */
  async close(): Promise<void> {
    const indexes = this.#open();
    this.#closing.abort();
    await Promise.all(indexes.map(([, index]) => index.settled()));
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
    while (missing().length > 0 && !this.#options.feed.isDown && isSoon()) {
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
  #open(): [IndexedKind, KindIndex][] {
    if (this.#closing.signal.aborted) return [];
    return this.#kinds.map((kind) => [kind, this.#indexes[kind]]);
  }

  async #follow(versions: Versions, indexes: [IndexedKind, KindIndex][]): Promise<void> {
    this.#loadingSince ??= performance.now();
    await Promise.all(indexes.map(([kind, index]) => index.follow(indexVersion(kind, versions))));
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
