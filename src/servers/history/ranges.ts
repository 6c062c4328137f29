import type { Level } from "./levels.ts";

/** Buckets of one length up to now; the last one still runs. */
export interface Grid {
  readonly intervalS: number;
  readonly buckets: number;
  /** The coarsest level that the buckets can be added up from: it has the fewest rows. */
  readonly base: Level;
}

/** The spans of time that a history is shown for. */
export const RANGES = {
  "24h": { intervalS: 300, buckets: 288, base: "five_minutes" },
  "7d": { intervalS: 1800, buckets: 336, base: "five_minutes" },
  "30d": { intervalS: 7200, buckets: 360, base: "hours" },
  "1y": { intervalS: 86_400, buckets: 365, base: "days" },
} as const satisfies Record<string, Grid>;
export type RangeName = keyof typeof RANGES;

/** The names of the ranges, shortest first. */
export const RANGE_NAMES = ["24h", "7d", "30d", "1y"] as const satisfies readonly RangeName[];

/** One server's history, one value for each bucket; null if nothing is known, never 0 or a neighbour's value. */
export interface History {
  /** Mean of the counts measured in the bucket, rounded half up. */
  online: (number | null)[];
  onlineMin: (number | null)[];
  onlineMax: (number | null)[];
  /** Mean of the queues measured in the bucket, rounded half up. */
  queue: (number | null)[];
  queueMax: (number | null)[];
  /** Share, 0 to 1, of the polls with a known state that found the server online, or null. */
  up: (number | null)[];
}

/** A history without measurements. */
export function emptyHistory(buckets: number): History {
  const nothing = () => new Array<null>(buckets).fill(null);
  return {
    online: nothing(),
    onlineMin: nothing(),
    onlineMax: nothing(),
    queue: nothing(),
    queueMax: nothing(),
    up: nothing(),
  };
}
