import type { Logger } from "pino";
import { repeat } from "../repeat.ts";

/** Work repeated in one process; it must be safe to run in several processes at once. */
export interface Loop {
  name: string;
  /** Seconds between the end of one run and the start of the next. */
  everySeconds: number;
  run(): Promise<unknown>;
}

/** Runs each loop at once and after every pause. A failure is logged and tried again. `stop` waits for open runs. */
export function startLoops(loops: Loop[], log: Logger): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const running = loops.map((loop) =>
    repeat(() => runLogged(loop, log), loop.everySeconds * 1000, stopping.signal),
  );
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

async function runLogged({ name, run }: Loop, log: Logger): Promise<void> {
  try {
    await run();
  } catch (error) {
    log.warn({ err: error, loop: name }, "a background run failed");
  }
}
