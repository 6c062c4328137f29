import { readdir } from "node:fs/promises";
import type { Knex } from "knex";
import { DatabaseSetupError } from "./failures.ts";
import { QUEUE_SCHEMA } from "./jobs.ts";
import { MIGRATIONS_DIRECTORY, migrationSource } from "./migrate.ts";
import { listStoredKinds } from "./own-kinds.ts";
import { selectRow, selectRows } from "./rows.ts";

/** The queue's schema is kept here while the migration that would drop it is undone. */
const KEPT_QUEUE = "almanac_kept_queue";

/**
 * Rebuilds the schema in a transaction, as it was after some migrations. Deletes all of its rows; the queue's own
 * schema stays. The caller holds the lock of migrations.
 * @param emptied tables that may have many rows and are emptied first, because undoing a migration can rewrite a table
 */
export async function rebuildSchema(
  transaction: Knex.Transaction,
  migrations: readonly string[],
  emptied: readonly string[],
): Promise<void> {
  await emptyTables(transaction, emptied);
  await removeOwnKinds(transaction);
  await keepQueue(transaction, () =>
    transaction.migrate.rollback({ migrationSource: migrationSource() }, true),
  );
  await dropTemporary(transaction);
  const { getMigrations, ...source } = migrationSource();
  await transaction.migrate.latest({
    migrationSource: {
      ...source,
      getMigrations: async (extensions) =>
        (await getMigrations(extensions)).filter((name) => migrations.includes(name)),
    },
  });
  await dropTemporary(transaction);
}

/** Applies the missing migrations in a transaction, except those of the queue's own schema. */
export async function migrateWithin(transaction: Knex.Transaction): Promise<void> {
  await transaction.migrate.latest({ migrationSource: migrationSource() });
}

/** @throws DatabaseSetupError with a sentence if some migrations of a backup are not known here */
export async function assertMigrationsKnown(migrations: readonly string[]): Promise<void> {
  const known = await readdir(MIGRATIONS_DIRECTORY);
  const unknown = migrations.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new DatabaseSetupError(
    `the backup is of a newer version of Almanac (unknown here: ${unknown.join(", ")}); install that version or a newer one`,
  );
}

async function emptyTables(transaction: Knex.Transaction, names: readonly string[]): Promise<void> {
  const there = await selectRows<{ name: string }>(
    transaction,
    `select relname::text as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and relname = any(?) order by 1`,
    [[...names]],
  );
  if (there.length === 0) return;
  const tables = there.map(({ name }) => name);
  // Without triggers, which would record the deletions.
  for (const name of tables) await transaction.raw("alter table ?? disable trigger user", [name]);
  await transaction.raw(`truncate ${tables.map(() => "??").join(", ")}`, tables);
}

/** When undone, migrations only know the built-in kinds, up to the one that lists the others. */
async function removeOwnKinds(transaction: Knex.Transaction): Promise<void> {
  if (!(await transaction.schema.hasTable("own_kinds"))) return;
  for (const { kind, one } of await listStoredKinds(transaction)) {
    await transaction.raw("select remove_catalogue_kind(?, ?)", [kind, one]);
    await transaction("own_kinds").where({ kind }).delete();
  }
}

/** Drops temporary tables that migrations leave to the end of their transaction, because here they share one. */
async function dropTemporary(transaction: Knex.Transaction): Promise<void> {
  const left = await selectRows<{ name: string }>(
    transaction,
    "select relname::text as name from pg_class where relnamespace = pg_my_temp_schema() and relkind = 'r'",
  );
  for (const { name } of left) await transaction.raw("drop table pg_temp.??", [name]);
}

async function keepQueue(transaction: Knex.Transaction, work: () => Promise<unknown>): Promise<void> {
  const { there } = await selectRow<{ there: boolean }>(
    transaction,
    "select to_regnamespace(?) is not null as there",
    [QUEUE_SCHEMA],
  );
  if (there) await transaction.raw("alter schema ?? rename to ??", [QUEUE_SCHEMA, KEPT_QUEUE]);
  await work();
  if (there) await transaction.raw("alter schema ?? rename to ??", [KEPT_QUEUE, QUEUE_SCHEMA]);
}
