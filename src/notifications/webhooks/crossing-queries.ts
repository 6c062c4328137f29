import type { Db } from "../../db/connect.ts";
import { selectRows } from "../../db/rows.ts";
import { SHOWN_SERVER_NAME } from "../../records/server-sql.ts";
import { TOLD_AT_MOST, type ToldServer, type WebhookEvent } from "./events.ts";

type ServerEvent = Extract<WebhookEvent, { type: "server.down" | "server.up" }>;

/** Older crossings are not reported, for example after all processes were stopped. */
const WORTH_TELLING = "1 day";

/** A change of servers for the webhooks of one delay. */
export type TakenCrossings = ServerEvent & {
  /** Null for all. */
  readonly userId: number | null;
  /** For webhooks with at least this delay, in minutes. */
  readonly outageMin: number;
};

interface Crossing extends ToldServer {
  readonly outageMin: number;
  readonly what: "down" | "up";
  /** Users with the server as a favorite and a webhook for it. */
  readonly fans: readonly number[];
}

/** SQL: when the server that went down by a row `crossing` was back; null if it is not. */
const BACK_AT = `(select min(back.at) from server_crossings back
   where back.server_number = crossing.server_number and back.what = 'up' and back.at > crossing.at)`;

/** SQL: when the server that is back by a row `crossing` had gone down; null if unknown. */
const GONE_AT = `(select max(gone.at) from server_crossings gone
   where gone.server_number = crossing.server_number and gone.what = 'down' and gone.at < crossing.at)`;

/**
 * Takes the crossings that webhooks have not reported yet, as one event for servers that went down and one for those
 * that are back. There is one for all (`userId` null) and one for each user with favorites among them. An outage counts
 * once it has lasted for a webhook's delay; a shorter one sends neither its start nor its end.
 */
export async function takeCrossings(transaction: Db): Promise<TakenCrossings[]> {
  const crossings = await selectRows<Crossing>(
    transaction,
    `with delay as (
       select distinct outage_min as min, make_interval(mins => outage_min) as length
         from webhooks where state = 'on' and 'server' = any(events)),
     open as materialized (
       select id, server_number, what, at, webhooks_told_min,
              case what when 'down' then ${BACK_AT} else ${GONE_AT} end as other
         from server_crossings crossing where not webhooks_told and what in ('down', 'up')),
     decided as (
       select open.*, delay.min,
              case what when 'down' then other is null or other >= at + length
                else other is null or other <= at - length end as lasts
         from open join delay on delay.min > open.webhooks_told_min
        where what = 'up' or other is not null or at + length <= now()),
     taken as (
       update server_crossings crossing
          set webhooks_told_min = greatest(open.webhooks_told_min, (select max(min) from decided where decided.id = open.id)),
              webhooks_told = open.what = 'up' or open.other is not null
                or open.at + coalesce((select max(length) from delay), '0') <= now()
         from open where open.id = crossing.id)
     select server.id, ${SHOWN_SERVER_NAME} as name, taken.what, taken.at, taken.min as "outageMin",
            array(select distinct favorite.user_id from server_favorites favorite
                    join webhooks hook on hook.user_id = favorite.user_id and hook.state = 'on'
                     and hook.scope = 'favorites' and 'server' = any(hook.events) and hook.outage_min = taken.min
                   where favorite.server_id = server.id) as fans
       from decided taken join servers server on server.number = taken.server_number and not server.demo
      where taken.lasts and taken.at > now() - interval '${WORTH_TELLING}'
      order by taken.at, taken.id`,
  );
  const users = [...new Set(crossings.flatMap(({ fans }) => fans))];
  const delays = [...new Set(crossings.map(({ outageMin }) => outageMin))].sort((a, b) => a - b);
  const groups = delays.flatMap((outageMin) =>
    (["down", "up"] as const).map((what) => ({ outageMin, what })),
  );
  return groups.flatMap(({ outageMin, what }) => {
    const all = crossings.filter((crossing) => crossing.what === what && crossing.outageMin === outageMin);
    const ofUsers = users.map((userId) => ({
      userId,
      told: all.filter(({ fans }) => fans.includes(userId)),
    }));
    return [{ userId: null, told: all }, ...ofUsers].flatMap(({ userId, told }) =>
      told.length === 0 ? [] : [{ ...toEvent(what, told), userId, outageMin }],
    );
  });
}

/** Skips all crossings so far, and an outage that has not lasted long enough yet. */
export async function passOverCrossings(transaction: Db): Promise<void> {
  await transaction("server_crossings")
    .where({ webhooks_told: false })
    .whereIn("what", ["down", "up"])
    .update({
      webhooks_told: true,
    });
}

function toEvent(what: "down" | "up", crossings: readonly Crossing[]): ServerEvent {
  const servers = crossings.slice(0, TOLD_AT_MOST).map(({ id, name, at }) => ({ id, name, at }));
  return { type: `server.${what}`, data: { count: crossings.length, servers } };
}
