import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";

/** Runs `work`, which must not fail, now and again after each pause, never twice at once, until `ended` aborts. */
export async function repeat(work: () => Promise<void>, everyMs: number, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    await work();
    await pause(everyMs, ended);
  }
}

/** Waits, but not beyond `ended`. */
export async function pause(milliseconds: number, ended?: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal: ended }).catch(() => undefined);
}

/**
 * Makes work that never fails of one that may: of a row of failures the first is told, and that it is over.
 * @param what completes "could not …", as in "read the list of servers"
 */
export function toldOnce(log: Logger, what: string, work: () => Promise<void>): () => Promise<void> {
  let failing = false;
  return async () => {
    try {
      await work();
      if (failing) log.info(`polling: could ${what} again`);
      failing = false;
    } catch (error) {
      if (!failing) log.warn({ err: error }, `polling: could not ${what}, trying again`);
      failing = true;
    }
  };
}
