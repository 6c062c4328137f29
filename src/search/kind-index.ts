import { SearchIndex } from "./index/search-index.ts";
import type { LoadedIndex } from "./load.ts";
import type { CatalogueChanges } from "./queries.ts";

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
  /** Resolves when there is a first index. */
  readonly ready: Promise<void>;
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
  #becomeReady: () => void = () => undefined;

  /** Without `readChanges` the index is loaded again for every change. */
  constructor(load: () => Promise<LoadedIndex>, events: Events, readChanges?: ReadChanges) {
    this.#load = load;
    this.#events = events;
    this.#readChanges = readChanges;
    this.ready = new Promise((resolve) => {
      this.#becomeReady = resolve;
    });
  }

  get isLoading(): boolean {
    return this.#loading !== undefined;
  }

  /** The index in use; undefined before the first load. */
  get current(): SearchIndex | undefined {
    return this.#current;
  }

  /** The version that `current` is of. */
  get version(): number | undefined {
    return this.#version;
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
      const canCatchUp = this.#readChanges !== undefined && this.#current !== undefined;
      if (!canCatchUp || !(await this.#catchUp(version))) await this.#loadAnew(version);
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
  async #catchUp(version: number): Promise<boolean> {
    const readChanges = this.#readChanges;
    if (!readChanges) return false;
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
    this.#becomeReady();
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
