import type { Db } from "./connect.ts";
import { selectRow } from "./rows.ts";

/**
 * Whether a write that began a while ago is not committed yet, such as a large import. Its changes appear only then,
 * among changes with later times. Call it before reading the data, because a write may be committed in between.
 */
export async function hasLateWrites(db: Db): Promise<boolean> {
  const { late } = await selectRow<{ late: boolean }>(
    db,
    `select exists (select from pg_stat_activity
                     where datname = current_database() and backend_xid is not null
                       and xact_start < clock_timestamp() - interval '200 milliseconds') as late`,
  );
  return late;
}
