import { setTimeout as delay } from "node:timers/promises";
import type { ChangeFeed, Versions } from "../db/change-feed.ts";
import { searchNotReady } from "../web/pages/errors.ts";
import { storedKinds } from "../words/kinds/kinds.ts";
import { type IndexedKind, isOtherKind, OTHER_KIND_NAMES } from "../words/kinds/searchable-kinds.ts";
import type { Vocabulary } from "../words/vocabulary/vocabulary.ts";
import type { Query } from "./index/query.ts";
import { type Found, SearchIndex, type SearchRange } from "./index/search-index.ts";
import type { Labels } from "./index/values.ts";
import { IndexSource, type IndexSourceOptions, type LoadedIndex } from "./load.ts";
import { normaliseName } from "./normalise.ts";
import { type CatalogueChanges, indexVersion, readChanges } from "./queries.ts";

const FIRST_LOAD_WAIT_MS = 5_000;
/** How often a search that waits checks whether there is an index, or waiting is in vain. */
const CHECK_MS = 20;
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
  #readWords: (() => Vocabulary) | undefined;
  #words: Vocabulary | undefined;
  /** Whose words each index has taken over. */
  readonly #labelled = new WeakMap<SearchIndex, Vocabulary>();

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

  /** From now on, records are found by the labels of their categories and values in the current words of the site. */
  useWords(read: () => Vocabulary): void {
    this.#readWords = read;
  }

  /** Changes whenever searches may have other results; with `checkEachSearch`, at each read. */
  get epoch(): number {
    const words = this.#readWords?.();
    if (this.#options.checkEachSearch || words !== this.#words) this.#epoch += 1;
    this.#words = words;
    return this.#epoch;
  }

  /** Whether each kind has an index, so that searches can be answered. */
  get ready(): Record<IndexedKind, boolean> {
    const kinds = this.#kinds.map((kind) => [kind, this.#indexes[kind].current !== undefined]);
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
  async ids(kind: IndexedKind, query: string, limit: number, language?: string): Promise<string[]> {
    const index = await this.#indexOf(kind);
    return index.ids(query, limit, language);
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
      await delay(CHECK_MS, undefined, { ref: false });
    }
    if (missing().length > 0) throw searchNotReady();
  }

  async #indexOf(kind: IndexedKind): Promise<SearchIndex> {
    if (this.#options.checkEachSearch) await this.refresh();
    const index = this.#indexes[kind];
    if (!index.current) await this.whenReady([kind]);
    if (!index.current) throw searchNotReady();
    this.#label(kind, index.current);
    return index.current;
  }

  #label(kind: IndexedKind, index: SearchIndex): void {
    const words = this.#readWords?.();
    if (!words || this.#labelled.get(index) === words) return;
    index.label(readLabels(words, kind, index.data.values.keys));
    this.#labelled.set(index, words);
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
      const range = { since, most: FOLLOWED_AT_MOST, keys: data.values.keys };
      return readChanges(this.#options.db, kind, range);
    });
  }
}

/** Reads the labels of all categories, and of the values of these attributes of a kind, in all languages. */
function readLabels(words: Vocabulary, kind: IndexedKind, keys: readonly string[]): Labels {
  const named = [...words.categoryLabels(), ...(isOtherKind(kind) ? [] : words.of(kind).valueLabels(keys))];
  return new Map(named.map(([value, labels]) => [normaliseName(value), labels.map(normaliseName)]));
}

/** Pauses after the first, second, third … failed load in a row, in milliseconds; the last one repeats. */
const RETRY_AFTER_MS = [1_000, 2_000, 5_000, 15_000, 60_000];

/** The longest pause while there is no index: until then nothing of the kind can be searched. */
const FIRST_RETRY_MS = 5_000;

/** With more changed records a new index is built, for each makes searches a little slower. */
const CHANGED_AT_MOST = 1_000;

/** Resolves to what an index has to take over since a version, or undefined where that is not known. */
type ReadChanges = (since: number, index: Pick<SearchIndex, "data">) => Promise<CatalogueChanges | undefined>;

interface Events {
  /** Searches may have other results. */
  onSwap(): void;
  /** A load failed, and is tried again after a pause. */
  onFailure(error: unknown): void;
}

/** The index of one kind in this process, kept up to date with the database. */
export class KindIndex {
  #current: SearchIndex | undefined;
  /** The version of `current`. */
  #version: number | undefined;
  #loading: Promise<void> | undefined;
  /** What changes the index in use; one at a time. */
  #changing: Promise<unknown> = Promise.resolve();
  #followers = 0;
  #failures = 0;
  #retryAt = 0;
  readonly #load: () => Promise<LoadedIndex>;
  readonly #events: Events;
  readonly #readChanges: ReadChanges | undefined;

  /** Without `readChanges` the index is loaded again for every change. */
  constructor(load: () => Promise<LoadedIndex>, events: Events, readChanges?: ReadChanges) {
    this.#load = load;
    this.#events = events;
    this.#readChanges = readChanges;
  }

  /** The index in use; undefined before the first load. */
  get current(): SearchIndex | undefined {
    return this.#current;
  }

  /** True while a call of `follow` runs. */
  get isFollowing(): boolean {
    return this.#followers > 0;
  }

  /**
   * Resolves when the index is at least as new as a version just read; never rejects. Takes over what has changed where
   * that is known. Loads run one after the other, and calls during a load share the next one.
   */
  async follow(version: number): Promise<void> {
    this.#followers += 1;
    try {
      const readChanges = this.#current && this.#readChanges;
      if (!readChanges || !(await this.#catchUp(version, readChanges))) await this.#loadAnew(version);
    } finally {
      this.#followers -= 1;
    }
  }

  /** Resolves when no load runs. */
  async settled(): Promise<void> {
    await this.#loading;
    await this.#changing;
  }

  async #loadAnew(version: number): Promise<void> {
    // A running load may have begun before that version.
    if (this.#loading) await this.#loading;
    if (this.#version === version || Date.now() < this.#retryAt) return;
    await this.#startLoad();
  }

  #startLoad(): Promise<void> {
    this.#loading ??= this.#swap().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** Changes the index in use; resolves to false if that takes a load. */
  #catchUp(version: number, readChanges: ReadChanges): Promise<boolean> {
    return this.#inTurn(async () => {
      const [index, since] = [this.#current, this.#version];
      if (index === undefined || since === undefined) return false;
      if (since === version || Date.now() < this.#retryAt) return true;
      try {
        const changes = await readChanges(since, index);
        if (!changes) return false;
        const isNew = index.change(changes.changed, changes.removed);
        this.#version = changes.version;
        if (isNew) this.#events.onSwap();
        if (index.changedCount > CHANGED_AT_MOST) void this.#startLoad();
      } catch (error) {
        this.#fail(error);
      }
      return true;
    });
  }

  async #swap(): Promise<void> {
    try {
      const { version, data } = await this.#load();
      const index = new SearchIndex(data);
      await this.#inTurn(() => this.#use(index, version));
      this.#failures = 0;
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Puts a new index in use, with what has changed since it was begun. */
  async #use(index: SearchIndex, version: number): Promise<void> {
    const changes = await this.#readChanges?.(version, index);
    // Searches must not go back: the one in use has followed further.
    if (!changes && this.#readChanges && this.#version !== undefined && this.#version > version) return;
    if (changes) index.change(changes.changed, changes.removed);
    this.#current = index;
    this.#version = changes?.version ?? version;
    this.#events.onSwap();
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#changing.then(work);
    this.#changing = done.catch(() => undefined);
    return done;
  }

  #fail(error: unknown): void {
    const pause = RETRY_AFTER_MS[Math.min(this.#failures++, RETRY_AFTER_MS.length - 1)] ?? 0;
    this.#retryAt = Date.now() + (this.#current ? pause : Math.min(pause, FIRST_RETRY_MS));
    this.#events.onFailure(error);
  }
}
