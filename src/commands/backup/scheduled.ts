import { mkdir, readdir, rm } from "node:fs/promises";
import path from "node:path";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { claimBackup, noteBackup, readBackupOwner } from "../../db/backup-state-queries.ts";
import { NoEmbeddedPostgresError } from "../../db/failures.ts";
import type { Config } from "../../settings/config.ts";
import { DRAFT } from "./archive-writer.ts";
import { explainBackupFailure } from "./backup-error.ts";
import { checkBackup } from "./read-backup.ts";
import { type SitePlaces, takeBackup } from "./take-backup.ts";
import { tryRestore } from "./trial.ts";

export interface ScheduledBackups {
  readonly schedule: NonNullable<Config["backups"]>;
  readonly site: SitePlaces;
}

/**
 * Writes a backup if one is due, checks it, and removes the oldest ones. One of several processes does it. Resolves
 * to the file, or undefined if none was due. A failure is logged and stored for the operators' page, and retried in
 * an hour; if the signal stops it, the next process that checks starts again.
 */
export async function backUpIfDue(
  db: Knex,
  backups: ScheduledBackups,
  { log, signal }: { log: Logger; signal: AbortSignal },
): Promise<string | undefined> {
  const { directory, everyH, kept } = backups.schedule;
  if (!(await claimBackup(db, everyH))) return undefined;
  try {
    const prefix = `almanac-${await readBackupOwner(db)}-`;
    const file = path.join(directory, prefix + nameAt(new Date()));
    await backUp(db, file, backups, { log, signal });
    await noteBackup(db, { file });
    await removeOld(directory, prefix, kept);
    return file;
  } catch (error) {
    if (signal.aborted) await noteBackup(db, "stopped");
    else {
      const reason = explainBackupFailure(error);
      log.error({ ...(reason === undefined && { err: error }), reason, directory }, "the backup failed");
      await noteBackup(db, { reason: reason ?? String(error) });
    }
    return undefined;
  }
}

async function backUp(
  db: Knex,
  file: string,
  { schedule, site }: ScheduledBackups,
  { log, signal }: { log: Logger; signal: AbortSignal },
): Promise<void> {
  await mkdir(schedule.directory, { recursive: true, mode: 0o700 });
  const { rows, bytes } = await takeBackup(db, file, {
    site,
    secrets: schedule.secrets,
    signal,
    // The only file of that name is from the same second.
    force: true,
  });
  try {
    await checkBackup(file, { signal });
    if (schedule.trial) await trial(file, site, { log, signal });
  } catch (error) {
    // One that cannot be restored is worse than none: it would be taken for one.
    await rm(file, { force: true });
    throw error;
  }
  log.info({ file, rows, bytes }, "wrote a backup");
}

/** Without an embedded Postgres, as on musl, it only checks the file. */
async function trial(
  file: string,
  { dataDir }: SitePlaces,
  { log, signal }: { log: Logger; signal: AbortSignal },
): Promise<void> {
  try {
    await tryRestore(file, { dataDir, signal });
  } catch (error) {
    if (!(error instanceof NoEmbeddedPostgresError)) throw error;
    log.warn(
      { reason: error.message },
      "the backup was checked but not restored on trial: no database can be started here",
    );
  }
}

/** Sorts by time. */
function nameAt(time: Date): string {
  return `${time.toISOString().replaceAll(/[-:]|\.\d+/g, "")}.tar`;
}

/** Removes the oldest backups of this site, and what killed processes left of them. */
async function removeOld(directory: string, prefix: string, kept: number): Promise<void> {
  const names = (await readdir(directory)).filter((name) => name.startsWith(prefix)).sort();
  const old = names.filter((name) => name.endsWith(".tar")).slice(0, -kept);
  const drafts = names.filter((name) => DRAFT.test(name));
  for (const name of [...old, ...drafts]) await rm(path.join(directory, name), { force: true });
}
