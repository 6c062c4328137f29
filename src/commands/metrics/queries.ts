import type { Db } from "../../db/connect.ts";
import { selectRow, selectRows } from "../../db/rows.ts";
import { IS_POLLED } from "../../records/server-sql.ts";
import { STATUS } from "../../servers/queries.ts";

/** Notifications that are not delivered yet or were given up, by channel. */
export async function countOpenDeliveries(
  db: Db,
): Promise<{ channel: string; state: "waiting" | "dead"; count: number }[]> {
  return selectRows(
    db,
    `select channel, state, count(*)::int as count from deliveries
      where state = 'waiting' or state = 'dead' group by channel, state`,
  );
}

/** The servers that are polled, by status, and when one of them was polled last. */
export async function countPolledServers(
  db: Db,
): Promise<{ status: string | null; count: number; lastPoll: Date | null }[]> {
  return selectRows(
    db,
    `select ${STATUS} as status, count(*)::int as count, max(checked_at) as "lastPoll"
       from servers as server where ${IS_POLLED} group by 1`,
  );
}

/** Bytes of the database on disk. */
export async function readDatabaseSize(db: Db): Promise<number> {
  const { bytes } = await selectRow<{ bytes: number }>(
    db,
    "select pg_database_size(current_database())::float8 as bytes",
  );
  return bytes;
}
