const BEAT_MS = 100;
/** How late a busy process may be; small beside the 2 s that an answer usually has. */
const TOLERATED_MS = 500;

export interface Stalls {
  /** Whether the process stalled after `time`, as `performance.now()` gives it. */
  since(time: number): boolean;
  stop(): void;
}

/**
 * Notices when the process was busy or suspended. Timers then run before sockets are read, so every ask under way
 * times out although its answer may be waiting: such a miss proves nothing.
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
