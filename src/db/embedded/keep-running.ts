import { setTimeout as delay } from "node:timers/promises";
import { openServer, type Site } from "./open.ts";
import type { RunningServer } from "./server.ts";

const LONGEST_PAUSE_MS = 30_000;

/**
 * Starts a server again that ends without being asked to (killed for want of memory, stopped by hand), on the same
 * port, so that pools recover.
 * @returns the function that stops it for good
 */
export function keepRunning(site: Site, first: RunningServer): () => Promise<void> {
  const stopping = new AbortController();
  let current: RunningServer | null = first;
  const watching = (async () => {
    while (current && !stopping.signal.aborted) {
      await current.ended;
      if (!stopping.signal.aborted) current = await startAgain(site, first.port, stopping.signal);
    }
    await current?.stop();
  })();
  return async () => {
    stopping.abort();
    await current?.stop();
    await watching;
  };
}

/** Null when another process has started it in between, and when it shall not run any more. */
async function startAgain(site: Site, port: number, stopping: AbortSignal): Promise<RunningServer | null> {
  site.log("The database ended without being asked to; starting it again");
  for (let pause = 500; !stopping.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      const { server } = await openServer(site, port);
      site.log("The database is back");
      return server;
    } catch (error) {
      site.log(`${(error as Error).message}; next try in ${pause / 1000} s`);
      await delay(pause, undefined, { ref: false, signal: stopping }).catch(() => undefined);
    }
  }
  return null;
}
