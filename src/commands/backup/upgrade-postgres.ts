import { rm, stat } from "node:fs/promises";
import path from "node:path";
import { createDb } from "../../db/connect.ts";
import { findPackage, prepareBinaries } from "../../db/embedded/binaries.ts";
import { findVersion, giveEverythingTo } from "../../db/embedded/cluster.ts";
import { fetchPackage } from "../../db/embedded/fetch-package.ts";
import { startEmbeddedPostgres } from "../../db/embedded/start.ts";
import { discardSuccessor, draftOf, keptOf, putSuccessor } from "../../db/embedded/successor.ts";
import { embeddedDirectory } from "../../db/open.ts";
import { createPictureStore } from "../../records/pictures/store.ts";
import type { Config } from "../../settings/config.ts";
import { BackupError } from "./backup-error.ts";
import type { ReadOptions } from "./read-backup.ts";
import { type RestoreSummary, restoreBackup } from "./restore.ts";
import { sitePlaces } from "./site-places.ts";
import { takeBackup } from "./take-backup.ts";

interface UpgradeOptions extends ReadOptions {
  /** The npm package with the programs of the old version; fetched by default. */
  readonly packageRoot?: string | undefined;
  /** Gets lines about progress. */
  readonly log: (line: string) => void;
}

export interface UpgradeSummary extends Pick<RestoreSummary, "rows"> {
  readonly from: number;
  readonly to: number;
  /** The database before, as it was. */
  readonly kept: string;
  /** A backup of it. */
  readonly backup: string;
}

/**
 * Upgrades the embedded database to the installed Postgres if its major version is older. Takes a backup with the old
 * version's programs and restores it into a new database, which then replaces the old one. Until then the old one
 * stays untouched.
 * @throws BackupError or DatabaseSetupError, with the database as it was
 */
export async function upgradePostgres(
  config: Config,
  { log, packageRoot, ...watch }: UpgradeOptions,
): Promise<UpgradeSummary | undefined> {
  const directory = embeddedDirectory(config);
  const from = await findVersion(directory);
  if (from === undefined) throw new BackupError(`there is no database in ${directory}`);
  const { major: to } = await prepareBinaries(findPackage());
  if (from === to) return undefined;
  if (from > to) throw new BackupError(`the database is of Postgres ${from}, which is newer than ${to}`);
  const [backup, kept] = [path.join(config.dataDir, `before-postgres-${to}.tar`), keptOf(directory, from)];
  if (await stat(kept).catch(() => undefined))
    throw new BackupError(`${kept} is in the way: move it elsewhere`);
  const programs = path.join(config.dataDir, `postgres-${from}-programs`);
  try {
    if (packageRoot === undefined) log(`Fetching the programs of Postgres ${from} by npm`);
    const old = { directory, packageRoot: packageRoot ?? (await fetchPackage(from, programs)) };
    await withDatabase({ ...old, log }, (db) =>
      takeBackup(db, backup, { ...watch, site: sitePlaces(config), secrets: true, force: true }),
    );
    await discardSuccessor(directory);
    const draft = draftOf(directory);
    // Picture files stay where they are.
    const pictures =
      config.pictures === "database" ? { pictures: createPictureStore.bind(null, config) } : {};
    const { rows } = await withDatabase({ directory: draft, log }, (db) =>
      restoreBackup(db, backup, { ...watch, ...pictures, log }),
    );
    await giveToOwner(draft, directory);
    await putSuccessor(directory, from);
    return { from, to, kept, backup, rows };
  } finally {
    await discardSuccessor(directory);
    await rm(programs, { recursive: true, force: true });
  }
}

async function withDatabase<Result>(
  options: Parameters<typeof startEmbeddedPostgres>[0],
  work: (db: ReturnType<typeof createDb>) => Promise<Result>,
): Promise<Result> {
  const server = await startEmbeddedPostgres(options);
  const db = createDb({ url: server.url, applicationName: "almanac upgrade" });
  try {
    if (server.adopted)
      throw new BackupError("the site, or another command of it, is running: stop it first");
    return await work(db);
  } finally {
    await db.destroy();
    await server.stop();
  }
}

/** Root may upgrade the database of the user who runs the site. */
async function giveToOwner(draft: string, directory: string): Promise<void> {
  const { uid, gid } = await stat(directory);
  if (process.getuid?.() === 0) await giveEverythingTo({ uid, gid }, draft);
}
