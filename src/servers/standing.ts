import type { Bucket } from "./history/histories.ts";
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
  const totals = new Map<number, Total>();
  buckets.forEach((bucket, day) => {
    if (bucket.numbers === null) return;
    for (const [column, number] of bucket.numbers.entries()) {
      const total = totals.get(number) ?? nothingCounted();
      totals.set(number, total);
      addDay(total, bucket, { column, day });
    }
  });
  const averages = [...totals.values()].map(computeAverage).filter((average) => average !== null);
  return {
    times: buckets.map(({ start }) => start),
    ranked: averages.length,
    ofServer: (number) => computeStanding(totals.get(number) ?? nothingCounted(), averages),
  };
}

interface Total {
  days: (number | null)[];
  known: number;
  up: number;
  count: number;
  sum: number;
  peak: number | null;
}

function nothingCounted(): Total {
  return {
    days: new Array<null>(STANDING_DAYS).fill(null),
    known: 0,
    up: 0,
    count: 0,
    sum: 0,
    peak: null,
  };
}

type Measured = Extract<Bucket, { numbers: number[] }>;

function addDay(total: Total, bucket: Measured, { column, day }: { column: number; day: number }): void {
  const [known = 0, up = 0] = [bucket.known[column], bucket.up[column]];
  total.days[day] = known === 0 ? null : up / known;
  total.known += known;
  total.up += up;
  if (day < STANDING_DAYS - RANK_DAYS) return;
  total.count += bucket.online_count[column] ?? 0;
  total.sum += bucket.online_sum[column] ?? 0;
  const highest = bucket.online_max[column] ?? null;
  if (highest !== null) total.peak = Math.max(highest, total.peak ?? 0);
}

function computeStanding(total: Total, averages: readonly number[]): Standing {
  const { days, known, up, peak } = total;
  const average = computeAverage(total);
  return {
    days,
    uptime: known === 0 ? null : up / known,
    peak,
    average,
    rank: average === null ? null : 1 + averages.filter((other) => other > average).length,
  };
}

function computeAverage({ sum, count }: Total): number | null {
  return count === 0 ? null : sum / count;
}
