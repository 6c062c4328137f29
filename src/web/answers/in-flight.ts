/** How long requests wait for another request's response before they build their own. */
const WAIT_MS = 2_000;

/** A response that is being built. Few are waited for, so the first waiter creates the promise. */
export class InFlightAnswer {
  readonly #onEnd: () => void;
  #ending: PromiseWithResolvers<{ canShare: boolean }> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  /** True if a request waits for it. */
  get isAwaited(): boolean {
    return this.#ending !== undefined;
  }

  /**
   * Resolves when it was built, has failed, or takes long. `canShare` is false for one that belongs to its requester.
   */
  wait(): Promise<{ canShare: boolean }> {
    this.#ending ??= Promise.withResolvers();
    this.#timer ??= setTimeout(() => this.#ending?.resolve({ canShare: true }), WAIT_MS);
    return this.#ending.promise;
  }

  end(how: { canShare: boolean }): void {
    clearTimeout(this.#timer);
    this.#onEnd();
    this.#ending?.resolve(how);
  }
}
