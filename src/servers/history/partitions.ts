import type { Knex } from "knex";
import type { Db } from "../../db/connect.ts";
import { selectRows } from "../../db/rows.ts";
import type { Level } from "./levels.ts";

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

/**
 * Creates missing partitions for raw records of these times and of now. Call it before the first write of a
 * transaction: creating one waits for writers of `servers`, and must not hold locks that they wait for.
 */
export async function ensurePartitions(db: Db, times: readonly Date[] = []): Promise<void> {
  await db.raw("select ensure_partitions('online_records', 'day', array_append(?::timestamptz[], now()))", [
    times.map((time) => time.toISOString()),
  ]);
}

/** Creates missing partitions for buckets of these times, where the level's table is partitioned. */
export async function ensureLevelPartitions(db: Db, table: string, times: readonly Date[]): Promise<void> {
  const step = PARTITIONED.find((partitioned) => partitioned.table === table)?.step;
  if (step === undefined) return;
  const texts = times.map((time) => time.toISOString());
  await db.raw("select ensure_partitions(?, ?, ?::timestamptz[])", [table, step, texts]);
}

/** Creates missing partitions for raw records of today and the next two days, by the database's clock. */
export async function ensureRoomAhead(db: Knex): Promise<void> {
  await withLockTimeout(db, async (transaction) => {
    await transaction.raw(`
      select ensure_partitions('online_records', 'day',
        array(select now() + make_interval(hours => 24 * day) from generate_series(0, 2) as day))`);
  });
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

/** Checks again that the partition is rolled up, under a lock. Dropping has to wait for readers of the servers. */
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

/** Less than the second after which Postgres looks for deadlocks: of two that wait for each other, this one gives up. */
const LOCK_TIMEOUT = "500ms";
const LOCK_NOT_AVAILABLE = "55P03";

/** Does work in a transaction of its own that can wait; returns undefined where it did not get a lock. */
export async function withLockTimeout<Result>(
  db: Knex,
  work: (transaction: Knex.Transaction) => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await db.transaction(async (transaction) => {
      await transaction.raw(`set local lock_timeout to '${LOCK_TIMEOUT}'`);
      return work(transaction);
    });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === LOCK_NOT_AVAILABLE) return undefined;
    throw error;
  }
}
