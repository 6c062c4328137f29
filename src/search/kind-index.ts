import { SearchIndex } from "./index/search-index.ts";
import type { LoadedIndex } from "./load.ts";

/** Pauses after the first, second, third … failed load in a row, in milliseconds; the last one repeats. */
const RETRY_AFTER_MS = [1_000, 2_000, 5_000, 15_000, 60_000];

interface Events {
  /** A newer index is in use. */
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
  #failures = 0;
  #retryAt = 0;
  readonly #load: () => Promise<LoadedIndex>;
  readonly #events: Events;
  #becomeReady: () => void = () => undefined;

  constructor(load: () => Promise<LoadedIndex>, events: Events) {
    this.#load = load;
    this.#events = events;
    this.ready = new Promise((resolve) => {
      this.#becomeReady = resolve;
    });
  }

  get isLoading(): boolean {
    return this.#loading !== undefined;
  }

  /** Milliseconds until a load that failed is tried again; 0 if none is waited for. */
  get retryInMs(): number {
    return Math.max(0, this.#retryAt - Date.now());
  }

  /** The index in use; undefined before the first load. */
  get current(): SearchIndex | undefined {
    return this.#current;
  }

  /**
   * Resolves when the index is at least as new as a version just read; never rejects. Loads run one after the other, and
   * calls during a load share the next one.
   */
  async follow(version: number): Promise<void> {
    // A running load may have begun before that version.
    if (this.#loading) await this.#loading;
    if (this.#version === version || Date.now() < this.#retryAt) return;
    this.#loading ??= this.#swap().finally(() => {
      this.#loading = undefined;
    });
    await this.#loading;
  }

  /** Resolves when no load runs. */
  async settled(): Promise<void> {
    await this.#loading;
  }

  async #swap(): Promise<void> {
    try {
      const { version, data } = await this.#load();
      this.#current = new SearchIndex(data);
      this.#version = version;
      this.#failures = 0;
      this.#becomeReady();
      this.#events.onSwap();
    } catch (error) {
      const pause = RETRY_AFTER_MS[Math.min(this.#failures++, RETRY_AFTER_MS.length - 1)] ?? 0;
      this.#retryAt = Date.now() + pause;
      this.#events.onFailure(error);
    }
  }
}
