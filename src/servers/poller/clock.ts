/** The database's clock, as this process knows it: slots are its, whatever the clock of this machine says. */
export interface Clock {
  /** Epoch milliseconds; null before the first measurement. */
  now(): number | null;
  /** Takes over what the database told between two moments of `performance.now()`. */
  set(databaseNow: number, sent: number, received: number): void;
}

/** Runs on by the process's monotonic clock, which nobody sets, until the next measurement. */
export function createClock(): Clock {
  let offset: number | null = null;
  return {
    now: () => (offset === null ? null : performance.now() + offset),
    set: (databaseNow, sent, received) => {
      offset = databaseNow - (sent + received) / 2;
    },
  };
}
