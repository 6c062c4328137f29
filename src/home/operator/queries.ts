import type { Db } from "../../db/connect.ts";
import { selectRow, selectRows } from "../../db/rows.ts";
import { kindsWith } from "../../words/kinds/kinds.ts";

/** True if the site has houses or other records for a map, except the demo's. */
export async function hasPlaces(db: Db): Promise<boolean> {
  const checks = kindsWith("isPlaced").map((kind) => `exists (select from ${kind} where not demo)`);
  const { found } = await selectRow<{ found: boolean }>(
    db,
    `select ${["false", ...checks].join(" or ")} as found`,
  );
  return found;
}

/** Polled servers without an answer, by name. */
export interface UnheardServers {
  /** Names of those that have not been online for a day. */
  readonly silent: string[];
  /** Servers that are not polled, because the site may not connect to their address: `name (10.0.0.5:7777)`. */
  readonly refused: string[];
}

export async function listUnheardServers(db: Db): Promise<UnheardServers> {
  const rows = await selectRows<{ name: string; place: string | null }>(
    db,
    `select name, refused_place as place from servers
      where adapter is not null
        and (refused_place is not null
          or status <> 'online' and coalesce(last_online_at, '-infinity') < now() - interval '1 day')
      order by name collate name_order, id`,
  );
  return {
    silent: rows.flatMap(({ name, place }) => (place === null ? [name] : [])),
    refused: rows.flatMap(({ name, place }) => (place === null ? [] : [`${name} (${place})`])),
  };
}

/** Since when no server has been polled, where that is longer ago than it ever takes; undefined if all is well. */
export async function lastPollIfLate(db: Db): Promise<Date | undefined> {
  const { last } = await selectRow<{ last: Date | null }>(
    db,
    `select max(checked_at) as last from servers
      where adapter is not null and refused_place is null having max(checked_at) < now() - interval '15 minutes'
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
