/** Thrown by a search that would take longer than it may, and was asked for all or nothing. */
export class TooLong extends Error {
  override name = "TooLong";
}

/** How long a search may take. */
export interface TimeLimit {
  readonly milliseconds: number;
  /** When the time is up: `cut` returns what there is, `throw` throws `TooLong`. */
  readonly onEnd: "cut" | "throw";
}

/** Says when a search has taken too long. */
export class SearchClock {
  #deadline = Number.POSITIVE_INFINITY;
  #onEnd: TimeLimit["onEnd"] = "cut";
  #ticks = 0;
  #cutShort = 0;

  /** Starts a search. */
  start({ milliseconds, onEnd }: TimeLimit): void {
    this.#deadline = performance.now() + milliseconds;
    this.#onEnd = onEnd;
  }

  /** How many searches have been cut short. */
  get cutShort(): number {
    return this.#cutShort;
  }

  /** For every loop that may be long; reads the clock once in 256 calls. @throws TooLong see `TimeLimit` */
  readonly timeIsUp = (): boolean => {
    if (++this.#ticks % 256 !== 0 || performance.now() <= this.#deadline) return false;
    if (this.#onEnd === "throw") throw new TooLong();
    this.#cutShort += 1;
    return true;
  };
}
