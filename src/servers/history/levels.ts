/** A level of the history, rolled up from the one below. */
export type Level = "five_minutes" | "hours" | "days";

/** The source of a level: a table, its column of time, and the sums of a bucket of one server. */
interface Source {
  readonly table: string;
  readonly time: string;
  readonly sums: string;
}

interface LevelPlan {
  readonly table: string;
  /** Length of a bucket, in seconds. Buckets start at multiples of it since 1970 in UTC. */
  readonly bucketS: number;
  /** The maximum number of seconds rolled up in one transaction, so that a long pause is caught up in steps. */
  readonly chunkS: number;
  readonly source: Source;
}

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;

/** The columns of every level's sums, in the order of their source. */
export const SUM_COLUMNS =
  "known, up, online_count, online_sum, online_min, online_max, queue_count, queue_sum, queue_min, queue_max";

/** The raw records. */
export const RECORDS: Source = {
  table: "online_records",
  time: "checked_at",
  sums: `
    count(*) filter (where status <> 'unknown') as known, count(*) filter (where status = 'online') as up,
    count(online) as online_count, coalesce(sum(online), 0) as online_sum,
    min(online) as online_min, max(online) as online_max,
    count(queue) as queue_count, coalesce(sum(queue), 0) as queue_sum,
    min(queue) as queue_min, max(queue) as queue_max`,
};

/** Sums of finer buckets. */
export const SUMS_OF_BUCKETS = `
  sum(known)::bigint as known, sum(up)::bigint as up,
  sum(online_count)::bigint as online_count, sum(online_sum)::bigint as online_sum,
  min(online_min) as online_min, max(online_max) as online_max,
  sum(queue_count)::bigint as queue_count, sum(queue_sum)::bigint as queue_sum,
  min(queue_min) as queue_min, max(queue_max) as queue_max`;

/** Each level is made from the one before it, the first from the raw records. */
export const LEVELS: Readonly<Record<Level, LevelPlan>> = {
  five_minutes: { table: "online_five_minutes", bucketS: 300, chunkS: 6 * HOUR_S, source: RECORDS },
  hours: {
    table: "online_hours",
    bucketS: HOUR_S,
    chunkS: 2 * DAY_S,
    source: { table: "online_five_minutes", time: "start", sums: SUMS_OF_BUCKETS },
  },
  days: {
    table: "online_days",
    bucketS: DAY_S,
    chunkS: 30 * DAY_S,
    source: { table: "online_hours", time: "start", sums: SUMS_OF_BUCKETS },
  },
};

/** Levels from the finest to the coarsest. */
export const LEVEL_NAMES = ["five_minutes", "hours", "days"] as const satisfies readonly Level[];

/** How long raw records are kept; older ones cannot enter the history any more. */
export const RAW_HOURS = 48;

/** SQL: every bucket of a level that starts before this time is rolled up. */
export function doneUntil(level: Level): string {
  return `(select done_until from history_progress where level = '${level}')`;
}
