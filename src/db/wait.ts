import { setTimeout as delay } from "node:timers/promises";
import type { Knex } from "knex";
import { DatabaseSetupError, isDatabaseAway } from "./failures.ts";
import { selectRow } from "./rows.ts";

const OLDEST_VERSION = 140_000;

export interface WaitOptions {
  readonly log: (line: string) => void;
  readonly timeoutMs?: number | undefined;
}

/**
 * Waits until the database answers, for a process that may start before it. Logs one line for each attempt, never with
 * the password. The setting named `setting` has its address.
 * @throws DatabaseSetupError at once for a wrong password, a missing database or an old server, and after `timeoutMs`
 * without an answer
 */
export async function waitForDatabase(
  db: Knex,
  { log, timeoutMs = 60_000, setting = "DATABASE_URL" }: WaitOptions & { setting?: string },
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (let pause = 250; ; pause = Math.min(pause * 2, 5_000)) {
    const failure = await tryDatabase(db, setting);
    if (failure === null) return;
    if (Date.now() + pause >= deadline) {
      throw new DatabaseSetupError(
        `The database did not answer for ${Math.round(timeoutMs / 1000)} s: ${failure}`,
      );
    }
    log(`The database does not answer yet: ${failure}; next try in ${pause / 1000} s`);
    await delay(pause);
  }
}

/** Null, or why the database is down. */
async function tryDatabase(db: Knex, setting: string): Promise<string | null> {
  try {
    const { name, version } = await selectRow<{ name: string; version: string }>(
      db,
      "select version() as name, current_setting('server_version_num') as version",
    );
    assertPostgres(name, Number(version));
    return null;
  } catch (error) {
    if (error instanceof DatabaseSetupError) throw error;
    if (isDatabaseAway(error)) return describe(error);
    throw new DatabaseSetupError(`The database refuses us: ${describe(error)}. Check ${setting}.`);
  }
}

function assertPostgres(name: string, version: number): void {
  // CockroachDB's name begins differently; YugabyteDB and Redshift name themselves further on.
  if (!name.startsWith("PostgreSQL ") || /-YB-|Redshift/.test(name)) {
    throw new DatabaseSetupError(
      `This is no PostgreSQL, but "${name.slice(0, 60)}": Almanac needs LISTEN, advisory locks and triggers with transition tables.`,
    );
  }
  if (version >= OLDEST_VERSION) return;
  const [oldest, major] = [OLDEST_VERSION, version].map((number) => Math.floor(number / 10_000));
  throw new DatabaseSetupError(`Postgres ${major} is too old: Almanac needs ${oldest} or newer.`);
}

/** For a name with several addresses Node reports an error for each and no message for all. */
function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describe).join(", ");
  return error instanceof Error ? error.message : String(error);
}
