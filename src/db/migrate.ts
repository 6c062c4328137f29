import { readdir } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { runMigrations } from "graphile-worker";
import type { Knex } from "knex";
import type pg from "pg";
import { closeConnection, createPgPool, openConnection } from "./connect.ts";
import { DatabaseSetupError } from "./failures.ts";
import { QUEUE_SCHEMA } from "./jobs.ts";
import { findLosses, type Loss } from "./losses.ts";
import { selectRows } from "./rows.ts";

/** Where the migrations are, whatever the working directory. */
export const MIGRATIONS_DIRECTORY = fileURLToPath(new URL("../../migrations", import.meta.url));

/** Key of the advisory lock that whoever changes the schema holds: "almanac" in ASCII, as a 64-bit number. */
export const MIGRATION_LOCK = "27422289782792547";

/** The queue's schema in lists of migrations: the package brings its own, which are applied after ours. */
const QUEUE = QUEUE_SCHEMA;

/** Number of the newest migration of the graphile-worker that is installed. */
const QUEUE_VERSION = 19;

export interface MigrateOptions {
  /** Default: the repository's, and those of the queue after them. */
  readonly directory?: string;
  /** Told when another process is at it and this one waits. */
  readonly log?: (line: string) => void;
}

/**
 * Applies all migrations that are pending, in one transaction, and returns their names. Of several processes that
 * do so at once, one works and the others wait and find nothing left to do. Where nothing is pending nothing is
 * written, so that the site starts on a read-only database too.
 * @throws DatabaseSetupError, with nothing changed, if the database has migrations that this version does not know, or
 *   its user may not make the queue's schema
 */
export async function migrate(db: Knex, options: MigrateOptions = {}): Promise<string[]> {
  if ((await pendingMigrations(db, options)).length === 0) return [];
  return withMigrationLock(db, options, async (config) => {
    await assertQueueAllowed(db, options);
    const [, names]: [number, string[]] = await db.migrate.latest(config);
    return [...names, ...(await migrateQueue(db, options))];
  });
}

export interface RollbackOptions extends MigrateOptions {
  /** Every migration instead of the newest one; for tests. */
  readonly all?: boolean;
  /** Told of what was undone and destroyed while it can still be left as it was: false does that. */
  readonly agrees?: (names: string[], losses: Loss[]) => boolean;
}

/**
 * Takes back the newest migration in one transaction, or, where `agrees` says no, nothing; returns what was taken back.
 * The queue's schema goes with the migration that jobs came with.
 * @throws DatabaseSetupError, with nothing changed, if somebody else uses what is to go
 */
export async function rollback(db: Knex, options: RollbackOptions = {}): Promise<string[]> {
  const { all = false, agrees = () => true } = options;
  return withMigrationLock(db, options, async (config) => {
    const transaction = await db.transaction();
    try {
      await transaction.raw(`set local lock_timeout to '${LOCK_TIMEOUT}'`);
      let names: string[] = [];
      const losses = await findLosses(transaction, async () => {
        // By itself, Knex would write each step into its list only after the step's own transaction.
        const { migrate } = transaction;
        [, names] = await (all ? migrate.rollback(config, true) : migrate.down(config));
      });
      if (names.length > 0 && agrees(names, losses)) await transaction.commit();
      else names = [];
      return names;
    } catch (error) {
      throw isLocked(error) ? new DatabaseSetupError(IN_USE, { cause: error }) : error;
    } finally {
      if (!transaction.isCompleted()) await transaction.rollback();
    }
  });
}

/** Whoever waits for a table keeps all who come after it waiting too. */
const LOCK_TIMEOUT = "5s";
const IN_USE = "The tables are in use: stop the site and what else works on the database, then try again.";

function isLocked(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "55P03";
}

/** Names of the migrations that are still to be applied. Changes nothing, also in an empty database. */
export async function pendingMigrations(db: Knex, options: MigrateOptions = {}): Promise<string[]> {
  const source = migrationSource(options.directory);
  const names = await source.getMigrations([]);
  const queue = (await isQueuePending(db, options)) ? [QUEUE] : [];
  if (!(await db.schema.hasTable("knex_migrations"))) return [...names, ...queue];
  const done = await db("knex_migrations").pluck<string[]>("name");
  assertKnown(names, done);
  return [...names.filter((name) => !done.includes(name)), ...queue];
}

/** The queue's schema comes last: found out only then, a missing right would leave a site that does not start. */
async function assertQueueAllowed(db: Knex, { directory }: MigrateOptions): Promise<void> {
  if (directory !== undefined) return;
  const [missing] = await selectRows<{ user: string; database: string }>(
    db,
    `select quote_ident(current_user) as "user", quote_ident(current_database()) as database
      where to_regnamespace(?) is null and not has_database_privilege(current_database(), 'CREATE')`,
    [QUEUE_SCHEMA],
  );
  if (!missing) return;
  throw new DatabaseSetupError(
    `The database user may not make the schema "${QUEUE_SCHEMA}", which background work needs. As the database's owner, ` +
      `run: GRANT CREATE ON DATABASE ${missing.database} TO ${missing.user};`,
  );
}

/** Each of the queue's own migrations is a transaction; one that fails is tried again by the next `migrate`. */
async function migrateQueue(db: Knex, options: MigrateOptions): Promise<string[]> {
  if (!(await isQueuePending(db, options))) return [];
  const pgPool = createPgPool(db, { max: 1, log: options.log });
  try {
    await runMigrations({ pgPool, schema: QUEUE_SCHEMA });
  } finally {
    await pgPool.end();
  }
  return [QUEUE];
}

async function isQueuePending(db: Knex, { directory }: MigrateOptions): Promise<boolean> {
  if (directory !== undefined) return false;
  if (!(await db.schema.withSchema(QUEUE_SCHEMA).hasTable("migrations"))) return true;
  const newest = await db.withSchema(QUEUE_SCHEMA).from("migrations").max("id as id").first();
  return newest.id < QUEUE_VERSION;
}

/**
 * Knex' own lock is a row: who finds it taken fails instead of waiting, and who is killed leaves it taken for ever.
 * An advisory lock goes with its connection. While we hold it, a taken row can only be a dead process's.
 */
async function withMigrationLock<Result>(
  db: Knex,
  options: MigrateOptions,
  work: (config: Knex.MigratorConfig) => Promise<Result>,
): Promise<Result> {
  const connection = await openConnection(db);
  try {
    await takeLock(connection, options.log);
    await pendingMigrations(db, options);
    const config = {
      migrationSource: migrationSource(options.directory),
      // An index of a large table takes longer than any query of the site may.
      beforeAll: (trx: Knex) => trx.raw("set local statement_timeout to 0"),
    };
    await db.migrate.forceFreeMigrationsLock(config);
    return await work(config);
  } finally {
    await closeConnection(connection);
  }
}

/** By asking again and again: a query that waits would keep `create index concurrently` waiting for its snapshot. */
async function takeLock(connection: pg.Client, log: MigrateOptions["log"]): Promise<void> {
  for (let waits = 0; ; waits++) {
    const { rows } = await connection.query("select pg_try_advisory_lock($1) as taken", [MIGRATION_LOCK]);
    if (rows[0].taken) return;
    if (waits === 0) log?.("Another process is migrating the database; waiting for it");
    await delay(200);
  }
}

/**
 * Knex' own source imports from inside node_modules, where the TypeScript loader of the tests does not reach. Names
 * are file names, as Knex' command line records them.
 */
function migrationSource(directory: string = MIGRATIONS_DIRECTORY): Knex.MigrationSource<string> {
  return {
    getMigrations: async () => (await readdir(directory)).filter((name) => name.endsWith(".ts")).sort(),
    getMigrationName: (name) => name,
    getMigration: (name) => import(pathToFileURL(path.join(directory, name)).href),
  };
}

function assertKnown(names: string[], done: string[]): void {
  const unknown = done.filter((name) => !names.includes(name));
  if (unknown.length === 0) return;
  throw new DatabaseSetupError(
    `The database was migrated by another version of Almanac (unknown here: ${unknown.join(", ")}). ` +
      "Install that version or a newer one.",
  );
}
