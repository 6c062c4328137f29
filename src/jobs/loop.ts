import type { Logger } from "pino";

/** Work that is asked for again and again, in one process; the work itself must be safe to run in several at once. */
export interface Loop {
  name: string;
  /** Pause between the end of one run and the beginning of the next, in seconds. */
  everySeconds: number;
  run(): Promise<unknown>;
}

/**
 * Runs each loop at once and then after every pause, so that runs of one never overlap. A failure is logged and tried
 * again after the next pause. `stop` waits for what is running.
 */
export function startLoops(loops: Loop[], log: Logger): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const running = loops.map((loop) => repeat(loop, log, stopping.signal));
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

async function repeat(loop: Loop, log: Logger, stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    try {
      await loop.run();
    } catch (error) {
      log.warn({ err: error, loop: loop.name }, "a background run failed");
    }
    await pause(loop.everySeconds * 1000, stopped);
  }
}

function pause(milliseconds: number, stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stopped.aborted) return resolve();
    const timer = setTimeout(done, milliseconds);
    stopped.addEventListener("abort", done, { once: true });
    function done() {
      clearTimeout(timer);
      stopped.removeEventListener("abort", done);
      resolve();
    }
  });
}
