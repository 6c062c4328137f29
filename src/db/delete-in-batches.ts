import type { Db } from "./connect.ts";
import { countRows } from "./rows.ts";

const ROWS = 5_000;

/**
 * Deletes the rows of a table that a condition holds for, some thousands a statement: none runs long, and none holds up
 * who uses the table. Rows that somebody is changing stay until the next time. Resolves to how many.
 */
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
