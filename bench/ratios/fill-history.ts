import type { Knex } from "knex";
import { LEVEL_NAMES, LEVELS, type Level, SUM_COLUMNS } from "../../src/servers/history/levels.ts";
import { ensureLevelPartitions, ensurePartitions } from "../../src/servers/history/roll-up.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Inserts servers with the history that a poll a minute would have left. That is records of the last 48 hours and the
 * levels of the roll-up: five minutes for at most 14 days, hours and days for all `days`.
 */
export async function fillServers(
  db: Knex.Transaction,
  { servers, days }: { servers: number; days: number },
): Promise<void> {
  const { rows } = await db.raw("select date_bin('1 hour', now(), 'epoch') as now");
  const now: Date = rows[0].now;
  await db.raw(
    `insert into servers (id, name, status, online, queue, max_online, checked_at)
     select 'server-' || place, 'Server ' || place, 'online', 500, 0, 1000, now() from generate_series(1, ?) as place`,
    [servers],
  );
  await fillRecords(db, now);
  await fillLevel(db, "five_minutes", new Date(now.getTime() - Math.min(days, 14) * DAY_MS), now);
  await fillLevel(db, "hours", new Date(now.getTime() - days * DAY_MS), now);
  await fillLevel(db, "days", new Date(now.getTime() - days * DAY_MS), now);
  for (const level of LEVEL_NAMES) {
    await db.raw(
      "update history_progress set done_until = date_bin(make_interval(secs => ?), ?::timestamptz, 'epoch') where level = ?",
      [LEVELS[level].bucketS, now.toISOString(), level],
    );
  }
}

/** Server by server a little later within the minute, as a poller does it; one poll in fifty finds the server offline. */
async function fillRecords(db: Knex, now: Date): Promise<void> {
  for (let hour = -48; hour <= 0; hour++) {
    const start = new Date(now.getTime() + hour * HOUR_MS);
    await ensurePartitions(db, [start]);
    await db.raw(
      `insert into online_records (checked_at, server_number, status, online, queue, max_online)
       select time + make_interval(secs => number % 50), number, case when lot < 0.02 then 'offline' else 'online' end,
              case when lot >= 0.02 then (1000 * lot)::integer end, case when lot >= 0.02 then (20 * lot)::integer end, 1000
         from generate_series(?::timestamptz, ?::timestamptz + interval '59 minutes', interval '1 minute') as time
        cross join (select number, (number * 37 % 1000) / 1000.0 as phase from servers) as server
        cross join lateral (select 0.5 + 0.5 * sin(extract(epoch from time) / 13751 + phase * 6.28) as lot) as wave
        where time < now() - interval '1 minute'
        order by 1`,
      [start.toISOString(), start.toISOString()],
    );
  }
}

async function fillLevel(db: Knex, level: Level, from: Date, until: Date): Promise<void> {
  const { table, bucketS } = LEVELS[level];
  const polls = bucketS / 60;
  for (let start = from.getTime(); start < until.getTime(); start += DAY_MS) {
    const day = new Date(Math.floor(start / DAY_MS) * DAY_MS);
    await ensureLevelPartitions(db, table, [day]);
    await db.raw(
      `insert into ${table} (start, server_number, ${SUM_COLUMNS})
       select start, number, :polls, :polls, :polls, :polls * (400 + lot), 350 + lot, 450 + lot, :polls, :polls * lot, 0, 2 * lot
         from generate_series(:day::timestamptz, :day::timestamptz + interval '1 day' - interval '1 second',
                              make_interval(secs => :bucketS)) as start
        cross join lateral (select number, (number * 37 + extract(epoch from start)::bigint / :bucketS * 11) % 400 as lot
                              from servers) as server
        where start < :until
        order by 1, 2`,
      { polls, bucketS, day: day.toISOString(), until: until.toISOString() },
    );
  }
}
