import { readdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Knex } from "knex";
import type pg from "pg";
import type { Db } from "./connect.ts";
import { closeConnection, createPgPool, openConnection } from "./connect.ts";
import { DatabaseSetupError, isLockTimeout } from "./failures.ts";
import { QUEUE_SCHEMA } from "./jobs.ts";
import { PATIENCE_MS, type Patience, takeMigrationLock, tellWaits } from "./migration-lock.ts";
import { limitWaiting, selectRow, selectRows } from "./rows.ts";

/** The folder of the migrations, for any working directory. */
export const MIGRATIONS_DIRECTORY = fileURLToPath(new URL("../../migrations", import.meta.url));

/** Number of the newest migration of the installed graphile-worker. */
const QUEUE_VERSION = 19;

export interface MigrateOptions extends Patience {
  /** By default the repository's, and those of the queue after them. */
  readonly directory?: string;
}

/**
 * Applies all pending migrations in one transaction, then the queue's own, and returns their names. One of several
 * processes works while the others wait. It writes nothing if nothing is pending, so the site also starts on a
 * read-only database.
 * @throws DatabaseSetupError, with nothing changed, if the database has migrations that this version does not know, its
 * user may not create the queue's schema, or another process keeps the lock or a table for too long
 */
export async function migrate(db: Knex, options: MigrateOptions = {}): Promise<string[]> {
  if ((await pendingMigrations(db, options)).length === 0) return [];
  return withMigrationLock(db, options, async (config) => {
    await assertQueueAllowed(db, options);
    const [, names]: [number, string[]] = await db.migrate.latest(config).catch((error) => {
      throw isLockTimeout(error) ? new DatabaseSetupError(IN_USE, { cause: error }) : error;
    });
    return [...names, ...(await migrateQueue(db, options))];
  });
}

export interface RollbackOptions extends MigrateOptions {
  /** Every migration instead of the newest one; for tests. */
  readonly all?: boolean;
  /** Called with the undone migrations and the destroyed data, before the commit; false reverts it. */
  readonly agrees?: (names: string[], losses: Loss[]) => boolean;
}

/**
 * Undoes the newest migration in one transaction, unless `agrees` returns false; returns the names of the undone ones.
 * The queue's schema goes with the migration that added jobs.
 * @throws DatabaseSetupError, with nothing changed, if the tables are in use
 */
export async function rollback(db: Knex, options: RollbackOptions = {}): Promise<string[]> {
  const { all = false, agrees = () => true } = options;
  return withMigrationLock(db, options, async (config) => {
    const transaction = await db.transaction();
    try {
      await limitWaiting(transaction, LOCK_TIMEOUT);
      let names: string[] = [];
      const losses = await findLosses(transaction, async () => {
        // Knex alone would record each step only after the step's own transaction.
        const { migrate } = transaction;
        [, names] = await (all ? migrate.rollback(config, true) : migrate.down(config));
      });
      if (names.length > 0 && agrees(names, losses)) await transaction.commit();
      else names = [];
      return names;
    } catch (error) {
      throw isLockTimeout(error) ? new DatabaseSetupError(IN_USE, { cause: error }) : error;
    } finally {
      if (!transaction.isCompleted()) await transaction.rollback();
    }
  });
}

/** Short, because waiting for a table also blocks all later queries of it. */
const LOCK_TIMEOUT = "5s";
const IN_USE = "The tables are in use: stop the site and what else works on the database, then try again.";

/** Names of the pending migrations. Changes nothing, even in an empty database. */
export async function pendingMigrations(db: Knex, options: MigrateOptions = {}): Promise<string[]> {
  const source = migrationSource(options.directory);
  const names = await source.getMigrations([]);
  const queue = (await isQueuePending(db, options)) ? [QUEUE_SCHEMA] : [];
  if (!(await db.schema.hasTable("knex_migrations"))) return [...names, ...queue];
  const done = await db("knex_migrations").pluck<string[]>("name");
  assertKnown(names, done);
  return [...names.filter((name) => !done.includes(name)), ...queue];
}

/** Checks first: the queue's schema comes last, and a missing right would leave a site that does not start. */
export async function assertQueueAllowed(db: Knex, { directory }: MigrateOptions = {}): Promise<void> {
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

/**
 * Brings the queue's own schema up to date. Each of its migrations is a transaction; the next `migrate` repeats one that fails.
 * @throws DatabaseSetupError if a table is kept for too long
 */
export async function migrateQueue(db: Knex, options: MigrateOptions = {}): Promise<string[]> {
  if (!(await isQueuePending(db, options))) return [];
  const { log, waitMs = PATIENCE_MS } = options;
  const pgPool = createPgPool(db, { max: 1, ...(log && { log }) });
  const limit = (connection: pg.PoolClient) => connection.query(`set lock_timeout to ${waitMs}`);
  // Runs before the queue's own statements on that connection, which fail if this does.
  pgPool.on("connect", (connection) => void limit(connection).catch(() => undefined));
  try {
    const { runMigrations } = await import("graphile-worker");
    await runMigrations({ pgPool, schema: QUEUE_SCHEMA });
  } catch (error) {
    throw isLockTimeout(error) ? new DatabaseSetupError(IN_USE, { cause: error }) : error;
  } finally {
    await pgPool.end();
  }
  return [QUEUE_SCHEMA];
}

async function isQueuePending(db: Knex, { directory }: MigrateOptions): Promise<boolean> {
  if (directory !== undefined) return false;
  if (!(await db.schema.withSchema(QUEUE_SCHEMA).hasTable("migrations"))) return true;
  const newest = await db.withSchema(QUEUE_SCHEMA).from("migrations").max("id as id").first();
  return newest.id < QUEUE_VERSION;
}

/** Replaces Knex's lock, a row that a killed process leaves locked: an advisory lock ends with its connection. */
export async function withMigrationLock<Result>(
  db: Knex,
  options: MigrateOptions,
  work: (config: Knex.MigratorConfig) => Promise<Result>,
): Promise<Result> {
  const { directory, log, waitMs = PATIENCE_MS } = options;
  const connection = await openConnection(db);
  const ended = new AbortController();
  let working: number | undefined;
  try {
    await takeMigrationLock(connection, options);
    await pendingMigrations(db, options);
    const config = {
      migrationSource: migrationSource(directory),
      beforeAll: async (transaction: Knex) => {
        // No statement timeout, because an index of a large table takes longer than any query of the site may.
        await transaction.raw("set local statement_timeout to 0");
        // Keeps a shorter timeout of the caller, who also reports the failure.
        const [unlimited] = await selectRows<{ pid: number }>(
          transaction,
          `select pg_backend_pid() as pid, set_config('lock_timeout', ?, true)
            where current_setting('lock_timeout') = '0'`,
          [String(Math.trunc(waitMs))],
        );
        working = unlimited?.pid;
      },
    };
    await db.migrate.forceFreeMigrationsLock(config);
    if (log) void tellWaits(connection, () => working, log, ended.signal).catch(() => undefined);
    return await work(config);
  } finally {
    ended.abort();
    await closeConnection(connection);
  }
}

/** Knex's own source imports from node_modules, which the tests' TypeScript loader does not process. */
export function migrationSource(directory: string = MIGRATIONS_DIRECTORY): Knex.MigrationSource<string> {
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

/** Data destroyed by a change of the schema. */
export type Loss =
  | { readonly kind: "table"; readonly table: string; readonly rows: number }
  /** `values` counts the rows that have one. */
  | { readonly kind: "column"; readonly table: string; readonly column: string; readonly values: number }
  | { readonly kind: "rows"; readonly table: string; readonly rows: number };

/** Tables and columns by Postgres' own numbers, which survive renaming. */
type Contents = Map<string, Table>;

interface Table {
  readonly name: string;
  readonly rows: number;
  readonly columns: Map<number, { readonly name: string; readonly values: number }>;
}

/** Runs `change`, which alters the schema in the transaction of `db`; returns what it destroyed. */
async function findLosses(db: Db, change: () => Promise<unknown>): Promise<Loss[]> {
  const before = await readContents(db);
  await change();
  const after = await readContents(db);
  return [...before].flatMap(([oid, table]) => compare(table, after.get(oid)));
}

function compare(before: Table, after: Table | undefined): Loss[] {
  const table = before.name;
  if (!after) return [{ kind: "table", table, rows: before.rows }];
  const columns = [...before.columns]
    .filter(([number]) => !after.columns.has(number))
    .map(([, { name, values }]): Loss => ({ kind: "column", table, column: name, values }));
  const rows = before.rows - after.rows;
  return rows > 0 ? [...columns, { kind: "rows", table, rows }] : columns;
}

/** Counts partitions with their table; leaves out Knex' own list, which every migration changes. */
async function readContents(db: Db): Promise<Contents> {
  const rows = await selectRows<{ oid: string; schema: string; name: string; columns: Column[] | null }>(
    db,
    `select c.oid::text, n.nspname as schema, c.relname as name,
            (select json_agg(json_build_object('number', attnum, 'name', attname) order by attnum)
               from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped) as columns
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and not c.relispartition
        and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'
        and c.relname not like 'knex\\_migrations%'
      order by 2, 3`,
  );
  const contents: Contents = new Map();
  for (const { oid, ...table } of rows) contents.set(oid, await count(db, table));
  return contents;
}

interface Column {
  readonly number: number;
  readonly name: string;
}

async function count(
  db: Db,
  { schema, name, columns }: { schema: string; name: string; columns: Column[] | null },
): Promise<Table> {
  const listed = columns ?? [];
  const values = listed.map(() => "count(??)").join(", ");
  const { counts } = await selectRow<{ counts: number[] }>(
    db,
    `select array[count(*)${values && `, ${values}`}]::double precision[] as counts from ??.??`,
    [...listed.map((column) => column.name), schema, name],
  );
  const [all, ...each] = counts;
  return {
    name: schema === "public" ? name : `${schema}.${name}`,
    rows: all ?? 0,
    columns: new Map(
      listed.map((column, index) => [column.number, { name: column.name, values: each[index] ?? 0 }]),
    ),
  };
}
