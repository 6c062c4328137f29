/** Says when a search has taken too long. */
export class SearchClock {
  #deadline = Number.POSITIVE_INFINITY;
  #ticks = 0;
  #cutShort = 0;

  /** Starts a search, which may take so long. */
  start(milliseconds: number): void {
    this.#deadline = performance.now() + milliseconds;
  }

  /** How many searches have been cut short. */
  get cutShort(): number {
    return this.#cutShort;
  }

  /** For every loop that may be long; reads the clock once in 256 calls. */
  timeIsUp(): boolean {
    if (++this.#ticks % 256 !== 0 || performance.now() <= this.#deadline) return false;
    this.#cutShort += 1;
    return true;
  }
}
