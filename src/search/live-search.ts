import { setTimeout as delay } from "node:timers/promises";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { searchNotReady } from "../http/errors.ts";
import { CATALOGUE_KINDS, type CatalogueKind } from "../kinds/kinds.ts";
import type { Found, SearchIndex, SearchRange } from "./index/search-index.ts";
import { KindIndex } from "./kind-index.ts";
import { type LoadedIndex, loadIndex, loadInThread } from "./load.ts";
import { type CatalogueVersions, hasMoreThan, readVersions } from "./queries.ts";

/** Smaller indexes are built between two requests: starting a thread would take longer. */
const INLINE_RECORDS = 2_000;
const FIRST_LOAD_WAIT_MS = 5_000;

export interface LiveSearchOptions {
  readonly db: Knex;
  /** The address of `db`, for threads, which connect by themselves. */
  readonly databaseUrl: string;
  readonly log: Logger;
  /** Loads changes before each search. For tests, which search for what they just wrote. */
  readonly checkEachSearch?: boolean;
  /** Larger indexes are built in a thread; 2,000 records by default. */
  readonly inlineRecords?: number;
  /** How long a search waits for the first index of its kind; 5,000 by default. */
  readonly firstLoadWaitMs?: number;
}

// Declared here for the contexts of pages and endpoints, which are below all features.
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

/** The search over the five kinds in this process. Loads nothing before the first `noticeChanges` or `refresh`. */
export class LiveSearch {
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

  /** Changes whenever searches may have other results; with `checkEachSearch`, at each read. */
  get epoch(): number {
    if (this.#options.checkEachSearch) this.#epoch += 1;
    return this.#epoch;
  }

  /** Grows when a search runs out of time and returns what it has. */
  get cutShort(): number {
    return Object.values(this.#indexes).reduce((sum, { current }) => sum + (current?.cutShort ?? 0), 0);
  }

  /** Whether each kind has an index, so that searches can be answered. */
  get ready(): Record<CatalogueKind, boolean> {
    const kinds = CATALOGUE_KINDS.map((kind) => [kind, this.#indexes[kind].current !== undefined]);
    return Object.fromEntries(kinds);
  }

  /**
   * The matches of a query, best first, without a database query.
   * @throws HttpError 503 if there is no index of the kind yet
   */
  async search(kind: CatalogueKind, query: string, range: SearchRange): Promise<Found> {
    return (await this.#indexOf(kind)).search(query, range);
  }

  /** The ids of the best matches, best first, at most `limit`. */
  async ids(kind: CatalogueKind, query: string, limit: number): Promise<string[]> {
    return (await this.#indexOf(kind)).ids(query, limit);
  }

  /** Starts loading what has changed, without waiting for it. Never rejects; call it again and again. */
  async noticeChanges(): Promise<void> {
    const versions = await this.#readVersions();
    for (const [kind, index] of this.#following()) {
      // A change during a load is noticed after it.
      if (versions && !index.isLoading) void index.follow(versions[kind]);
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
    await Promise.all(indexes.map(([, index]) => index.settled()));
  }

  async #indexOf(kind: CatalogueKind): Promise<SearchIndex> {
    const { checkEachSearch = false, firstLoadWaitMs = FIRST_LOAD_WAIT_MS } = this.#options;
    if (checkEachSearch) await this.refresh();
    const index = this.#indexes[kind];
    if (!index.current && !this.#isDatabaseAway) {
      await Promise.race([index.ready, delay(firstLoadWaitMs, undefined, { ref: false })]);
    }
    if (index.current) return index.current;
    throw searchNotReady();
  }

  /** All indexes, or none once the search is closed. */
  #following(): [CatalogueKind, KindIndex][] {
    if (this.#closing.signal.aborted) return [];
    return CATALOGUE_KINDS.map((kind) => [kind, this.#indexes[kind]]);
  }

  /** Undefined while the database is away, which is logged once; searches go on without it. */
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
