import { setTimeout as delay } from "node:timers/promises";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { searchNotReady } from "../http/errors.ts";
import { CATALOGUE_KINDS, type CatalogueKind } from "../kinds/kinds.ts";
import type { Found, SearchIndex, SearchRange } from "./index/search-index.ts";
import { KindIndex } from "./kind-index.ts";
import { type LoadedIndex, loadIndex } from "./load.ts";
import { loadInThread } from "./load-in-thread.ts";
import { type CatalogueVersions, hasMoreThan, readVersions } from "./queries.ts";

/** Up to so many records an index is made between two requests: a thread takes longer only to begin. */
const INLINE_RECORDS = 2_000;
const FIRST_LOAD_WAIT_MS = 5_000;

export interface LiveSearchOptions {
  readonly db: Knex;
  /** Where `db` is: a thread makes a connection of its own. */
  readonly databaseUrl: string;
  readonly log: Logger;
  /** Looks for changes before each search and waits for them to be in; for tests, which ask for what they just wrote. */
  readonly checkEachSearch?: boolean;
  /** Indexes of more records are made in a thread; by default 2,000. */
  readonly inlineRecords?: number;
  /** How long a search waits for the first index of its kind, by default 5,000. */
  readonly firstLoadWaitMs?: number;
}

/** The search over the five kinds, in this process; it follows the database while somebody calls `noticeChanges`. */
export interface LiveSearch {
  /** Another number whenever searches may answer otherwise than before: with `checkEachSearch`, at each look. */
  readonly epoch: number;
  /** Another number when a search ran out of time and answered what it had. */
  readonly cutShort: number;
  /** Whether searches of each kind can be answered: there is an index. */
  readonly ready: Readonly<Record<CatalogueKind, boolean>>;
  /**
   * The matches of a query, best first; touches no database.
   * @throws HttpError 503 when there is no index of the kind yet
   */
  search(kind: CatalogueKind, query: string, range: SearchRange): Promise<Found>;
  /** The ids of the best matches, best first, at most `limit`. */
  ids(kind: CatalogueKind, query: string, limit: number): Promise<string[]>;
  /** Begins to load what has changed, and does not wait for it. Never rejects; to be called again and again. */
  noticeChanges(): Promise<void>;
  /** Resolves when searches answer with everything that was committed before the call, if it can be had now. */
  refresh(): Promise<void>;
  /** Ends what is being loaded. */
  close(): Promise<void>;
}

// Pages and endpoints ask for it by their context, which is declared below all features.
declare module "../http/context.ts" {
  interface AppContext {
    search: LiveSearch;
  }
}
declare module "../http/endpoint.ts" {
  interface EndpointContext {
    search: LiveSearch;
  }
}

/** Nothing is loaded before the first `noticeChanges` or `refresh`. */
export function createLiveSearch(options: LiveSearchOptions): LiveSearch {
  return new FollowingSearch(options);
}

class FollowingSearch implements LiveSearch {
  #epoch = 0;
  #isDatabaseAway = false;
  readonly #options: LiveSearchOptions;
  readonly #closing = new AbortController();
  readonly #indexes: Readonly<Record<CatalogueKind, KindIndex>>;

  constructor(options: LiveSearchOptions) {
    this.#options = options;
    const indexes = CATALOGUE_KINDS.map((kind) => [kind, this.#createIndex(kind)]);
    this.#indexes = Object.fromEntries(indexes);
  }

  get epoch(): number {
    if (this.#options.checkEachSearch) this.#epoch += 1;
    return this.#epoch;
  }

  get cutShort(): number {
    return Object.values(this.#indexes).reduce((sum, { current }) => sum + (current?.cutShort ?? 0), 0);
  }

  get ready(): Record<CatalogueKind, boolean> {
    const kinds = CATALOGUE_KINDS.map((kind) => [kind, this.#indexes[kind].current !== undefined]);
    return Object.fromEntries(kinds);
  }

  async search(kind: CatalogueKind, query: string, range: SearchRange): Promise<Found> {
    return (await this.#indexOf(kind)).search(query, range);
  }

  async ids(kind: CatalogueKind, query: string, limit: number): Promise<string[]> {
    return (await this.#indexOf(kind)).ids(query, limit);
  }

  async noticeChanges(): Promise<void> {
    const versions = await this.#readVersions();
    for (const [kind, index] of this.#following()) {
      // What changes during a load is noticed after it.
      if (versions && !index.isLoading) void index.follow(versions[kind]);
    }
  }

  async refresh(): Promise<void> {
    const versions = await this.#readVersions();
    await Promise.all(this.#following().map(([kind, index]) => versions && index.follow(versions[kind])));
  }

  async close(): Promise<void> {
    const indexes = this.#following();
    this.#closing.abort();
    await Promise.all(indexes.map(([, index]) => index.settled()));
  }

  async #indexOf(kind: CatalogueKind): Promise<SearchIndex> {
    const { checkEachSearch = false, firstLoadWaitMs = FIRST_LOAD_WAIT_MS } = this.#options;
    if (checkEachSearch) await this.refresh();
    const index = this.#indexes[kind];
    if (!index.current && !this.#isDatabaseAway) await atMost(firstLoadWaitMs, index.ready);
    if (index.current) return index.current;
    throw searchNotReady();
  }

  /** None any more once it is closed. */
  #following(): [CatalogueKind, KindIndex][] {
    if (this.#closing.signal.aborted) return [];
    return CATALOGUE_KINDS.map((kind) => [kind, this.#indexes[kind]]);
  }

  /** Undefined while the database is away, which is logged once: searches go on without it. */
  async #readVersions(): Promise<CatalogueVersions | undefined> {
    const { db, log } = this.#options;
    try {
      const versions = await readVersions(db);
      if (this.#isDatabaseAway) log.info("searches follow the database again");
      this.#isDatabaseAway = false;
      return versions;
    } catch (error) {
      if (!this.#isDatabaseAway) log.warn({ err: error }, "searches cannot follow the database");
      this.#isDatabaseAway = true;
      return undefined;
    }
  }

  #createIndex(kind: CatalogueKind): KindIndex {
    return new KindIndex(() => load(this.#options, kind, this.#closing.signal), {
      onSwap: () => {
        this.#epoch += 1;
      },
      onFailure: (error) => {
        if (this.#closing.signal.aborted) return;
        this.#options.log.warn({ err: error, kind }, "a search index could not be made");
      },
    });
  }
}

async function load(
  { db, databaseUrl, inlineRecords = INLINE_RECORDS }: LiveSearchOptions,
  kind: CatalogueKind,
  signal: AbortSignal,
): Promise<LoadedIndex> {
  signal.throwIfAborted();
  const isBig = await hasMoreThan(db, kind, inlineRecords);
  return isBig ? loadInThread({ url: databaseUrl, kind }, signal) : loadIndex(db, kind);
}

async function atMost(milliseconds: number, promise: Promise<void>): Promise<void> {
  await Promise.race([promise, delay(milliseconds, undefined, { ref: false })]);
}
