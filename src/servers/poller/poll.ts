import { onStop, pause } from "../../repeat.ts";
import { type PollLock, takePollLock } from "./lock.ts";
import { loggedOnce, pollUntil, type SessionOptions } from "./session.ts";

export type PollerOptions = Omit<SessionOptions, "adapters"> & Partial<Pick<SessionOptions, "adapters">>;

export interface Poller {
  /** Ends asks under way, writes what is known and releases the lock, within a few seconds. */
  stop(): Promise<void>;
}

/**
 * Polls the servers that have an adapter. Of several processes one polls and the others wait for its lock. When the
 * lock is lost, as at a restart of the database, polling stops at once and the process waits for the lock again.
 */
export function startPoller(options: PollerOptions): Poller {
  const stopping = new AbortController();
  const stopped = poll(options, stopping.signal);
  return {
    stop: async () => {
      stopping.abort();
      await stopped;
    },
  };
}

/** Loads the adapters only here: gamedig brings hundreds of games, which a site that does not poll needs not. */
async function poll(options: PollerOptions, stopped: AbortSignal): Promise<void> {
  const adapters = options.adapters ?? (await import("./adapters.ts")).ADAPTERS;
  await seekLock({ ...options, adapters }, stopped);
}

async function seekLock(options: SessionOptions, stopped: AbortSignal): Promise<void> {
  const { db, log, intervalMs } = options;
  const everyMs = Math.min(intervalMs / 4, 10_000);
  let isWaiting = false;
  const takeTurn = loggedOnce(log, "ask for the lock", async () => {
    const lock = await takePollLock(db, everyMs / 2);
    if (!lock && !isWaiting) log.info("another process polls the servers; waiting for its lock");
    isWaiting = lock === null;
    if (lock) turn = pollWith(lock, options, stopped);
  });
  let turn = Promise.resolve();
  while (!stopped.aborted) {
    await takeTurn();
    await turn;
    await pause(everyMs, stopped);
  }
}

async function pollWith(lock: PollLock, options: SessionOptions, stopped: AbortSignal): Promise<void> {
  const ended = new AbortController();
  const end = () => ended.abort();
  onStop(lock.lost, end);
  const forget = onStop(stopped, end);
  options.log.info("polling the servers");
  await pollUntil(ended.signal, options);
  forget();
  if (!stopped.aborted) options.log.warn("polling stopped: the lock is lost");
  await lock.release();
}
