import { type Bucket, nothingKnown, readHistories } from "./history/histories.ts";
import type { Grid } from "./history/ranges.ts";

/** How many days a standing's uptime looks back, today included. */
export const STANDING_DAYS = 90;
/** How many of them count for the peak and the rank. */
const RANK_DAYS = 30;

/** The days of a standing, which are days of UTC. */
export const STANDING_GRID: Grid = { intervalS: 86_400, buckets: STANDING_DAYS, base: "days" };

/** How a server has done over the last months, alone and among the others. Unknown is null. */
export interface Standing {
  /** Share, 0 to 1, of each day's polls with a known state that found it online; oldest first, the last is today. */
  days: (number | null)[];
  /** The same share of all of these days. */
  uptime: number | null;
  /** Highest count of the last 30 days. */
  peak: number | null;
  /** Mean of the counts of the last 30 days. */
  average: number | null;
  /** Its rank among the servers by that mean, from 1; servers with the same mean share a rank. */
  rank: number | null;
}

/** The standings of servers by their numbers, and how many of them have a rank. */
export interface Standings {
  /** Starts of the days, in epoch seconds. */
  times: number[];
  ranked: number;
  ofServer(number: number): Standing;
}

/** Reads standings from the buckets of `STANDING_GRID`, of all servers. */
export function readStandings(buckets: readonly Bucket[]): Standings {
  const all = readHistories(buckets);
  const recent = readHistories(buckets.slice(-RANK_DAYS));
  const averages = [...recent.values()].flatMap(({ average }) => average ?? []);
  return {
    times: buckets.map(({ start }) => start),
    ranked: averages.length,
    ofServer: (number) => {
      const { history, uptime } = all.get(number) ?? nothingKnown(STANDING_DAYS);
      const { peak, average } = recent.get(number) ?? nothingKnown(RANK_DAYS);
      const rank = average === null ? null : 1 + averages.filter((other) => other > average).length;
      return { days: history.up, uptime, peak, average, rank };
    },
  };
}
