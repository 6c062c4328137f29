import type { Knex } from "knex";
import { selectRow, selectRows } from "../../db/rows.ts";
import { doneUntil, LEVEL_NAMES, LEVELS, type Level, SUM_COLUMNS } from "./levels.ts";
import { withLockTimeout } from "./lock-timeout.ts";
import { dropOldPartitions, ensureLevelPartitions, ensureRoomAhead } from "./partitions.ts";

/** A record is written at most so long after its time, other than by a transaction that is still under way. */
const GRACE_S = 30;

interface Span {
  readonly from: Date;
  /** Exclusive. */
  readonly until: Date;
}

/**
 * Rolls up what is complete, drops what is old enough and rolled up, and makes room for the next days. Every step is
 * a transaction that moves `done_until` together with the rows it stands for, so a run may end at any point, and
 * several may run at once: a level is rolled up by one of them at a time.
 */
export async function rollUpHistory(db: Knex, { graceS = GRACE_S } = {}): Promise<void> {
  await ensureRoomAhead(db);
  for (const level of LEVEL_NAMES) {
    while (await rollUpStep(db, level, { graceS }));
  }
  await dropOldPartitions(db);
}

/** Rolls up the next span of a level. False where nothing more is complete, or somebody else is at it. */
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

/** Undefined while another transaction rolls this level up or has rewound it. */
async function lockProgress(transaction: Knex.Transaction, level: Level): Promise<Date | undefined> {
  const rows = await selectRows<{ done_until: Date }>(
    transaction,
    "select done_until from history_progress where level = ? for update skip locked",
    [level],
  );
  return rows[0]?.done_until;
}

/** End of the last bucket that is complete, as far as one step goes. */
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

/**
 * SQL: the time before which no record will come any more. The records of a transaction that is under way are of its
 * beginning or later, and nobody sees them yet: however long it takes, it is waited for.
 */
const NOTHING_PENDING = `least(now() - make_interval(secs => :graceS),
  (select min(xact_start) from pg_stat_activity
    where datname = current_database() and backend_xid is not null and pid <> pg_backend_pid()))`;

/** What was there of these buckets is made anew, so that nothing stays that no longer has a reason. */
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
  await transaction.raw("update history_progress set done_until = :until where level = :level", {
    ...times,
    level,
  });
}

/** SQL: a level's buckets from `:from` to `:until`, from its source; one of which nothing is known has no row. */
function bucketsBetween(level: Level): string {
  const { bucketS, source } = LEVELS[level];
  return `
    select date_bin(make_interval(secs => ${bucketS}), ${source.time}, 'epoch'), server_number, ${source.sums}
      from ${source.table}
     where ${source.time} >= :from and ${source.time} < :until
     group by 1, 2 ${source.table === "online_records" ? "having bool_or(status <> 'unknown')" : ""}`;
}
