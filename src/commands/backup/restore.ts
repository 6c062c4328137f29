import type { Knex } from "knex";
import type pg from "pg";
import { forgetBackups } from "../../db/backup-state-queries.ts";
import type { Db } from "../../db/connect.ts";
import { assertQueueAllowed, migrateQueue, pendingMigrations, withMigrationLock } from "../../db/migrate.ts";
import { assertMigrationsKnown, migrateWithin, rebuildSchema } from "../../db/rebuild.ts";
import type { PictureStore } from "../../records/pictures/store.ts";
import { readPictureAddress } from "../../records/stored-picture.ts";
import { counted } from "../../settings/counted.ts";
import { parseJson } from "./archive-reader.ts";
import { BackupError } from "./backup-error.ts";
import {
  type BackupHeader,
  JOBS,
  PICTURES,
  SEAL,
  SECRETS,
  SETTINGS,
  type Seal,
  sealSchema,
} from "./format.ts";
import {
  addTables,
  bareTables,
  countAsSent,
  countContent,
  createJobTable,
  listOthers,
  loadRows,
  setSequences,
  takeOverJobs,
} from "./load-queries.ts";
import {
  assertCounted,
  type BackupFiles,
  checkBackup,
  openBackup,
  type ReadOptions,
  readTableName,
} from "./read-backup.ts";
import { COPY_SETTINGS, listOwnKinds } from "./snapshot-queries.ts";
import { KEPT_TABLES, LEFT_OUT_TABLES, RECORD_TABLES, SESSIONS } from "./tables.ts";

export interface RestoreOptions extends ReadOptions {
  /** Whether to replace existing data. */
  readonly force?: boolean;
  /** Whether to drop messages that were due before now: see `countAsSent`. */
  readonly asSent?: boolean;
  /** Creates the store of pictures, on the restore's transaction; without it, pictures are left out. */
  readonly pictures?: ((db: Db) => PictureStore) | undefined;
  /** Receives the operator's files and the secrets, by their names in the backup; if it fails, nothing is restored. */
  readonly beforeCommit?: (settings: ReadonlyMap<string, Buffer>) => Promise<void>;
  /** Receives lines about what the restore waits for. */
  readonly log?: (line: string) => void;
}

export interface RestoreSummary {
  readonly header: BackupHeader;
  readonly rows: Readonly<Record<string, number>>;
  readonly pictureFiles: number;
  readonly settings: ReadonlyMap<string, Buffer>;
}

/** How long to wait for locked tables. */
const LOCK_TIMEOUT = "10s";

/**
 * Restores a backup into a database in one transaction: if anything fails, the old data stays. The two may have
 * different versions of the schema and of Postgres.
 * @throws BackupError if the file is not whole, the site runs, or the database is not empty and `force` is not set
 */
export async function restoreBackup(
  db: Knex,
  file: string,
  options: RestoreOptions = {},
): Promise<RestoreSummary> {
  const { header } = await checkBackup(file, options);
  await assertMigrationsKnown(header.migrations);
  await pendingMigrations(db);
  return withMigrationLock(db, { log: options.log }, async () => {
    // The queue's migrations commit their own transactions, so they run before ours.
    await assertQueueAllowed(db);
    await migrateQueue(db);
    return db.transaction(async (transaction) => {
      const connection: pg.Client = await transaction.client.acquireConnection(); // inside a transaction: its own
      await connection.query(
        `${COPY_SETTINGS.replaceAll("set ", "set local ")}; set local lock_timeout to '${LOCK_TIMEOUT}'`,
      );
      await assertFree(connection, options);
      await rebuildSchema(transaction, header.migrations, await listEmptied(connection));
      const restored = await load(transaction, connection, await reopen(file, header, options), options);
      await connection.query("analyze");
      await options.beforeCommit?.(restored.settings);
      return restored;
    });
  });
}

/** @throws BackupError if the site runs on the database, or it has data that `force` does not allow to replace */
async function assertFree(connection: pg.Client, { force = false }: RestoreOptions): Promise<void> {
  // A site that starts from here on waits for the end of the transaction before it reads anything.
  await connection.query(`
    do $$ begin
      if to_regclass('knex_migrations') is not null then
        lock table knex_migrations in access exclusive mode;
      end if;
    end $$`);
  const others = await listOthers(connection);
  if (others.length > 0) {
    const names = others.map(({ name, count }) => `${count} of "${name}"`).join(", ");
    throw new BackupError(
      `the site or a command of it works on this database (connections: ${names}); stop it first`,
    );
  }
  if (force) return;
  const { accounts, records } = await countContent(connection, [
    ...RECORD_TABLES,
    ...(await listOwnKindTables(connection)),
  ]);
  if (accounts + records > 0)
    throw new BackupError(
      `the database is not empty: it has ${counted(accounts, "account")} and ${counted(records, "record")}; --force replaces all of it`,
    );
}

async function listEmptied(connection: pg.Client): Promise<string[]> {
  const ours = [...KEPT_TABLES, ...LEFT_OUT_TABLES.map(({ table }) => table), SESSIONS];
  // Reverting migrations reads the names of tables there.
  const needed = /^(catalogue_versions|own_kinds|knex_migrations.*)$/;
  return [...ours.filter((name) => !needed.test(name)), ...(await listOwnKindTables(connection))];
}

async function listOwnKindTables(connection: pg.Client): Promise<string[]> {
  return (await listOwnKinds(connection)).map(({ kind }) => kind);
}

/** Reopens the checked file. It may have been replaced since, so it is checked again while it is read. */
async function reopen(file: string, checked: BackupHeader, options: ReadOptions): Promise<BackupFiles> {
  const opened = await openBackup(file, { ...options, doing: "restoring" });
  if (JSON.stringify(opened.header) !== JSON.stringify(checked))
    throw new BackupError("it was replaced by another file meanwhile");
  return opened;
}

async function load(
  transaction: Knex.Transaction,
  connection: pg.Client,
  { header, files }: BackupFiles,
  options: RestoreOptions,
): Promise<RestoreSummary> {
  await addTables(connection, header);
  const makeWhole = await bareTables(connection, await listAllTables(connection, header));
  const pictures = options.pictures?.(transaction);
  const read = await loadFiles(connection, { header, files }, pictures);
  assertCounted(read.seal, read);
  options.onProgress?.({ doing: "indexes", done: 0, total: 0 });
  await makeWhole(options.signal);
  await setSequences(connection, header.sequences);
  await takeOverJobs(connection, { asSent: options.asSent ?? false });
  await migrateWithin(transaction);
  await forgetBackups(transaction);
  if (options.asSent) await countAsSent(connection);
  const { rows, pictureFiles, settings } = read;
  return { header, rows, pictureFiles, settings };
}

/** Lists the tables of the backup and the other ones of its schema, as foreign keys connect them. */
async function listAllTables(connection: pg.Client, { ownKinds }: BackupHeader): Promise<string[]> {
  const names = [
    ...KEPT_TABLES,
    ...LEFT_OUT_TABLES.map(({ table }) => table),
    SESSIONS,
    ...ownKinds.map(({ kind }) => kind),
  ].filter((name) => !name.startsWith("knex_"));
  const { rows } = await connection.query<{ name: string }>(
    `select relname::text as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and relname = any($1) order by 1`,
    [names],
  );
  return rows.map(({ name }) => name);
}

type Loaded = Pick<RestoreSummary, "rows" | "pictureFiles" | "settings"> & {
  readonly rows: Record<string, number>;
  readonly seal: Seal;
};

async function loadFiles(
  connection: pg.Client,
  { header, files }: BackupFiles,
  pictures: PictureStore | undefined,
): Promise<Loaded> {
  const tables = new Map(header.tables.map((table) => [table.name, table]));
  tables.set(JOBS, await createJobTable(connection));
  const rows: Record<string, number> = {};
  const settings = new Map<string, Buffer>();
  let pictureFiles = 0;
  let seal: Seal | undefined;
  for await (const { name, content } of files) {
    const table = readTableName(name);
    if (table !== undefined) {
      const into = tables.get(table);
      if (!into) throw new BackupError(`it has rows of ${table}, which is not among its tables`);
      rows[table] = (rows[table] ?? 0) + (await loadRows(connection, into, content));
    } else if (name.startsWith(PICTURES)) {
      pictureFiles += 1;
      await storePicture(pictures, name, content);
    } else if (name.startsWith(SETTINGS) || name.startsWith(SECRETS)) settings.set(name, content);
    else if (name === SEAL) seal = parseJson(content, sealSchema, SEAL);
  }
  if (!seal) throw new BackupError(`it is not whole: it ends without ${SEAL}`);
  return { rows, pictureFiles, settings, seal };
}

/** Stores a picture. Files with unknown names are skipped: a later version may have more sizes. */
async function storePicture(store: PictureStore | undefined, name: string, content: Buffer): Promise<void> {
  const address = readPictureAddress(name.slice(name.lastIndexOf("/") + 1));
  if (store && address) await store.write(address.name, new Map([[address.file, content]]));
}
