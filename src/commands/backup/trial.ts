import { rm } from "node:fs/promises";
import path from "node:path";
import { createDb } from "../../db/connect.ts";
import { startEmbeddedPostgres } from "../../db/embedded/start.ts";
import { BackupError } from "./backup-error.ts";
import type { ReadOptions } from "./read-backup.ts";
import { restoreBackup } from "./restore.ts";

/** Trials skip this, because nobody misses their data after a power cut. */
const THROW_AWAY = { fsync: "off", full_page_writes: "off", autovacuum: "off" };

/**
 * Restores a backup into an embedded Postgres of its own, below DATA_DIR, and deletes that. It neither needs rights
 * in the site's database nor reads it.
 * @throws BackupError if it cannot be restored
 * @throws DatabaseSetupError if no embedded Postgres can be started here
 */
export async function tryRestore(
  file: string,
  { dataDir, ...options }: ReadOptions & { readonly dataDir: string },
): Promise<void> {
  const directory = path.join(dataDir, "backup-trial");
  const server = await startEmbeddedPostgres({ directory, log: () => undefined, settings: THROW_AWAY });
  const db = createDb({ url: server.url, applicationName: "almanac trial" });
  try {
    if (server.adopted) throw new BackupError(`another trial is under way in ${directory}`);
    await restoreBackup(db, file, { ...options, force: true });
  } finally {
    await db.destroy();
    await server.stop();
    if (!server.adopted) await rm(directory, { recursive: true, force: true, maxRetries: 10 });
  }
}
