import type { Knex } from "knex";
import type { Db } from "../../db/connect.ts";
import { selectRow, selectRows, withLockTimeout } from "../../db/rows.ts";
import { doneUntil, LEVEL_NAMES, LEVELS, type Level, RAW_HOURS, SUM_COLUMNS } from "./levels.ts";

/** A partitioned table; a partition is dropped once it is old enough and rolled up. */
interface Partitioned {
  readonly table: string;
  readonly step: "day" | "month";
  readonly kept: string;
  /** The level made from it. */
  readonly rolledUpInto: Level;
}

const PARTITIONED: readonly Partitioned[] = [
  { table: "online_records", step: "day", kept: "48 hours", rolledUpInto: "five_minutes" },
  { table: "online_five_minutes", step: "day", kept: "14 days", rolledUpInto: "hours" },
  { table: "online_hours", step: "month", kept: "400 days", rolledUpInto: "days" },
];

/** How long after its time a record may be written, except by a transaction that is still open. */
const GRACE_S = 30;

interface Span {
  readonly from: Date;
  /** Exclusive. */
  readonly until: Date;
}

/**
 * Creates partitions for the next days, rolls up complete buckets and drops old partitions. Each step moves
 * `done_until` in the transaction that writes its rows, so a run may stop at any point. Several may run at once,
 * because a lock lets one at a time roll up a level.
 */
export async function rollUpHistory(db: Knex, { graceS = GRACE_S } = {}): Promise<void> {
  await ensureRoomAhead(db);
  for (const level of LEVEL_NAMES) {
    while (await rollUpStep(db, level, { graceS }));
  }
  await dropOldPartitions(db);
}

/** Rolls up the next span of a level. False if nothing more is complete or another process is doing it. */
export async function rollUpStep(db: Knex, level: Level, { graceS = GRACE_S } = {}): Promise<boolean> {
  const advanced = await withLockTimeout(db, async (transaction) => {
    const from = await lockProgress(transaction, level);
    const until = from && (await findEnd(transaction, level, { from, graceS }));
    if (!from || !until || until <= from) return false;
    await rollUp(transaction, level, { from, until });
    return true;
  });
  return advanced === true;
}

/** Undefined while another transaction rolls this level up or rewinds it. */
async function lockProgress(transaction: Knex.Transaction, level: Level): Promise<Date | undefined> {
  const rows = await selectRows<{ done_until: Date }>(
    transaction,
    "select done_until from history_progress where level = ? for update skip locked",
    [level],
  );
  return rows[0]?.done_until;
}

/** End of the last complete bucket that one step reaches. */
async function findEnd(
  transaction: Knex.Transaction,
  level: Level,
  { from, graceS }: { from: Date; graceS: number },
): Promise<Date> {
  const { bucketS, chunkS } = LEVELS[level];
  const below = LEVEL_NAMES[LEVEL_NAMES.indexOf(level) - 1];
  const row = await selectRow<{ until: Date }>(
    transaction,
    `select date_bin(make_interval(secs => :bucketS), least(
              ${below ? doneUntil(below) : NOTHING_PENDING}, cast(:from as timestamptz) + make_interval(secs => :chunkS)
            ), 'epoch') as until`,
    { bucketS, chunkS, graceS, from: from.toISOString() },
  );
  return row.until;
}

/** SQL: the time before which no record can appear. Waits for open transactions: their records are not visible yet. */
const NOTHING_PENDING = `least(now() - make_interval(secs => :graceS),
  (select min(xact_start) from pg_stat_activity
    where datname = current_database() and backend_xid is not null and pid <> pg_backend_pid()))`;

/** Deletes the span's buckets before it writes them, so that buckets without records do not stay. */
async function rollUp(transaction: Knex.Transaction, level: Level, span: Span): Promise<void> {
  const { table, source } = LEVELS[level];
  const times = { from: span.from.toISOString(), until: span.until.toISOString() };
  await transaction.raw(`delete from ${table} where start >= :from and start < :until`, times);
  const rows = await selectRows<object>(
    transaction,
    `select 1 from ${source.table} where ${source.time} >= :from and ${source.time} < :until limit 1`,
    times,
  );
  if (rows.length > 0) {
    await ensureLevelPartitions(transaction, table, [span.from, new Date(span.until.getTime() - 1)]);
    await transaction.raw(
      `insert into ${table} (start, server_number, ${SUM_COLUMNS}) ${bucketsBetween(level)} order by 1, 2`,
      times,
    );
  }
  const progress = { ...times, level };
  await transaction.raw("update history_progress set done_until = :until where level = :level", progress);
}

/** SQL: a level's buckets from `:from` to `:until`, from its source; a bucket without known states has no row. */
function bucketsBetween(level: Level): string {
  const { bucketS, source } = LEVELS[level];
  return `
    select date_bin(make_interval(secs => ${bucketS}), ${source.time}, 'epoch'), server_number, ${source.sums}
      from ${source.table}
     where ${source.time} >= :from and ${source.time} < :until
     group by 1, 2 ${source.table === "online_records" ? "having bool_or(status <> 'unknown')" : ""}`;
}

/**
 * Marks everything from a time on to be rolled up again, because records of that time were written or changed. Call it
 * as the last step of the transaction that writes them: it holds the roll-up back until the transaction ends. Goes back
 * no further than raw records are kept, because older buckets cannot be rebuilt.
 */
export async function rewindHistory(db: Db, from: Date): Promise<void> {
  // Takes the lock even with nothing to rewind, because a running roll-up does not see these records.
  await db.raw("select 1 from history_progress order by level for update");
  await db.raw(
    `update history_progress as progress set done_until = rewound.start
       from (select level, date_bin(make_interval(secs => bucket_s), written.since, 'epoch') as start
               from unnest(?::text[], ?::integer[]) as levels (level, bucket_s)
              cross join (select greatest(?::timestamptz, now() - make_interval(hours => ?)) as since) as written
            ) as rewound
      where progress.level = rewound.level and progress.done_until > rewound.start`,
    [[...LEVEL_NAMES], LEVEL_NAMES.map((level) => LEVELS[level].bucketS), from.toISOString(), RAW_HOURS],
  );
}

/**
 * Creates missing partitions for raw records of these times, of today and of the next two days. Call it before the first
 * write of a transaction: creating one waits for writers of `servers`, and must not hold locks that they wait for.
 */
export async function ensurePartitions(db: Db, times: readonly Date[] = []): Promise<void> {
  await db.raw(
    `select ensure_partitions('online_records', 'day', ?::timestamptz[] ||
       array(select now() + make_interval(hours => 24 * day) from generate_series(0, 2) as day))`,
    [times.map((time) => time.toISOString())],
  );
}

/** Creates missing partitions for buckets of these times, if the level's table is partitioned. */
export async function ensureLevelPartitions(db: Db, table: string, times: readonly Date[]): Promise<void> {
  const step = PARTITIONED.find((partitioned) => partitioned.table === table)?.step;
  if (step === undefined) return;
  const texts = times.map((time) => time.toISOString());
  await db.raw("select ensure_partitions(?, ?, ?::timestamptz[])", [table, step, texts]);
}

/** The same ahead of time, so that it can wait for the next run while an import holds the locks. */
export async function ensureRoomAhead(db: Knex): Promise<void> {
  await withLockTimeout(db, (transaction) => ensurePartitions(transaction));
}

/** Drops each partition that is old enough and rolled up; returns their names. */
export async function dropOldPartitions(db: Knex): Promise<string[]> {
  const dropped: string[] = [];
  for (const partitioned of PARTITIONED) {
    for (const name of await findOldPartitions(db, partitioned)) {
      if (await withLockTimeout(db, (transaction) => drop(transaction, partitioned, name)))
        dropped.push(name);
    }
  }
  return dropped;
}

async function findOldPartitions(db: Db, partitioned: Partitioned): Promise<string[]> {
  const sql = `
    select name from (${namesAndEnds(partitioned)}) as partition
     where until <= now() - interval '${partitioned.kept}' order by name`;
  return (await selectRows<{ name: string }>(db, sql)).map(({ name }) => name);
}

/**
 * A partition's name holds its day or month in UTC (see ensure_partitions). The pattern is strict because Postgres may
 * apply it to other tables before it filters those out.
 */
function namesAndEnds({ table, step }: Partitioned): string {
  const format = step === "day" ? "YYYYMMDD" : "YYYYMM";
  const digits = `substring(child.relname from '^${table}_(\\d{${format.length}})$')`;
  return `
    select child.relname as name, (to_date(${digits}, '${format}') + interval '1 ${step}') at time zone 'UTC' as until
      from pg_inherits join pg_class as child on child.oid = inhrelid
     where inhparent = '${table}'::regclass`;
}

/** Checks again that the partition is rolled up, under a lock. Dropping waits for queries that read servers. */
async function drop(transaction: Knex.Transaction, partitioned: Partitioned, name: string): Promise<boolean> {
  const rows = await selectRows<object>(
    transaction,
    `select 1 from history_progress as progress, (${namesAndEnds(partitioned)}) as partition
      where progress.level = ? and partition.name = ? and partition.until <= progress.done_until
        for update of progress skip locked`,
    [partitioned.rolledUpInto, name],
  );
  if (rows.length === 0) return false;
  await transaction.raw("drop table if exists ??", [name]);
  return true;
}
