import type { Db } from "../db/connect.ts";
import { selectRow } from "../db/rows.ts";
import { SHOWN_SERVER_NAME } from "../records/server-sql.ts";
import { type DayOfAll, selectDayOfAll } from "../servers/history/queries.ts";
import { STATUS } from "../servers/queries.ts";

/** A server on the start page. */
export interface BusyServer {
  id: string;
  number: number;
  name: string;
  online: number;
  queue: number | null;
  max_online: number | null;
}

const CURRENT = `${STATUS} = 'online'`;

/** The servers with the most players now, if any; the players on all servers (null: no count is known), and how many are offline. */
export async function findBusiestServers(
  db: Db,
  limit: number,
): Promise<{ servers: BusyServer[]; players: number | null; offline: number; total: number }> {
  const [servers, counts] = await Promise.all([
    db("servers as server")
      .select("id", "number", db.raw(`${SHOWN_SERVER_NAME} as name`), "online", "queue", "max_online")
      .whereRaw(CURRENT)
      .where("online", ">", 0)
      .orderByRaw("online desc, name collate name_order, id")
      .limit(limit),
    selectRow<{ total: number; offline: number; players: number | null }>(
      db,
      `
      select count(*)::integer as total, (count(*) filter (where ${STATUS} = 'offline'))::integer as offline,
             (sum(online) filter (where ${CURRENT}))::integer as players
        from servers as server`,
    ),
  ]);
  return { servers, ...counts };
}

/** The last 24 hours of all servers together, and of the busiest ones. */
export function loadDay(db: Db, limit: number): Promise<DayOfAll> {
  return selectDayOfAll(
    db,
    `select number from servers as server where ${CURRENT} and online > 0
      order by online desc, name collate name_order, id limit ${Math.trunc(limit)}`,
  );
}
