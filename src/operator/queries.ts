import type { Db } from "../db/connect.ts";
import { selectRow, selectRows } from "../db/rows.ts";
import { kindsWith } from "../kinds/kinds.ts";

/** Whether the site has houses or other records that belong on a map, besides those of the demo. */
export async function hasPlaces(db: Db): Promise<boolean> {
  const checks = kindsWith("isPlaced").map((kind) => `exists (select from ${kind} where not demo)`);
  const { found } = await selectRow<{ found: boolean }>(db, `select ${checks.join(" or ")} as found`);
  return found;
}

/** Names of the polled servers that have not been online for a day. */
export async function listSilentServers(db: Db): Promise<string[]> {
  const rows = await selectRows<{ name: string }>(
    db,
    `select name from servers
      where adapter is not null and status <> 'online'
        and coalesce(last_online_at, '-infinity') < now() - interval '1 day'
      order by name collate name_order, id`,
  );
  return rows.map(({ name }) => name);
}

/** Since when no server has been polled, where that is longer ago than it ever takes; undefined if all is well. */
export async function lastPollIfLate(db: Db): Promise<Date | undefined> {
  const { last } = await selectRow<{ last: Date | null }>(
    db,
    `select max(checked_at) as last from servers
      where adapter is not null having max(checked_at) < now() - interval '15 minutes'
      union all select null limit 1`,
  );
  return last ?? undefined;
}

/** Whether an operator said that a step is done which the site cannot see. */
export async function isStepTold(db: Db, step: string): Promise<boolean> {
  return (
    (await db("settings")
      .where({ key: toldKey(step) })
      .first("key")) !== undefined
  );
}

/** Notes that a step is done; noting it again changes nothing. */
export async function tellStep(db: Db, step: string): Promise<void> {
  await db("settings")
    .insert({ key: toldKey(step), value: JSON.stringify(true) })
    .onConflict("key")
    .ignore();
}

function toldKey(step: string): string {
  return `step ${step}`;
}
