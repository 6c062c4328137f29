import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { sleep } from "../settings/timers.ts";
import { DatabaseSetupError } from "./failures.ts";

/** Key of the advisory lock for changes of the schema: "almanac" in ASCII, as a 64-bit number. */
export const MIGRATION_LOCK = "27422289782792547";

/** Longer than any migration has taken; waiting processes have logged the reason since the beginning. */
export const PATIENCE_MS = 10 * 60_000;

const ASK_EVERY_MS = 200;
const LOOK_EVERY_MS = 2_000;

/** How a line names a connection of the server, by its row of pg_stat_activity. */
const CONNECTION = `format('connection %s of "%s"%s, open since %s, %s', holder.pid, holder.application_name,
  ' from ' || host(holder.client_addr), to_char(holder.backend_start at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"'),
  holder.state)`;

export interface Patience {
  /** Gets a line about what the process is waiting for. */
  readonly log?: ((line: string) => void) | undefined;
  /** How long to wait at most, by default ten minutes. */
  readonly waitMs?: number | undefined;
}

/**
 * Takes the lock for as long as the connection lasts. Polls, because `create index concurrently` would wait for the
 * snapshot of a query that waits.
 * @throws DatabaseSetupError that names the holder, after `waitMs`
 */
export async function takeMigrationLock(
  connection: pg.Client,
  { log, waitMs = PATIENCE_MS }: Patience,
): Promise<void> {
  const began = performance.now();
  for (let waits = 0; ; waits++) {
    const { rows } = await connection.query("select pg_try_advisory_lock($1) as taken", [MIGRATION_LOCK]);
    if (rows[0].taken) return;
    const isOver = performance.now() - began > waitMs;
    if (waits === 0 || isOver) {
      const holder = await describeHolder(connection);
      if (waits === 0) log?.(`Another process is migrating the database; waiting for it (${holder})`);
      if (isOver)
        throw new DatabaseSetupError(
          `Another process has kept the lock of migrations for ${secondsText(waitMs)} (${holder}). If it is dead, end its ` +
            "connection as the database's owner: SELECT pg_terminate_backend(…);",
        );
    }
    await delay(ASK_EVERY_MS);
  }
}

/** `10 min` or `2 s`. */
function secondsText(milliseconds: number): string {
  return milliseconds >= 60_000 ? `${Math.round(milliseconds / 60_000)} min` : `${milliseconds / 1000} s`;
}

async function describeHolder(connection: pg.Client): Promise<string> {
  const { rows } = await connection.query<{ text: string }>(
    `select ${CONNECTION} as text from pg_locks join pg_stat_activity holder using (pid)
      where locktype = 'advisory' and granted and objsubid = 1 and (classid::bigint << 32) + objid::bigint = $1
        and database = (select oid from pg_database where datname = current_database())`,
    [MIGRATION_LOCK],
  );
  return rows[0]?.text ?? "it has just ended";
}

/**
 * Logs what a connection is waiting for, every few seconds and only after a change, until `ended`.
 * @param waiting its number on the server, once it is known
 */
export async function tellWaits(
  connection: pg.Client,
  waiting: () => number | undefined,
  log: (line: string) => void,
  ended: AbortSignal,
): Promise<void> {
  for (let told = ""; !ended.aborted; await sleep(LOOK_EVERY_MS, ended)) {
    const pid = waiting();
    if (pid === undefined) continue;
    const { rows } = await connection.query<{ text: string }>(
      `select ${CONNECTION} as text from pg_stat_activity holder where pid = any(pg_blocking_pids($1)) order by pid limit 1`,
      [pid],
    );
    const text = rows[0]?.text ?? "";
    if (text !== "" && text !== told)
      log(`The migration waits for tables that another connection uses (${text})`);
    told = text;
  }
}
