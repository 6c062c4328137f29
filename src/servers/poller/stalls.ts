const BEAT_MS = 100;
/** What a busy process may be late: little of the 2 s that an answer usually has. */
const TOLERATED_MS = 500;

export interface Stalls {
  /** Whether the process has been standing still at some time since then, by the clock of `performance.now()`. */
  since(time: number): boolean;
  stop(): void;
}

/**
 * Notices when the process did not get to run, busy or stopped. Its timers are then served before its sockets, so that
 * every ask under way runs out of time with the answer waiting to be read: such a miss proves nothing.
 */
export function watchStalls(): Stalls {
  let lastBeat = performance.now();
  let stalledUntil = -Infinity;
  const beat = () => {
    const now = performance.now();
    if (now - lastBeat > TOLERATED_MS) stalledUntil = now;
    lastBeat = now;
  };
  const timer = setInterval(beat, BEAT_MS);
  timer.unref();
  return {
    since(time) {
      beat();
      return stalledUntil >= time;
    },
    stop: () => clearInterval(timer),
  };
}
