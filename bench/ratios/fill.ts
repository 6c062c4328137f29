import type { Knex } from "knex";
import { ensurePartitions, rewindHistory, rollUpHistory } from "../../src/servers/history/roll-up.ts";
import type { Item } from "./items.ts";

/** Items of one statement. */
const CHUNK = 10_000;
const HOURS = 24;
const HOUR_MS = 3_600_000;

/** Puts items into the emptied table. */
export async function fillItems(db: Knex, items: Iterable<Item>): Promise<void> {
  await db.raw("truncate items cascade");
  let rows: object[] = [];
  const insert = () =>
    db.raw(
      `insert into items (id, name, names, category, popularity)
       select id, name, names, category, popularity from jsonb_populate_recordset(null::items, ?)`,
      [JSON.stringify(rows)],
    );
  for (const { id, name, nameRu, category, popularity } of items) {
    rows.push({ id, name, names: { en: name, ru: nameRu }, category, popularity });
    if (rows.length < CHUNK) continue;
    await insert();
    rows = [];
  }
  await insert();
}

/**
 * Inserts servers with the history of a day that a poll a minute would have left: server by server a little later within
 * the minute, as a poller does it; one poll in fifty finds the server offline.
 */
export async function fillServers(db: Knex, servers: number): Promise<void> {
  await db.raw(
    `insert into servers (id, name, status, online, queue, max_online, checked_at)
     select 'server-' || place, 'Server ' || place, 'online', 500, 0, 1000, now() from generate_series(1, ?) as place`,
    [servers],
  );
  const from = new Date(Date.now() - HOURS * HOUR_MS);
  await ensurePartitions(db, [from]);
  await db.raw(
    `insert into online_records (checked_at, server_number, status, online, queue, max_online)
     select time + make_interval(secs => number % 50), number, case when lot < 0.02 then 'offline' else 'online' end,
            case when lot >= 0.02 then (1000 * lot)::integer end, case when lot >= 0.02 then (20 * lot)::integer end, 1000
       from generate_series(date_bin('1 hour', ?::timestamptz, 'epoch'), now() - interval '2 minutes', interval '1 minute') as time
      cross join (select number, (number * 37 % 1000) / 1000.0 as phase from servers) as server
      cross join lateral (select 0.5 + 0.5 * sin(extract(epoch from time) / 13751 + phase * 6.28) as lot) as wave
      order by 1`,
    [from.toISOString()],
  );
  await rewindHistory(db, from);
  await rollUpHistory(db, { graceS: 0 });
}
