import type { Db } from "../../db/connect.ts";
import { selectRows } from "../../db/rows.ts";
import type { Bucket } from "./histories.ts";
import {
  doneUntil,
  LEVEL_NAMES,
  LEVELS,
  type Level,
  RECORDS,
  SUM_COLUMNS,
  SUMS_OF_BUCKETS,
} from "./levels.ts";
import type { Grid } from "./ranges.ts";

/** The counts of one hour's polls: how many, and their sum. */
export interface HourOfPolls {
  /** Epoch seconds. */
  start: number;
  onlineCount: number;
  onlineSum: number;
}

/** The known states of a server in a span; its length is 0 for a single poll. */
export interface Observation {
  /** Epoch seconds. */
  start: number;
  lengthS: number;
  known: number;
  up: number;
}

/**
 * One row for each bucket of a grid, by the database's clock, which also dated the records. Leaves out records in the
 * future, written by a poller whose clock runs ahead.
 *
 * Goes bucket by bucket, which reads rows in their order on disk. One grouping of all takes 1.5 times as long, or twice
 * as long beyond work_mem.
 * @param id of one server; null for all
 */
export async function selectBuckets(db: Db, grid: Grid, id: string | null): Promise<Bucket[]> {
  const { base, intervalS, buckets } = grid;
  const columns = SUM_COLUMNS.split(", ").filter((column) => column !== "queue_min");
  return selectRows<Bucket>(
    db,
    `select extract(epoch from bucket.start)::double precision as start, measured.*
       from ${listBucketStarts(intervalS, buckets)}
      cross join lateral (
        select json_agg(server_number) as numbers, max(checked_at) as checked_at,
               ${columns.map((column) => `json_agg(${column}) as ${column}`).join(", ")}
          from (${sumsOfBucket({ base, intervalS, id })}) as server where ${IS_THERE}
      ) as measured
      order by bucket.start`,
    id === null ? {} : { id },
  );
}

/** The last 24 hours of all servers together, and of the servers that a query selects. */
export interface DayOfAll {
  /** For each quarter of an hour, oldest first: the sum of the means of all measured servers, or null. */
  readonly players: (number | null)[];
  /** The mean of each named server, by its number, of each quarter of an hour. */
  readonly named: (Readonly<Record<string, number>> | null)[];
}

/** @param named SQL: the numbers of some servers */
export async function selectDayOfAll(db: Db, named: string): Promise<DayOfAll> {
  const intervalS = 900;
  const rows = await selectRows<{ players: number | null; named: Record<string, number> | null }>(
    db,
    `with wanted as materialized (${named})
     select measured.players, measured.named
       from ${listBucketStarts(intervalS, 96)}
      cross join lateral (
        select sum(mean)::integer as players,
               json_object_agg(server_number, mean) filter (where server_number in (select number from wanted)) as named
          from (select server_number, round(online_sum::numeric / online_count)::integer as mean
                  from (${sumsOfBucket({ base: "five_minutes", intervalS, id: null })}) as sums
                 where online_count > 0 and ${IS_THERE}) as server
      ) as measured
      order by bucket.start`,
  );
  return { players: rows.map(({ players }) => players), named: rows.map(({ named }) => named) };
}

/** The hours of the last days with measurements of a server, oldest first; the last one still runs. */
export async function selectHours(db: Db, id: string, days: number): Promise<HourOfPolls[]> {
  const intervalS = LEVELS.hours.bucketS;
  return selectRows<HourOfPolls>(
    db,
    `select extract(epoch from bucket.start)::double precision as start, online_count as "onlineCount",
            online_sum as "onlineSum"
       from ${listBucketStarts(intervalS, Math.trunc(days) * 24)}
      cross join lateral (${sumsOfBucket({ base: "hours", intervalS, id })}) as hour
      where known > 0 order by bucket.start`,
    { id },
  );
}

/**
 * The observations since a time that found a server offline, each with the one after it, in order. Single polls as far
 * back as those are kept, before that five minutes and hours.
 */
export async function selectFailures(db: Db, id: string, from: Date): Promise<Observation[]> {
  const polls = `least(date_bin('1 hour', now() - interval '47 hours', 'epoch'), ${doneUntil("five_minutes")})`;
  const fiveMinutes = `least(date_bin('1 day', now() - interval '13 days', 'epoch'), ${doneUntil("hours")})`;
  return selectRows<Observation>(
    db,
    `select extract(epoch from start)::double precision as start, "lengthS", known, up from (
       select *, lag(up < known) over (order by start) as follows from (
         select checked_at as start, 0 as "lengthS", 1 as known, (status = 'online')::integer as up
           from online_records
          where server_number = ${NUMBER} and checked_at >= greatest(:from, ${polls}) and checked_at <= now()
            and status <> 'unknown'
         union all
         select start, ${LEVELS.five_minutes.bucketS}, known, up from online_five_minutes
          where server_number = ${NUMBER} and start >= greatest(:from, ${fiveMinutes}) and start < ${polls}
         union all
         select start, ${LEVELS.hours.bucketS}, known, up from online_hours
          where server_number = ${NUMBER} and start >= :from and start < ${fiveMinutes}
       ) as observation where known > 0
     ) as observation where up < known or follows order by start`,
    { id, from: from.toISOString() },
  );
}

/** Leaves out the kept history of removed servers. */
const IS_THERE = "server_number in (select number from servers)";

const NUMBER = "(select number from servers where id = :id)";

/** SQL: the starts of the last buckets, including the one that runs now. */
function listBucketStarts(intervalS: number, buckets: number): string {
  const interval = seconds(intervalS);
  const first = `date_bin(${interval}, now(), 'epoch') - ${interval} * ${buckets - 1}`;
  return `generate_series(${first}, now(), ${interval}) as bucket (start)`;
}

interface Wanted {
  base: Level;
  intervalS: number;
  id: string | null;
}

/** SQL: the sums of `bucket`, a row for each server; a bucket of five minutes is one row already. */
function sumsOfBucket(wanted: Wanted): string {
  if (wanted.intervalS === LEVELS.five_minutes.bucketS) return rowsOfBucket(wanted);
  return `
    select server_number, ${SUMS_OF_BUCKETS}, max(checked_at) as checked_at
      from (${rowsOfBucket(wanted)}) as part group by server_number`;
}

/**
 * SQL: rows that hold every poll of `bucket` exactly once: from each level what is rolled up, the rest from the level
 * below, down to the raw records. So a late roll-up hides nothing.
 */
function rowsOfBucket({ base, intervalS, id }: Wanted): string {
  const levels = LEVEL_NAMES.slice(0, LEVEL_NAMES.indexOf(base) + 1).reverse();
  const end = `bucket.start + ${seconds(intervalS)}`;
  const ofServer = id === null ? "" : `and server_number = ${NUMBER}`;
  const rolledUp = levels.map(
    (level, place) => `
      select server_number, ${SUM_COLUMNS}, null::timestamptz as checked_at
        from ${LEVELS[level].table}
       where start >= ${startBelow(levels[place - 1])} and start < least(${end}, ${doneUntil(level)}) ${ofServer}`,
  );
  const rest = `
      select server_number, ${RECORDS.sums}, max(checked_at)
        from online_records
       where checked_at >= ${startBelow(levels.at(-1))} and checked_at < ${end} and checked_at <= now() ${ofServer}
       group by server_number`;
  return [...rolledUp, rest].join(" union all ");
}

function startBelow(level: Level | undefined): string {
  return level === undefined ? "bucket.start" : `greatest(bucket.start, ${doneUntil(level)})`;
}

function seconds(count: number): string {
  return `interval '${count} seconds'`;
}
