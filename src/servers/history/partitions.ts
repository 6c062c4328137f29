import type { Knex } from "knex";
import type { Db } from "../../db/connect.ts";
import { selectRows } from "../../db/rows.ts";
import type { Level } from "./levels.ts";
import { withLockTimeout } from "./lock-timeout.ts";

/** A table that is kept in partitions, each of which goes once it is old enough and rolled up. */
interface Partitioned {
  readonly table: string;
  readonly step: "day" | "month";
  readonly kept: string;
  /** The level that is made from it. */
  readonly rolledUpInto: Level;
}

const PARTITIONED: readonly Partitioned[] = [
  { table: "online_records", step: "day", kept: "48 hours", rolledUpInto: "five_minutes" },
  { table: "online_five_minutes", step: "day", kept: "14 days", rolledUpInto: "hours" },
  { table: "online_hours", step: "month", kept: "400 days", rolledUpInto: "days" },
];

/**
 * Makes room for raw records of these times and of now; a look into the catalogue where there is room already. To be
 * called before the first write of a transaction: where room is missing it waits for others who write to `servers`,
 * and one who waits should hold nothing that they wait for.
 */
export async function ensurePartitions(db: Db, times: readonly Date[] = []): Promise<void> {
  await db.raw("select ensure_partitions('online_records', 'day', array_append(?::timestamptz[], now()))", [
    times.map((time) => time.toISOString()),
  ]);
}

/** Makes room for buckets of these times in the table of a level; nothing to do where that is not partitioned. */
export async function ensureLevelPartitions(db: Db, table: string, times: readonly Date[]): Promise<void> {
  const step = PARTITIONED.find((partitioned) => partitioned.table === table)?.step;
  if (step === undefined) return;
  const texts = times.map((time) => time.toISOString());
  await db.raw("select ensure_partitions(?, ?, ?::timestamptz[])", [table, step, texts]);
}

/** Makes room for the records of today and the next two days, by the database's clock. */
export async function ensureRoomAhead(db: Knex): Promise<void> {
  await withLockTimeout(db, async (transaction) => {
    await transaction.raw(`
      select ensure_partitions('online_records', 'day',
        array(select now() + make_interval(hours => 24 * day) from generate_series(0, 2) as day))`);
  });
}

/** Drops each partition that is old enough and rolled up; resolves to their names. */
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
  const rows = await selectRows<{ name: string }>(
    db,
    `
    select name from (${namesAndEnds(partitioned)}) as partition
     where until <= now() - interval '${partitioned.kept}' order by name`,
  );
  return rows.map((row) => row.name);
}

/**
 * The name of a partition tells which day or month of UTC it holds (see ensure_partitions). The pattern is strict because
 * Postgres may read the names of other tables as well before it leaves those out.
 */
function namesAndEnds({ table, step }: Partitioned): string {
  const format = step === "day" ? "YYYYMMDD" : "YYYYMM";
  const digits = `substring(child.relname from '^${table}_(\\d{${format.length}})$')`;
  return `
    select child.relname as name, (to_date(${digits}, '${format}') + interval '1 ${step}') at time zone 'UTC' as until
      from pg_inherits join pg_class as child on child.oid = inhrelid
     where inhparent = '${table}'::regclass`;
}

/**
 * Looks again while the level above cannot be rewound: what is not rolled up, and be it since a moment ago, stays.
 * Dropping needs a moment in which nobody reads the servers; where there is none, the next run tries again.
 */
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
