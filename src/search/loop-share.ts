/** How long work may hold the event loop before other requests run. */
const SHARE_MS = 3;

/**
 * Runs pieces of work in the order of their arrival, and yields to everything else after every 3 ms. Otherwise many
 * searches at once would hold up each step of every other request.
 */
export class LoopShare {
  readonly #waiting: (() => void)[] = [];
  #hasRun = false;

  /** Resolves to what `work` returns, and rejects with what it throws. */
  run<Result>(work: () => Result): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.push(() => {
      try {
        resolve(work());
      } catch (error) {
        reject(error);
      }
    });
    if (!this.#hasRun) this.#runSome();
    return promise;
  }

  #runSome(): void {
    this.#hasRun = true;
    const until = performance.now() + SHARE_MS;
    do this.#waiting.shift()?.();
    while (this.#waiting.length > 0 && performance.now() < until);
    setImmediate(() => {
      this.#hasRun = false;
      if (this.#waiting.length > 0) this.#runSome();
    });
  }
}
