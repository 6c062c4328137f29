import { readFile } from "node:fs/promises";
import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import { countRows, selectRow, selectRows } from "../db/rows.ts";
import { RAW_HOURS } from "../servers/history/levels.ts";
import { ensurePartitions } from "../servers/history/partitions.ts";
import { rewindHistory } from "../servers/history/roll-up.ts";
import { type DemoProfile, demoRecords } from "./history.ts";
import { daysOf, type NumberedRecord, RECORD_COLUMNS, writeRolledUp } from "./past-queries.ts";

const PROFILES = new URL("../../seeds/demo/servers.json", import.meta.url);
const STEP_S = 300;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How much of a past a demo server is given: five weeks, enough for every day of the week four times. */
const PAST_DAYS = 35;
/** Five minutes are kept for two weeks; before that nobody sees more than hours. */
const FINE_DAYS = 14;
const COARSE_STEP_S = 900;

interface DemoServer {
  id: string;
  number: number;
  max_online: number | null;
  /** When the demo data was loaded. */
  created_at: Date;
  /** Time of its newest record, or end of its newest hour where there is none of the last two days. */
  known_until: Date | null;
}

interface Times {
  now: Date;
  /** Of what is before, the job does not look at records again. */
  rolledUpUntil: Date;
}

/**
 * Writes what the demo servers' history lacks up to now, at most five weeks back, and brings their current figures up
 * to date. Safe to call at any time and from several processes: what is written depends on server and time alone.
 * Does nothing where there are no demo servers.
 * @returns how many raw records were added
 */
export async function topUpDemoHistory(db: Db): Promise<number> {
  return db.transaction(async (transaction) => {
    const { servers, ...times } = await selectDemoServers(transaction);
    if (servers.length === 0) return 0;
    const profiles = await readProfiles();
    const missing = servers.map((server) => missingRecords(server, profiles.get(server.id), times));
    const past = missing.flatMap(({ rolledUp }) => rolledUp);
    if (past.length > 0) await writeRolledUp(transaction, past, { fineFrom: fineFrom(times.now) });
    const raw = missing.flatMap((records) => records.raw);
    const added = await insertRecords(transaction, raw);
    await updateCurrentFigures(transaction);
    return added;
  });
}

async function selectDemoServers(db: Db): Promise<Times & { servers: DemoServer[] }> {
  const times = await selectRow<Times>(
    db,
    `select now() as now, done_until as "rolledUpUntil" from history_progress where level = 'five_minutes'`,
  );
  const servers = await selectRows<DemoServer>(
    db,
    `
    select id, number, max_online, created_at,
           coalesce(
             (select max(checked_at) + interval '1 second' from online_records
               where server_number = number and checked_at > now() - interval '${RAW_HOURS} hours'),
             (select max(start) + interval '1 hour' from online_hours where server_number = number)) as known_until
      from servers where demo order by id`,
  );
  return { ...times, servers };
}

async function readProfiles(): Promise<Map<string, DemoProfile>> {
  const servers: { id: string; demo: DemoProfile }[] = JSON.parse(await readFile(PROFILES, "utf8"));
  return new Map(servers.map((server) => [server.id, server.demo]));
}

/** What is rolled up already is told in sums; the rest, and at least two days, in records that will be rolled up. */
function missingRecords(server: DemoServer, profile: DemoProfile | undefined, times: Times) {
  if (!profile) return { rolledUp: [], raw: [] };
  const now = times.now.getTime();
  const start = Math.max(server.known_until?.getTime() ?? 0, daysBefore(times.now, PAST_DAYS).getTime());
  const twoDaysAgo = Math.ceil((now - RAW_HOURS * HOUR_MS) / HOUR_MS) * HOUR_MS;
  const rawFrom = Math.min(twoDaysAgo, times.rolledUpUntil.getTime());
  const fine = Math.min(fineFrom(times.now).getTime(), rawFrom);
  const between = (from: number, until: number, stepSeconds: number) =>
    recordsOf(server, profile, { from: Math.max(start, from), until, stepSeconds });
  return {
    rolledUp: [...between(0, fine, COARSE_STEP_S), ...between(fine, rawFrom, STEP_S)],
    raw: between(rawFrom, now + 1, STEP_S),
  };
}

function fineFrom(now: Date): Date {
  return daysBefore(now, FINE_DAYS);
}

/** Midnight in UTC, so many days before that of today. */
function daysBefore(now: Date, days: number): Date {
  return new Date((Math.floor(now.getTime() / DAY_MS) - days) * DAY_MS);
}

function recordsOf(
  { id, number, created_at: anchor, max_online }: DemoServer,
  profile: DemoProfile,
  { from, until, stepSeconds }: { from: number; until: number; stepSeconds: number },
): NumberedRecord[] {
  const span = {
    from: new Date(from),
    to: new Date(until - 1),
    anchor,
    maxOnline: max_online ?? 100,
    seed: id,
  };
  return demoRecords(profile, { ...span, stepSeconds }).map((record) => ({
    server_number: number,
    ...record,
  }));
}

/** The join leaves out servers that were removed meanwhile. */
async function insertRecords(db: Knex.Transaction, records: NumberedRecord[]): Promise<number> {
  const oldest = records.reduce<Date | undefined>(
    (first, { checked_at }) => (first && first < checked_at ? first : checked_at),
    undefined,
  );
  if (!oldest) return 0;
  await ensurePartitions(db, daysOf(records));
  const count = await countRows(
    db,
    `insert into online_records (server_number, checked_at, status, online, queue, max_online)
     select record.* from json_to_recordset(?::json) as record (${RECORD_COLUMNS})
       join servers on servers.number = record.server_number and servers.demo
      order by record.checked_at
     on conflict do nothing`,
    [JSON.stringify(records)],
  );
  await rewindHistory(db, oldest);
  return count;
}

/** The last good figures stay while a server is offline. The definition did not change, nor do `updated_at` and `revision`. */
async function updateCurrentFigures(db: Db): Promise<void> {
  const newest = (condition: string) => `
    select * from online_records
     where server_number = demo.number and checked_at <= now() ${condition} order by checked_at desc limit 1`;
  await db.raw(`
    update servers
       set status = record.status, checked_at = record.checked_at,
           online = case when good.checked_at is null then servers.online else good.online end,
           queue = case when good.checked_at is null then servers.queue else good.queue end,
           last_online_at = greatest(servers.last_online_at, good.checked_at),
           offline_since = case when record.status = 'offline' then coalesce(servers.offline_since, (
             select min(checked_at) from online_records
              where server_number = demo.number and checked_at > coalesce(good.checked_at, '-infinity'))) end
      from servers as demo
      join lateral (${newest("")}) as record on true
      left join lateral (${newest("and status = 'online'")}) as good on true
     where demo.demo and servers.number = demo.number and record.checked_at is distinct from servers.checked_at`);
}
