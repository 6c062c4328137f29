import type { Db } from "../../db/connect.ts";
import { IS_WATCHED, SHOWN_SERVER_NAME } from "../../records/server-sql.ts";
import type { ServerAlert } from "./alert.ts";

export interface UserAlert {
  readonly what: ServerAlert["what"];
  /** The limit; null without one. */
  readonly value: number | null;
}

/** SQL: a user's alerts for a row `server`, as JSON; `userId` is SQL. */
export const userAlertsSql = (userId: string) => `(
  select coalesce(json_agg(json_build_object('what', asked.what, 'value', asked.value)
                           order by array_position(array['down', 'up', 'slot', 'queue', 'online'], asked.what)), '[]')
    from server_alerts asked where asked.user_id = ${userId} and asked.server_id = server.id)`;

/** A server with a user's alerts for it, or undefined. */
export interface AlertableServer {
  readonly id: string;
  readonly name: string;
  /** Whether its figures are still updated, so that alerts are possible. */
  readonly watched: boolean;
  /** Null if unknown. */
  readonly max_online: number | null;
  readonly alerts: readonly UserAlert[];
  /** Minutes that an outage has to last; null without an alert for outages. */
  readonly outage_min: number | null;
}

export async function findAskableServer(
  db: Db,
  userId: number,
  serverId: string,
): Promise<AlertableServer | undefined> {
  return db("servers as server")
    .where({ "server.id": serverId })
    .first("server.id", db.raw(`${SHOWN_SERVER_NAME} as name, ${IS_WATCHED} as watched`), "server.max_online")
    .select(db.raw(`${userAlertsSql("?")} as alerts`, [userId]))
    .select(
      db("server_alerts").where({ user_id: userId, server_id: serverId }).max("outage_min").as("outage_min"),
    );
}

/**
 * Replaces a user's alerts for a favorite server. Existing ones continue; new ones count for crossings from now on, and
 * for outages of `outageMin` minutes and more. Call it in the transaction that makes the server a favorite.
 */
export async function saveAsked(
  transaction: Db,
  userId: number,
  serverId: string,
  alerts: readonly UserAlert[],
  outageMin: number,
): Promise<void> {
  const favorite = { user_id: userId, server_id: serverId };
  await transaction("server_alerts")
    .where(favorite)
    .whereNotIn(
      "what",
      alerts.map(({ what }) => what),
    )
    .delete();
  if (alerts.length === 0) return;
  await transaction.raw(
    `insert into server_alerts as known (user_id, server_id, what, value, outage_min)
     select :userId, :serverId, what, value, :outageMin from json_to_recordset(:alerts) as asked (what text, value integer)
     on conflict (user_id, server_id, what) do update
       set value = excluded.value, outage_min = excluded.outage_min,
           since = case when known.value is distinct from excluded.value then excluded.since else known.since end
      where (known.value, known.outage_min) is distinct from (excluded.value, excluded.outage_min)`,
    { userId, serverId, outageMin, alerts: JSON.stringify(alerts) },
  );
}
