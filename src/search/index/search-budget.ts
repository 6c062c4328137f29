/** Thrown by a search that takes longer than allowed here, and has to restart elsewhere. */
export class TooLong extends Error {
  override name = "TooLong";
}

/** How much a search may do. */
export interface SearchLimit {
  /** After so many steps it returns what it has: the same for the same query, however busy the machine is. */
  readonly steps: number;
  /** After so long it throws `TooLong`. */
  readonly milliseconds?: number;
}

/** Counts the steps of a search. */
export class SearchBudget {
  #left = 0;
  #deadline = Number.POSITIVE_INFINITY;

  /** Starts a search. */
  start({ steps, milliseconds = Number.POSITIVE_INFINITY }: SearchLimit): void {
    this.#left = steps;
    this.#deadline = performance.now() + milliseconds;
  }

  /** True if the search has used up its steps. */
  get isCut(): boolean {
    return this.#left < 0;
  }

  /**
   * Counts a step of every loop that may be long; true once there are no more. Reads the clock once in 256 calls.
   * @throws TooLong
   */
  readonly isOver = (): boolean => {
    if (--this.#left < 0) return true;
    if (this.#left % 256 === 0 && performance.now() > this.#deadline) throw new TooLong();
    return false;
  };
}
