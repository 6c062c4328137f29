import { readFile } from "node:fs/promises";
import type { Db } from "../db/connect.ts";
import { type DemoProfile, type DemoRecord, demoRecords } from "./history.ts";

const PROFILES = new URL("../../seeds/demo/servers.json", import.meta.url);
const STEP_MS = 300_000;

interface DemoServer {
  id: string;
  max_online: number | null;
  /** When the demo data was loaded. */
  created_at: Date;
  now: Date;
  /** Time of its newest record within the last 24 hours. */
  newest: Date | null;
}

/**
 * Writes what the demo servers' records lack up to now, at most 24 hours back, brings their current figures up to
 * date and forgets what is older than two days. Safe to call at any time and from several processes: what is written
 * depends on server and time alone. Does nothing where there are no demo servers.
 * @returns how many records were added
 */
export async function topUpDemoHistory(db: Db): Promise<number> {
  const servers = await selectDemoServers(db);
  if (servers.length === 0) return 0;
  const profiles = await readProfiles();
  const records = servers.flatMap((server) => missingRecords(server, profiles.get(server.id)));
  const added = records.length === 0 ? 0 : await insertRecords(db, records);
  await updateCurrentFigures(db);
  await forgetOldRecords(db);
  return added;
}

async function selectDemoServers(db: Db): Promise<DemoServer[]> {
  const { rows } = await db.raw(`
    select id, max_online, created_at, now() as now,
           (select max(checked_at) from online_records
             where server_id = servers.id and checked_at > now() - interval '24 hours') as newest
      from servers where demo order by id`);
  return rows;
}

async function readProfiles(): Promise<Map<string, DemoProfile>> {
  const servers: { id: string; demo: DemoProfile }[] = JSON.parse(await readFile(PROFILES, "utf8"));
  return new Map(servers.map((server) => [server.id, server.demo]));
}

function missingRecords(
  server: DemoServer,
  profile: DemoProfile | undefined,
): (DemoRecord & { server_id: string })[] {
  if (!profile) return [];
  const { id, now, newest, created_at: anchor, max_online } = server;
  const from = new Date(newest ? newest.getTime() + STEP_MS : now.getTime() - 24 * 3_600_000);
  const records = demoRecords(profile, { from, to: now, anchor, maxOnline: max_online ?? 100, seed: id });
  return records.map((record) => ({ server_id: id, ...record }));
}

/** The join leaves out servers that were removed meanwhile. */
async function insertRecords(db: Db, records: object[]): Promise<number> {
  const { rowCount } = await db.raw(
    `insert into online_records (server_id, checked_at, status, online, queue, max_online)
     select record.server_id, record.checked_at, record.status, record.online, record.queue, record.max_online
       from jsonb_to_recordset(?::jsonb) as record
              (server_id text, checked_at timestamptz, status text, online integer, queue integer, max_online integer)
       join servers on servers.id = record.server_id and servers.demo
     on conflict do nothing`,
    [JSON.stringify(records)],
  );
  return rowCount;
}

/** The definition did not change, so `updated_at` and `revision` stay. */
async function updateCurrentFigures(db: Db): Promise<void> {
  await db.raw(`
    update servers
       set status = record.status, online = record.online, queue = record.queue, checked_at = record.checked_at,
           last_online_at = greatest(servers.last_online_at, record.last_online_at)
      from (select distinct on (measured.server_id) measured.*,
                   max(measured.checked_at) filter (where measured.status = 'online')
                     over (partition by measured.server_id) as last_online_at
              from online_records as measured join servers as server on server.id = measured.server_id and server.demo
             order by measured.server_id, measured.checked_at desc) as record
     where record.server_id = servers.id and record.checked_at is distinct from servers.checked_at`);
}

async function forgetOldRecords(db: Db): Promise<void> {
  await db.raw(`
    delete from online_records using servers
     where servers.id = server_id and servers.demo and online_records.checked_at < now() - interval '48 hours'`);
}
