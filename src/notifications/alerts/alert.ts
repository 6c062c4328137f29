import { SHOWN_SERVER_NAME } from "../../records/server-sql.ts";

/** The crossing in a notification about a server, with the figures of that time. */
export interface ServerAlert {
  readonly serverId: string;
  readonly serverName: string;
  readonly what: "down" | "up" | "slot" | "queue" | "online";
  /** The limit; null without one. */
  readonly value: number | null;
  readonly at: Date;
  /** Null if unknown. */
  readonly online: number | null;
  readonly queue: number | null;
  readonly maxOnline: number | null;
}

/** How long a crossing is worth a message; after that it is in the inbox only. */
export const FRESH_S = 15 * 60;

/** SQL joins of a row `notification` with its crossing and server, which are all null for a discount. */
export const JOIN_ALERT = `left join server_crossings crossing on crossing.id = notification.crossing_id
  left join servers server on server.number = crossing.server_number`;

/** SQL over these: a ServerAlert; null if the notification is about a discount. */
export const ALERT = `case when crossing.id is not null then json_build_object(
  'serverId', server.id, 'serverName', ${SHOWN_SERVER_NAME}, 'what', crossing.what, 'value', crossing.value,
  'at', (extract(epoch from crossing.at) * 1000)::double precision,
  'online', crossing.online, 'queue', crossing.queue, 'maxOnline', crossing.max_online) end`;

/** Reads the alert of a row that selects ALERT. */
export function readAlert(
  selected: (Omit<ServerAlert, "at"> & { readonly at: number }) | null,
): ServerAlert | null {
  return selected && { ...selected, at: new Date(selected.at) };
}

/**
 * SQL over these and the user's row `asked` of server_alerts: why a message is obsolete, or null. It is obsolete once
 * the server has crossed back or the user has removed the alert.
 */
export const ALERT_ENDED = `case
  when crossing.at < now() - interval '${FRESH_S} seconds' then 'the alert is too old'
  when not exists (
    select from server_alerts asked where asked.user_id = notification.user_id and asked.server_id = server.id
       and asked.what = crossing.what and asked.value is not distinct from crossing.value) then 'the user switched this alert off'
  when crossing.what = 'down' and server.status <> 'offline' then 'the server is back online'
  when crossing.what <> 'down' and server.status = 'offline' then 'the server is offline'
  when crossing.what = 'slot' and server.full_polls > 0 then 'the server is full again'
  when crossing.what = 'queue' and server.queue >= crossing.value then 'the queue is longer again'
  when crossing.what = 'online' and server.online <= crossing.value then 'there are fewer players again' end`;
