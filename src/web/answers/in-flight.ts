/** How long requests wait for another request's answer before they build their own. */
const WAIT_MS = 2_000;

/** An answer that is being made. Few are waited for, so what waiting takes is made by the first who does. */
export class InFlightAnswer {
  readonly #onEnd: () => void;
  #ending: PromiseWithResolvers<{ canShare: boolean }> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  /** Whether somebody waits for it. */
  get isAwaited(): boolean {
    return this.#ending !== undefined;
  }

  /** Resolves when it was made, or could not be, or takes long; `canShare` is false for one that is its asker's alone. */
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
