import { setMaxListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

/** Runs `work`, which must not fail, again and again with pauses until `ended` aborts; never twice at once. */
export async function runEvery(
  work: () => Promise<void>,
  everyMs: number,
  ended: AbortSignal,
): Promise<void> {
  while (!ended.aborted) {
    await work();
    await sleep(everyMs, ended);
  }
}

/** Waits, at most until `ended` aborts. */
export async function sleep(milliseconds: number, ended?: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal: ended }).catch(() => undefined);
}

/**
 * Calls `stop` when `signal` aborts, at once if it has; returns a function that ends that. One signal stops hundreds
 * of polls, hence no limit of listeners. AbortSignal.any would leak memory for as long as the signal lives.
 */
export function onAbort(signal: AbortSignal, stop: () => void): () => void {
  setMaxListeners(0, signal);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  return () => signal.removeEventListener("abort", stop);
}
