import type { Knex } from "knex";
import type { Db } from "../../db/connect.ts";
import { copyRows } from "../../db/copy-rows.ts";
import { countRows, selectRow, selectRows } from "../../db/rows.ts";
import { LEVEL_NAMES, LEVELS, RAW_HOURS, RECORDS, SUM_COLUMNS } from "../../servers/history/levels.ts";
import { ensureLevelPartitions, ensurePartitions, rewindHistory } from "../../servers/history/roll-up.ts";
import { STANDING_DAYS } from "../../servers/standing.ts";
import { type DemoProfile, type DemoRecord, demoRecords } from "./history.ts";
import { readSeed } from "./seeds.ts";

const STEP_S = 300;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The length of a demo server's past: enough for a standing. */
const PAST_DAYS = STANDING_DAYS;
/** Buckets of five minutes are kept for two weeks. */
const FINE_DAYS = 14;
/** The longest range that shows less than an hour. Before it one record an hour does, at half the cost of a first start. */
const DETAILED_DAYS = 7;
const COARSE_STEP_S = 3_600;

interface DemoServer {
  id: string;
  number: number;
  max_online: number | null;
  /** When the demo data was loaded. */
  created_at: Date;
  /** Time of its newest record, or end of its newest hour without one in the last two days. */
  known_until: Date | null;
}

interface Times {
  now: Date;
  /** The roll-up does not read older records again. */
  rolledUpUntil: Date;
}

/**
 * Fills the demo servers' history up to now, as far back as standings look, and updates their current figures. Safe to call at
 * any time and from several processes: records depend on server and time alone. Returns how many raw records it added.
 */
export async function topUpDemoHistory(db: Db): Promise<number> {
  return db.transaction(async (transaction) => {
    const { servers, ...times } = await selectDemoServers(transaction);
    if (servers.length === 0) return 0;
    const profiles = await readProfiles();
    const missing = servers.map((server) => missingRecords(server, profiles.get(server.id), times));
    const past = missing.flatMap(({ rolledUp }) => rolledUp);
    if (past.length > 0)
      await writeRolledUp(transaction, past, { fineFrom: daysBefore(times.now, FINE_DAYS) });
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
  const servers = await readSeed<{ id: string; demo: DemoProfile }[]>("servers");
  return new Map(servers.map((server) => [server.id, server.demo]));
}

/** Sums for the time that is rolled up already; raw records for the rest, and for at least two days. */
function missingRecords(server: DemoServer, profile: DemoProfile | undefined, times: Times) {
  if (!profile) return { rolledUp: [], raw: [] };
  const now = times.now.getTime();
  const start = Math.max(server.known_until?.getTime() ?? 0, daysBefore(times.now, PAST_DAYS).getTime());
  const twoDaysAgo = Math.ceil((now - RAW_HOURS * HOUR_MS) / HOUR_MS) * HOUR_MS;
  const rawFrom = Math.min(twoDaysAgo, times.rolledUpUntil.getTime());
  const detailedFrom = Math.min(daysBefore(times.now, DETAILED_DAYS).getTime(), rawFrom);
  const between = (from: number, until: number, stepSeconds: number) =>
    recordsOf(server, profile, { from: Math.max(start, from), until, stepSeconds });
  return {
    rolledUp: [...between(0, detailedFrom, COARSE_STEP_S), ...between(detailedFrom, rawFrom, STEP_S)],
    raw: between(rawFrom, now + 1, STEP_S),
  };
}

/** Midnight in UTC, some days before today. */
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

/** Skips servers that were removed meanwhile, by the join. */
async function insertRecords(db: Knex.Transaction, records: NumberedRecord[]): Promise<number> {
  const oldest = records.reduce<Date | undefined>(
    (first, { checked_at }) => (first && first < checked_at ? first : checked_at),
    undefined,
  );
  if (!oldest) return 0;
  await ensurePartitions(db, listDays(records));
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

/** The last figures stay while a server is offline. Not `updated_at` and `revision`: the record itself is the same. */
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

type NumberedRecord = DemoRecord & { server_number: number };

/** SQL: the columns of a record in JSON. */
const RECORD_COLUMNS =
  "server_number integer, checked_at timestamptz, status text, online integer, queue integer, max_online integer";

/**
 * Writes records of a time that is rolled up already, as the sums of the roll-up: five minutes from `fineFrom` on,
 * hours and days throughout. Keeps existing rows.
 */
async function writeRolledUp(
  transaction: Knex.Transaction,
  records: readonly NumberedRecord[],
  { fineFrom }: { fineFrom: Date },
): Promise<void> {
  await transaction.raw(`create temporary table demo_past (${RECORD_COLUMNS}) on commit drop`);
  await copyRows(transaction, "demo_past", COPIED, records);
  // Deletes servers that were removed meanwhile.
  await transaction.raw(
    "delete from demo_past where server_number not in (select number from servers where demo)",
  );
  const days = listDays(records);
  for (const level of LEVEL_NAMES) {
    const { table, bucketS } = LEVELS[level];
    const from = level === "five_minutes" ? fineFrom : new Date(0);
    await ensureLevelPartitions(
      transaction,
      table,
      days.filter((day) => day >= from),
    );
    await transaction.raw(
      `insert into ${table} (start, server_number, ${SUM_COLUMNS})
       select date_bin(make_interval(secs => ${bucketS}), checked_at, 'epoch'), server_number, ${RECORDS.sums}
         from demo_past where checked_at >= ?
        group by 1, 2 order by 1, 2
       on conflict do nothing`,
      [from.toISOString()],
    );
  }
  await transaction.raw("drop table demo_past");
}

const COPIED = ["server_number", "checked_at", "status", "online", "queue", "max_online"] as const;

/** The days of records, as midnights in UTC. */
function listDays(records: readonly NumberedRecord[]): Date[] {
  const days = new Set(records.map(({ checked_at }) => Math.floor(checked_at.getTime() / DAY_MS)));
  return [...days].map((day) => new Date(day * DAY_MS));
}
