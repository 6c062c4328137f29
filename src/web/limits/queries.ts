import type { Db } from "../../db/connect.ts";
import { deleteInBatches, selectRow } from "../../db/rows.ts";
import type { Report, Shared } from "./limit-window.ts";

/** A client's window, to be shared. */
export interface ReportedWindow extends Report {
  /** A keyed hash, which does not identify the client. */
  readonly client: string;
  readonly ageMs: number;
  readonly windowMs: number;
  readonly quota: number;
}

interface SharedWindow extends Shared {
  readonly client: string;
}

/** A process that has reported nothing for this long is gone. */
const SILENT = "15 seconds";

/**
 * Adds a process's calls to the shared counts, grants what it wants as far as the limit allows, and returns both, in
 * one statement. A window begins with the first call that any process reports, by the database's clock.
 */
export async function exchangeWindows(
  db: Db,
  processId: string,
  told: readonly ReportedWindow[],
): Promise<{ processes: number; windows: SharedWindow[] }> {
  return selectRow(
    db,
    // The total claimed is `claimed + granted`. The last grant has its own column because an upsert cannot return the
    // old value. The rows come in one order, so that two processes cannot wait for each other.
    `with here as (
       insert into limit_processes (id, seen_at) values (:processId, now())
       on conflict (id) do update set seen_at = now()
     ), given as (
       select * from json_to_recordset(:told) as given
         (client text, "ageMs" float8, "windowMs" float8, quota integer, spent integer, taken integer, wanted integer)
     ), shared as (
       insert into limit_windows as old (client, began_at, ends_at, quota, spent, claimed, granted)
       select client, now() - "ageMs" * interval '1 ms', now() + ("windowMs" - "ageMs") * interval '1 ms', quota,
              spent, taken, greatest(0, least(wanted, quota - taken))
         from given order by client
       on conflict (client) do update
          set began_at = case when old.ends_at > now() then old.began_at else excluded.began_at end,
              ends_at = case when old.ends_at > now() then old.ends_at else excluded.ends_at end,
              quota = excluded.quota,
              spent = excluded.spent + case when old.ends_at > now() then old.spent else 0 end,
              claimed = excluded.claimed + case when old.ends_at > now() then old.claimed + old.granted else 0 end,
              granted = case when old.ends_at > now()
                then greatest(0, least(excluded.granted,
                                       excluded.quota - old.claimed - old.granted - excluded.claimed))
                else excluded.granted end
       returning client, spent, claimed + granted as claimed, granted,
                 extract(epoch from now() - began_at)::float8 * 1000 as "ageMs"
     )
     select 1 + (select count(*)::integer from limit_processes
                  where id <> :processId and seen_at > now() - interval '${SILENT}') as processes,
            coalesce((select json_agg(shared) from shared), '[]') as windows`,
    { processId, told: JSON.stringify(told) },
  );
}

/** Removes a stopping process from those that share the limits. */
export async function leaveProcesses(db: Db, processId: string): Promise<void> {
  await db("limit_processes").where({ id: processId }).delete();
}

/** Removes finished windows and gone processes; resolves to their number. */
export async function removeOldWindows(db: Db): Promise<number> {
  const windows = await deleteInBatches(db, "limit_windows", "ends_at < now()");
  return windows + (await deleteInBatches(db, "limit_processes", "seen_at < now() - interval '1 hour'"));
}
