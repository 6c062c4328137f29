import path from "node:path";
import type { Knex } from "knex";
import type { Config } from "../settings/config.ts";
import { counted } from "../settings/counted.ts";
import { createDb, type DbOptions, withOwnConnection } from "./connect.ts";
import { findVersion } from "./embedded/cluster.ts";
import { startEmbeddedPostgres } from "./embedded/start.ts";
import { DatabaseSetupError } from "./failures.ts";
import { describeOtherSite } from "./known-sites.ts";
import { migrate, pendingMigrations } from "./migrate.ts";
import { POOLED_NAME, requireSessions } from "./pooler.ts";
import { waitForDatabase } from "./wait.ts";

export interface OpenDatabase {
  /** Connections with sessions, without a pooler; `url` is their address. */
  db: Knex;
  url: string;
  /** The address for requests, which may be another one. */
  forRequests: Pick<DbOptions, "url" | "isPooled" | "applicationName">;
  /** The embedded server belongs to another process that runs on the same data directory. */
  adopted: boolean;
  /** Closes the connections, then stops the embedded server if this process started it. */
  close(): Promise<void>;
}

/** The folder of the embedded Postgres' database. */
export function embeddedDirectory({ dataDir }: Pick<Config, "dataDir">): string {
  return path.join(dataDir, "postgres");
}

interface OpenOptions {
  log: (line: string) => void;
  /** Gets a line for each failed connection, several a second while the database is down; by default `log`. */
  poolLog?: ((line: string) => void) | undefined;
  /** Whether to apply missing migrations. */
  migrate: boolean;
  /** Whether to create a missing embedded database; false without the operator's --yes. */
  create?: boolean | undefined;
  /** How long to wait for a database that does not answer; a minute by default. */
  patienceMs?: number | undefined;
  /** Ends queries that take longer; no limit by default. */
  statementTimeoutMs?: number;
  /** See DbOptions. */
  unreachableMs?: number;
  /** See DbOptions. */
  applicationName?: string;
  /** See EmbeddedPostgresOptions. */
  keepsRunning?: boolean | undefined;
  /**
   * The maximum number of connections of the embedded Postgres, if this process starts it; by default as in its
   * postgresql.conf.
   */
  maxConnections?: number;
}

/**
 * Opens the embedded Postgres or the database at DATABASE_DIRECT_URL or DATABASE_URL. Waits for it, and migrates it if
 * `migrate` is set.
 * @throws DatabaseSetupError if it cannot be used
 */
export async function openDatabase(
  config: Config,
  {
    log,
    poolLog = log,
    migrate: mayMigrate,
    create,
    maxConnections,
    keepsRunning,
    patienceMs,
    ...limits
  }: OpenOptions,
): Promise<OpenDatabase> {
  if (config.databaseUrl === undefined && !create) await requireEmbedded(config, create);
  const embedded =
    config.databaseUrl === undefined
      ? await startEmbeddedPostgres({
          directory: embeddedDirectory(config),
          log,
          keepsRunning,
          settings: maxConnections === undefined ? {} : { max_connections: String(maxConnections) },
        })
      : undefined;
  const { databaseUrl = "", databaseDirectUrl } = config;
  const setting = databaseDirectUrl === undefined ? "DATABASE_URL" : "DATABASE_DIRECT_URL";
  const url = embedded?.url ?? databaseDirectUrl ?? databaseUrl;
  // Before any other connection, because a pooler would keep the settings of its session for other clients.
  if (!embedded) await requireSessions({ url, setting }, { log, timeoutMs: patienceMs });
  const db = createDb({ url, poolMax: config.databasePool, ...limits, log: poolLog });
  const close = async () => {
    await db.destroy();
    await embedded?.stop();
  };
  try {
    await waitForDatabase(db, { log, setting, timeoutMs: patienceMs });
    if (mayMigrate) await withOwnConnection({ url, log: poolLog }, (setUp) => migrate(setUp, { log }));
  } catch (error) {
    await close();
    throw error;
  }
  const forRequests =
    databaseDirectUrl === undefined
      ? { url }
      : { url: databaseUrl, isPooled: true, applicationName: POOLED_NAME };
  return { db, url, forRequests, adopted: embedded?.adopted ?? false, close };
}

/** @throws DatabaseSetupError without an embedded database: a new one would be another site's */
async function requireEmbedded(config: Config, create: false | undefined): Promise<void> {
  // Starting it reports any other problem.
  const version = await findVersion(embeddedDirectory(config)).catch(() => "unknown");
  if (version !== undefined) return;
  const way = create === false ? "To make a new one, add --yes." : "npm start makes one.";
  throw new DatabaseSetupError(
    `There is no database in ${config.dataDir}.${await describeOtherSite(config)} ${way}`,
  );
}

/** @throws DatabaseSetupError if the schema is older than this code, because queries would fail later, one by one. */
export async function requireMigrated(db: Knex): Promise<void> {
  const pending = await pendingMigrations(db);
  if (pending.length === 0) return;
  throw new DatabaseSetupError(
    `the database lacks ${counted(pending.length, "migration")}: run "npm run -s almanac -- migrate", or set MIGRATE_ON_START=1`,
  );
}
