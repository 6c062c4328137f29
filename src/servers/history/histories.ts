import { emptyHistory, type History } from "./ranges.ts";

/** One bucket of a grid: columns with one value for each server that was measured in it. */
export type Bucket = BucketTime & (Columns | { [Column in keyof Columns]: null });

interface BucketTime {
  /** Epoch seconds. */
  start: number;
  /** Time of the newest record in it that is not rolled up yet. */
  checked_at: Date | null;
}

interface Columns {
  numbers: number[];
  known: number[];
  up: number[];
  online_count: number[];
  online_sum: number[];
  online_min: (number | null)[];
  online_max: (number | null)[];
  queue_count: number[];
  queue_sum: number[];
  queue_max: (number | null)[];
}

/** Figures of a span of time; null if unknown. */
interface HistorySummary {
  peak: number | null;
  average: number | null;
  /** Share, 0 to 1, of the polls with a known state that found the server online. */
  uptime: number | null;
}

export interface HistoryWithSummary extends HistorySummary {
  history: History;
}

/** Turns the grid's buckets into a history for each server in them, by its number. */
export function readHistories(buckets: readonly Bucket[]): Map<number, HistoryWithSummary> {
  const totals = new Map<number, Totals>();
  buckets.forEach((bucket, place) => {
    if (bucket.numbers === null) return;
    for (const [column, number] of bucket.numbers.entries()) {
      let total = totals.get(number);
      if (!total) {
        total = { known: 0, up: 0, count: 0, sum: 0, peak: null, history: emptyHistory(buckets.length) };
        totals.set(number, total);
      }
      add(total, bucket, { column, place });
    }
  });
  return new Map([...totals].map(([number, total]) => [number, summarise(total)]));
}

/** The history of a server without measurements. */
export function nothingKnown(buckets: number): HistoryWithSummary {
  return { peak: null, average: null, uptime: null, history: emptyHistory(buckets) };
}

/**
 * Summarises the buckets of a history rather than its polls, so that a client can recompute it from the columns of the
 * same answer. A bucket counts as up when any poll found the server online.
 */
export function summariseBuckets({ online, up }: Pick<History, "online" | "up">): HistorySummary {
  const counts = online.filter((count) => count !== null);
  const states = up.filter((share) => share !== null);
  return {
    peak: counts.length === 0 ? null : Math.max(...counts),
    average: quotient(sum(counts), counts.length),
    uptime: quotient(states.filter((share) => share > 0).length, states.length),
  };
}

interface Totals {
  known: number;
  up: number;
  count: number;
  sum: number;
  peak: number | null;
  history: History;
}

function add(total: Totals, bucket: Columns, { column, place }: { column: number; place: number }): void {
  const { history } = total;
  const [known = 0, up = 0] = [bucket.known[column], bucket.up[column]];
  const [count = 0, online = 0] = [bucket.online_count[column], bucket.online_sum[column]];
  const highest = bucket.online_max[column] ?? null;
  total.known += known;
  total.up += up;
  total.count += count;
  total.sum += online;
  if (highest !== null && (total.peak === null || highest > total.peak)) total.peak = highest;
  history.online[place] = mean(online, count);
  history.onlineMin[place] = bucket.online_min[column] ?? null;
  history.onlineMax[place] = highest;
  history.queue[place] = mean(bucket.queue_sum[column] ?? 0, bucket.queue_count[column] ?? 0);
  history.queueMax[place] = bucket.queue_max[column] ?? null;
  history.up[place] = quotient(up, known);
}

function summarise({ known, up, count, sum, peak, history }: Totals): HistoryWithSummary {
  return { peak, average: quotient(sum, count), uptime: quotient(up, known), history };
}

/** Rounds half up in integers: a division may miss a half by a little. */
function mean(sum: number, count: number): number | null {
  return count === 0 ? null : Math.floor((2 * sum + count) / (2 * count));
}

function quotient(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
