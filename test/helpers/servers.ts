import type { Knex } from "knex";
import { ensurePartitions, rewindHistory } from "../../src/servers/history/roll-up.ts";
import type { ServerStatus } from "../../src/servers/queries.ts";

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const BUCKET_MS = 5 * MINUTE_MS;

/** A measurement; online unless told, and null counts where it is not. */
export interface Measurement {
  at: Date;
  status?: ServerStatus;
  online?: number | null;
  queue?: number | null;
  max_online?: number | null;
}

/** Adds a server; all but its id may be left out. */
export async function addServer(db: Knex, server: { id: string } & Record<string, unknown>): Promise<void> {
  await db("servers").insert({ name: `Server ${server.id}`, ...server });
}

/** Adds raw records as whoever writes some of the past does: with room for them, and a history that is made again. */
export async function addRecords(db: Knex, serverId: string, measurements: Measurement[]): Promise<void> {
  const times = measurements.map(({ at }) => at);
  if (times.length === 0) return;
  const { number } = await db("servers").where({ id: serverId }).first("number");
  const rows = measurements.map(({ at, ...rest }) => ({
    server_number: number,
    checked_at: at,
    status: "online",
    ...rest,
  }));
  await ensurePartitions(db, times);
  await db("online_records").insert(rows);
  await rewindHistory(db, new Date(Math.min(...times.map(Number))));
}

/** All raw records with the ids of their servers, in order of both. */
export async function listRecords(db: Knex) {
  return db("online_records as record")
    .join("servers as server", "server.number", "record.server_number")
    .orderBy(["server.id", "record.checked_at"])
    .select(
      "server.id as server_id",
      "record.checked_at",
      "record.status",
      "record.online",
      "record.queue",
      "record.max_online",
    );
}

export async function databaseClock(db: Knex): Promise<Date> {
  const { rows } = await db.raw("select now() as now");
  return rows[0].now;
}

/**
 * Start of the bucket that began `hours` ago. Tests measure in the middle of the 24 hours: if a bucket begins while
 * they run, the grid moves by one, and their time is still in it.
 */
export async function bucketBefore(db: Knex, hours: number): Promise<number> {
  const now = await databaseClock(db);
  return Math.floor((now.getTime() - hours * HOUR_MS) / BUCKET_MS) * BUCKET_MS;
}
