import type { Db } from "../db/connect.ts";
import { selectRows } from "../db/rows.ts";
import { TOLD_AT_MOST, type ToldServer, type WebhookEvent } from "./events.ts";

type ServerEvent = Extract<WebhookEvent, { type: "server.down" | "server.up" }>;

/** Nobody needs to know of what happened while no process was there to tell it. */
const WORTH_TELLING = "1 day";

interface Crossing extends ToldServer {
  readonly what: "down" | "up";
  /** Who has the server as a favorite and a webhook for that. */
  readonly fans: readonly number[];
}

/**
 * Takes the crossings of servers that webhooks were not told of: as one event of those that went down and one of those
 * that are back, for all (\`userId\` null) and for each user whose favorites are among them.
 */
export async function takeCrossings(transaction: Db): Promise<(ServerEvent & { userId: number | null })[]> {
  const crossings = await selectRows<Crossing>(
    transaction,
    `with taken as (
       update server_crossings set webhooks_told = true where not webhooks_told and what in ('down', 'up')
       returning id, server_number, what, at)
     select server.id, server.name, taken.what, taken.at,
            array(select distinct favorite.user_id from server_favorites favorite
                    join webhooks hook on hook.user_id = favorite.user_id and hook.state = 'on'
                     and hook.scope = 'favorites' and 'server' = any(hook.events)
                   where favorite.server_id = server.id) as fans
       from taken join servers server on server.number = taken.server_number and not server.demo
      where taken.at > now() - interval '${WORTH_TELLING}'
      order by taken.at, taken.id`,
  );
  const users = [...new Set(crossings.flatMap(({ fans }) => fans))];
  return (["down", "up"] as const).flatMap((what) => {
    const all = crossings.filter((crossing) => crossing.what === what);
    const ofUsers = users.map((userId) => ({
      userId,
      told: all.filter(({ fans }) => fans.includes(userId)),
    }));
    return [{ userId: null, told: all }, ...ofUsers].flatMap(({ userId, told }) =>
      told.length === 0 ? [] : [{ ...eventOf(what, told), userId }],
    );
  });
}

function eventOf(what: "down" | "up", crossings: readonly Crossing[]): ServerEvent {
  const servers = crossings.slice(0, TOLD_AT_MOST).map(({ id, name, at }) => ({ id, name, at }));
  return { type: `server.${what}`, data: { count: crossings.length, servers } };
}
