import { setMaxListeners } from "node:events";
import { type PollLock, takePollLock } from "./lock.ts";
import { pause, toldOnce } from "./repeat.ts";
import { pollUntil, type SessionOptions } from "./session.ts";

export type PollerOptions = Omit<SessionOptions, "adapters"> & Partial<Pick<SessionOptions, "adapters">>;

export interface Poller {
  /** Ends what is under way, writes what is known, and gives the lock back: within a few seconds. */
  stop(): Promise<void>;
}

/**
 * Polls the servers that have an adapter, as long as no other process does: of several, one polls and the others wait
 * for its lock. When the lock is lost (the database was restarted, say) polling stops at once and the lock is sought again.
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

/** The adapters know hundreds of games: who does not poll need not load them. */
async function poll(options: PollerOptions, stopped: AbortSignal): Promise<void> {
  const adapters = options.adapters ?? (await import("./adapters.ts")).ADAPTERS;
  await seekLock({ ...options, adapters }, stopped);
}

async function seekLock(options: SessionOptions, stopped: AbortSignal): Promise<void> {
  const { db, log, intervalMs } = options;
  const everyMs = Math.min(intervalMs / 4, 10_000);
  let isWaiting = false;
  const takeTurn = toldOnce(log, "ask for the lock", async () => {
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
  setMaxListeners(0, ended.signal); // each ask has one, and there are as many as may run at a time
  const end = () => ended.abort();
  lock.lost.addEventListener("abort", end, { once: true });
  stopped.addEventListener("abort", end, { once: true });
  if (stopped.aborted || lock.lost.aborted) end();
  options.log.info("polling the servers");
  await pollUntil(ended.signal, options);
  stopped.removeEventListener("abort", end);
  if (!stopped.aborted) options.log.warn("polling stopped: the lock is lost");
  await lock.release();
}
