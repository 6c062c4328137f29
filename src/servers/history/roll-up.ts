import type { Knex } from "knex";
import type { Db } from "../../db/connect.ts";
import { selectRow, selectRows } from "../../db/rows.ts";
import { doneUntil, LEVEL_NAMES, LEVELS, type Level, RAW_HOURS, SUM_COLUMNS } from "./levels.ts";
import { dropOldPartitions, ensureLevelPartitions, ensureRoomAhead, withLockTimeout } from "./partitions.ts";

/** How long after its time a record may be written, other than by a transaction that is still open. */
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

/** Rolls up the next span of a level. False where nothing more is complete or another process is at it. */
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
 * as the last step of the transaction that writes them: it holds the roll-up back until the transaction ends. Goes
 * back no further than raw records are kept: older buckets cannot be made again.
 */
export async function rewindHistory(db: Db, from: Date): Promise<void> {
  // Locks even without anything to rewind: a roll-up under way does not see these records.
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
