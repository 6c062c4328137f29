import type { Knex } from "knex";
import type pg from "pg";
import { createDb } from "./connect.ts";
import { DatabaseSetupError } from "./failures.ts";
import { selectRow } from "./rows.ts";
import { type WaitOptions, waitForDatabase } from "./wait.ts";

/**
 * Together with the wait for the versions of the data this is below 2 s, the longest wait for a database that is down
 * or busy. The server ends a slow query a little earlier, which keeps its connection. Above the limit the response is
 * 503.
 */
export const REQUEST_LIMITS = { limitMs: 1_300, statementTimeoutMs: 1_200 };

/** Shown in pg_stat_activity. A pooler keeps such connections after the site has stopped; they are idle then. */
export const POOLED_NAME = "almanac pooled";

/** The page with the details. */
const SEE = "see docs/operate.md#pgbouncer";

/**
 * Waits until the database answers at an address for work that needs sessions.
 * @throws DatabaseSetupError as `waitForDatabase`, or if a pooler there assigns a connection to each transaction
 */
export async function requireSessions(
  { url, setting }: { url: string; setting: "DATABASE_URL" | "DATABASE_DIRECT_URL" },
  { log, timeoutMs }: WaitOptions,
): Promise<void> {
  const probe = createDb({
    url,
    isPooled: true,
    poolMax: 2,
    applicationName: "almanac start",
    log: () => undefined,
  });
  try {
    await waitForDatabase(probe, { log, setting, timeoutMs });
    if (!(await sharesConnections(probe))) return;
  } finally {
    await probe.destroy();
  }
  const remedy =
    setting === "DATABASE_URL"
      ? "set DATABASE_DIRECT_URL to the address of the Postgres server behind it"
      : "it must lead to the Postgres server itself";
  throw new DatabaseSetupError(
    `${setting} leads to a pooler in transaction mode, such as PgBouncer, which loses locks and settings: ${remedy}; ${SEE}.`,
  );
}

/**
 * Checks whether two clients get the same connection of the server. A pooler reveals itself by the number of the
 * connection, which it reports to each client. Its mode shows in numbers that change or that two clients get in turn.
 * Several rounds are needed, because other clients of a busy pooler could hide it in one. A pooler that is too busy to
 * respond counts as one with sessions.
 */
async function sharesConnections(probe: Knex): Promise<boolean> {
  const acquire = (): Promise<pg.Client> => probe.client.acquireConnection();
  const first = await acquire();
  try {
    const own = await numberOf(first);
    // A property that pg's types leave out.
    if (own === (first as pg.Client & { processID: number }).processID) return false;
    const second = await acquire().catch(() => undefined);
    if (!second) return false;
    try {
      const other = await numberOf(second);
      for (let round = 0; round < ROUNDS && other !== own; round++) {
        // Twice, because a pooler that rotates its connections would assign one to each client.
        const numbers = [await numberOf(first), await numberOf(first)];
        if (numbers.some((number) => number !== own) || (await numberOf(second)) !== other) return true;
      }
      return other === own;
    } finally {
      await probe.client.releaseConnection(second);
    }
  } finally {
    await probe.client.releaseConnection(first);
  }
}

const ROUNDS = 20;

async function numberOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ number: number }>("select pg_backend_pid() as number");
  return rows[0]?.number ?? 0;
}

interface Session {
  readonly timeZone: string;
  readonly jit: string;
  readonly statementMs: number;
  /** Differs from one database to another, and from one server to another. */
  readonly database: string;
}

/**
 * Waits until a pooler responds, and checks the settings of its connections, which requests cannot change later.
 * @param pooled has `isPooled`
 * @throws DatabaseSetupError
 */
export async function requirePooler(pooled: Knex, direct: Knex, options: WaitOptions): Promise<void> {
  await waitForDatabase(pooled, options);
  const found = await readSession(pooled);
  if (found.database !== (await readSession(direct)).database) {
    throw new DatabaseSetupError("DATABASE_URL and DATABASE_DIRECT_URL lead to different databases.");
  }
  const { timeZone, jit, statementMs } = found;
  const { statementTimeoutMs } = REQUEST_LIMITS;
  const isLimited = statementMs > 0 && statementMs <= statementTimeoutMs;
  if (timeZone === "UTC" && jit === "off" && isLimited) return;
  throw new DatabaseSetupError(
    `The pooler at DATABASE_URL gives connections with timezone ${timeZone}, jit ${jit} and statement_timeout ${statementMs}; ` +
      `requests need UTC, off and ${statementTimeoutMs}: ${SEE}.`,
  );
}

async function readSession(db: Knex): Promise<Session> {
  return selectRow<Session>(
    db,
    `select current_setting('TimeZone') as "timeZone", current_setting('jit') as jit,
            (select setting::int from pg_settings where name = 'statement_timeout') as "statementMs",
            concat_ws(' ', (select oid from pg_database where datname = current_database()),
                      extract(epoch from pg_postmaster_start_time())) as database`,
  );
}
