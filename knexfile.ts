import type { Knex } from "knex";
import type pg from "pg";
import { findEmbeddedPostgres } from "./src/db/embedded/start.ts";
import { DatabaseSetupError } from "./src/db/failures.ts";
import { MIGRATIONS_DIRECTORY } from "./src/db/migrate.ts";
import { MIGRATION_LOCK } from "./src/db/migration-lock.ts";
import { embeddedDirectory } from "./src/db/open.ts";
import { loadConfig } from "./src/settings/config.ts";

/**
 * For Knex' command line only, which makes new migrations and tries them out; the site itself migrates by
 * src/db/migrate.ts. Its database is DATABASE_DIRECT_URL or DATABASE_URL, or the embedded one while the site runs.
 */
export default async function knexConfig(): Promise<Knex.Config> {
  return {
    client: "pg",
    connection: { connectionString: await databaseUrl(), application_name: "knex" },
    pool: { min: 0, max: 2, afterCreate: shareMigrationLock },
    migrations: { directory: MIGRATIONS_DIRECTORY, extension: "ts", loadExtensions: [".ts"] },
  };
}

async function databaseUrl(): Promise<string> {
  const config = loadConfig(process.env, ".env");
  const given = config.databaseDirectUrl ?? config.databaseUrl;
  const url = given ?? (await findEmbeddedPostgres(embeddedDirectory(config)));
  if (url !== null) return url;
  throw new DatabaseSetupError(
    `No database runs in ${config.dataDir}: start the site by npm start, or set DATABASE_URL.`,
  );
}

/** A starting site then waits for this command, and this command for it: the site takes the same lock alone. */
function shareMigrationLock(
  connection: pg.Client,
  done: (error: Error | null, connection: pg.Client) => void,
) {
  connection.query(`select pg_advisory_lock_shared(${MIGRATION_LOCK})`, (error) => done(error, connection));
}
