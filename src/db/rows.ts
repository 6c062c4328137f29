import type { Knex } from "knex";
import type { Db } from "./connect.ts";
import { isLockTimeout } from "./failures.ts";

/** Values for the `?` or the `:names` of a statement. */
type Bindings = readonly Knex.RawBinding[] | Knex.ValueDict;

interface Answer<Row> {
  readonly rows: Row[];
  /** Rows that were inserted, updated or deleted. */
  readonly rowCount: number;
}

/**
 * The rows of an SQL statement, with the columns' types as connect.ts reads them (bigint as a number, numeric as
 * text).
 * @param timeoutMs a limit below that of the connection
 */
export async function selectRows<Row extends object>(
  db: Db,
  sql: string,
  bindings: Bindings = [],
  timeoutMs?: number,
): Promise<Row[]> {
  return (await run<Row>(db, sql, bindings, timeoutMs)).rows;
}

/** The row of a statement that always has one, such as a count. */
export async function selectRow<Row extends object>(
  db: Db,
  sql: string,
  bindings: Bindings = [],
  timeoutMs?: number,
): Promise<Row> {
  const [row] = await selectRows<Row>(db, sql, bindings, timeoutMs);
  if (row === undefined) throw new Error(`no row: ${sql}`);
  return row;
}

/** Runs a statement; returns how many rows it wrote, or selected. */
export async function countRows(db: Db, sql: string, bindings: Bindings = []): Promise<number> {
  return (await run(db, sql, bindings)).rowCount;
}

async function run<Row>(db: Db, sql: string, bindings: Bindings, timeoutMs?: number): Promise<Answer<Row>> {
  const query = db.raw<Answer<Row>>(sql, bindings);
  return timeoutMs === undefined ? query : query.timeout(timeoutMs);
}

const ROWS = 5_000;

/** Deletes matching rows in short statements, so that no lock is held long. Skips locked rows. Returns their number. */
export async function deleteInBatches(db: Db, table: string, condition: string): Promise<number> {
  for (let deleted = 0; ; ) {
    const count = await countRows(
      db,
      `delete from ?? where ctid = any(array(
         select ctid from ?? where ${condition} limit ${ROWS} for update skip locked))`,
      [table, table],
    );
    deleted += count;
    if (count < ROWS) return deleted;
  }
}

/**
 * Runs work in a transaction; undefined if it did not get a lock within `wait`. By default that is shorter than the
 * second after which Postgres looks for deadlocks, so this transaction gives up first.
 */
export async function withLockTimeout<Result>(
  db: Db,
  work: (transaction: Knex.Transaction) => Promise<Result>,
  wait = "500ms",
): Promise<Result | undefined> {
  try {
    return await db.transaction(async (transaction) => {
      await limitWaiting(transaction, wait);
      return work(transaction);
    });
  } catch (error) {
    if (isLockTimeout(error)) return undefined;
    throw error;
  }
}

/** Limits how long the rest of the transaction waits for a lock. */
export async function limitWaiting(transaction: Db, wait: string): Promise<void> {
  await transaction.raw(`set local lock_timeout to '${wait}'`);
}
