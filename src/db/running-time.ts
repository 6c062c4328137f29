import { sleep } from "../settings/timers.ts";

/** A longer turn of the event loop counts as this long. */
const TURN_MS = 100;

/**
 * Calls `late` once this process has run for some milliseconds; returns a function that cancels it. Time when the event
 * loop was blocked does not count: the process or the machine was busy, and a response may be waiting to be read.
 */
export function afterRunning(milliseconds: number, late: () => void): () => void {
  let left = milliseconds;
  let timer: NodeJS.Timeout | undefined;
  let last: NodeJS.Immediate | undefined;
  const wait = () => {
    const turn = Math.min(left, TURN_MS);
    left -= turn;
    timer = setTimeout(left > 0 ? wait : readOnce, turn);
  };
  // Between a timer and an immediate the event loop reads arrived data.
  const readOnce = () => {
    last = setImmediate(late);
  };
  wait();
  return () => {
    clearTimeout(timer);
    clearImmediate(last);
  };
}

/** Settles like the work. @throws `createError()` once this process has run for some milliseconds; the work continues. */
export function withTimeout<Result>(
  milliseconds: number,
  work: Promise<Result>,
  createError = () => new Error(`no answer within ${milliseconds} ms`),
): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const cancel = afterRunning(milliseconds, () => reject(createError()));
  work.then(resolve, reject).finally(cancel);
  return promise;
}

/** Waits for some work, at most for a time. */
export async function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  try {
    await Promise.race([work, sleep(milliseconds, over.signal)]);
  } finally {
    over.abort();
  }
}
