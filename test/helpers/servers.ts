import type { Knex } from "knex";
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
}

/** Adds a server; all but its id may be left out. */
export async function addServer(db: Knex, server: { id: string } & Record<string, unknown>): Promise<void> {
  await db("servers").insert({ name: `Server ${server.id}`, ...server });
}

export async function addRecords(db: Knex, serverId: string, measurements: Measurement[]): Promise<void> {
  const rows = measurements.map(({ at, ...rest }) => ({
    server_id: serverId,
    checked_at: at,
    status: "online",
    ...rest,
  }));
  if (rows.length > 0) await db("online_records").insert(rows);
}

export async function databaseClock(db: Knex): Promise<Date> {
  const { rows } = await db.raw("select now() as now");
  return rows[0].now;
}

/**
 * Start of the bucket that began `hours` ago. Tests measure in the middle of the 24 hours: should a bucket begin while
 * they run, the grid moves by one, and what they look at by its time is still in it.
 */
export async function bucketBefore(db: Knex, hours: number): Promise<number> {
  const now = await databaseClock(db);
  return Math.floor((now.getTime() - hours * HOUR_MS) / BUCKET_MS) * BUCKET_MS;
}
