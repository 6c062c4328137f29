import { setTimeout as delay } from "node:timers/promises";
import type { Knex } from "knex";
import type { JsonPeer } from "./peers/json-list.ts";

/** What every user asks of every server. */
const WANTED = [
  { what: "up", value: null },
  { what: "queue", value: 5 },
  { what: "online", value: 30 },
];

/** Crossings of each server in a course, without those that have no alert. */
export const CROSSINGS_EACH = WANTED.length;

/** Servers of one published list, which all users have among their favorites, with alerts. */
export async function addWatchedServers(db: Knex, url: string, servers: number): Promise<void> {
  const options = {
    url,
    list: "/response",
    online: "/players",
    queue: "/queue",
    max_online: "/slots",
    up: "/up",
  };
  await db("servers").insert(
    Array.from({ length: servers }, (_, index) => ({
      ...{ id: `s${index + 1}`, name: `Server ${index + 1}`, adapter: "json" },
      adapter_options: { ...options, where: { "/id": index + 1 } },
    })),
  );
  await db.raw(
    "insert into server_favorites (user_id, server_id) select users.id, servers.id from users, servers",
  );
  await db.raw(
    `insert into server_alerts (user_id, server_id, what, value, outage_min)
     select user_id, server_id, what, value, 0
       from server_favorites, json_to_recordset(?) as wanted (what text, value integer)`,
    [JSON.stringify(WANTED)],
  );
}

/** Takes all servers through an evening. Each crosses every alert's limit, once. */
export async function playEvening(
  db: Knex,
  peer: JsonPeer,
  servers: number,
  settle: () => Promise<void>,
): Promise<void> {
  const publish = (state: { players: number; queue: number; up: boolean }) =>
    peer.setServers(Array.from({ length: servers }, (_, index) => ({ id: index + 1, slots: 100, ...state })));
  const all = (count: number) => count >= servers;
  publish({ players: 10, queue: 20, up: true });
  await until(async () => all(await countOf(db("server_limits").where({ what: "queue", armed: true }))));
  publish({ players: 40, queue: 20, up: true });
  await until(async () => all(await countOf(db("server_crossings").where({ what: "online" }))));
  publish({ players: 40, queue: 2, up: true });
  await until(async () => all(await countOf(db("server_crossings").where({ what: "queue" }))));
  // Mails about a server that is offline by then would be dropped.
  await settle();
  publish({ players: 0, queue: 0, up: false });
  await until(async () => all(await countOf(db("servers").where({ status: "offline" }))));
  publish({ players: 40, queue: 2, up: true });
  await until(async () => all(await countOf(db("servers").where({ status: "online" }))));
}

/** True if everybody has been notified, and nothing waits. */
export async function isToldToAll(db: Knex): Promise<boolean> {
  const open = await countOf(db("server_crossings").whereNull("alerted_at").whereNot({ what: "down" }));
  return open === 0 && (await countOf(db("deliveries").where({ state: "waiting" }))) === 0;
}

/** Pairs of user and crossing that should have one notification and have none or several. */
export async function wrongAlerts(
  db: Knex,
): Promise<{ user_id: number; crossing_id: number; notifications: number }[]> {
  const { rows } = await db.raw(`
    select alert.user_id, crossing.id as crossing_id, count(notification.id)::int as notifications
      from server_crossings crossing join servers server on server.number = crossing.server_number
        join server_alerts alert on alert.server_id = server.id and alert.what = crossing.what
          and alert.value is not distinct from crossing.value
        left join notifications notification
          on notification.crossing_id = crossing.id and notification.user_id = alert.user_id
     group by alert.user_id, crossing.id having count(notification.id) <> 1`);
  return rows;
}

/** Servers and crossings that were noted more than once, or never. An outage that nobody played has a `down` for its `up`. */
export async function wrongCrossings(db: Knex): Promise<unknown[]> {
  const { rows } = await db.raw(`
    select server.id, count(*) filter (where what = 'online') as online, count(*) filter (where what = 'queue') as queue,
           count(*) filter (where what = 'down') as down, count(*) filter (where what = 'up') as up
      from servers server left join server_crossings crossing on crossing.server_number = server.number
     group by server.id
    having count(*) filter (where what = 'online') <> 1 or count(*) filter (where what = 'queue') <> 1
        or count(*) filter (where what = 'up') < 1
        or count(*) filter (where what = 'up') <> count(*) filter (where what = 'down')`);
  return rows;
}

export async function until(condition: () => Promise<boolean>, pauseMs = 200): Promise<void> {
  while (!(await condition())) await delay(pauseMs);
}

async function countOf(query: Knex.QueryBuilder): Promise<number> {
  const [row] = await query.count("* as count");
  return Number(row.count);
}
