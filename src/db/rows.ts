import type { Knex } from "knex";
import type { Db } from "./connect.ts";

/** Values for the `?` or the `:names` of a statement. */
type Bindings = readonly Knex.RawBinding[] | Knex.ValueDict;

interface Answer<Row> {
  readonly rows: Row[];
  /** Rows that were inserted, updated or deleted. */
  readonly rowCount: number;
}

/**
 * The rows of a statement in SQL. Knex says `any` of them: the caller says what the columns are, as `pg` reads them
 * (bigint as a number, numeric as text; see connect.ts).
 * @param timeoutMs how long it may take, where that is less than any statement may
 */
export async function selectRows<Row extends object>(
  db: Db,
  sql: string,
  bindings: Bindings = [],
  timeoutMs?: number,
): Promise<Row[]> {
  return (await run<Row>(db, sql, bindings, timeoutMs)).rows;
}

/**
 * The row of a statement that always has one, such as a count.
 * @throws Error where it has none
 */
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

/** Runs a statement that writes; resolves to how many rows it wrote, or returned where it is a select. */
export async function countRows(db: Db, sql: string, bindings: Bindings = []): Promise<number> {
  return (await run(db, sql, bindings)).rowCount;
}

async function run<Row>(db: Db, sql: string, bindings: Bindings, timeoutMs?: number): Promise<Answer<Row>> {
  const query = db.raw<Answer<Row>>(sql, bindings);
  return timeoutMs === undefined ? query : query.timeout(timeoutMs);
}
