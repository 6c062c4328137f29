import path from "node:path";
import type { Knex } from "knex";
import { noteCommand } from "../db/backup-state-queries.ts";
import { openDatabase } from "../db/open.ts";
import { counted } from "../settings/counted.ts";
import { UsageError } from "../settings/usage-error.ts";
import { explainBackupFailure } from "./backup/backup-error.ts";
import { runWithProgress } from "./backup/progress.ts";
import { type CheckedBackup, checkBackup } from "./backup/read-backup.ts";
import { sitePlaces } from "./backup/site-places.ts";
import { type BackupSummary, takeBackup } from "./backup/take-backup.ts";
import { tryRestore } from "./backup/trial.ts";
import { type Call, Command, type CommandContext, typedPath } from "./command.ts";

interface Options {
  force?: true;
  secrets?: true;
  verify?: true;
  trial?: true;
  quiet?: true;
}

export const backupCommand = new Command("backup")
  .argument("<file>", "the file to write; with --verify the one to check")
  .option("--force", "replace the file if it is there")
  .option("--secrets", "also take the secrets of DATA_DIR and the log-ins, for a move to another machine")
  .option("--verify", "read a backup and check every byte of it; needs no database")
  .option("--trial", "with --verify: restore it into a database that is thrown away")
  .option("--quiet", "no progress")
  .notes(`
The file is a tar archive with the rows of each table as text, the pictures and the settings, all with checksums;
docs/backup.md says how to read it by hand. It holds e-mail addresses and hashes of passwords: only its owner may read it.
It appears under its name once it is whole. "restore" brings it back.

Exit code: 0 done, 1 nothing was written or the backup is not whole, 2 the call makes no sense.
`)
  .does(async ({ options, words, context }: Call<Options, [file: string]>) => {
    if (options.trial && !options.verify) throw new UsageError("--trial belongs to --verify");
    if (options.verify && (options.force || options.secrets))
      throw new UsageError("--verify only reads: it goes with neither --force nor --secrets");
    const file = path.resolve(typedPath(words[0], context));
    return options.verify ? verify(file, options, context) : write(file, options, context);
  });

function verify(file: string, { trial, quiet }: Options, context: CommandContext): Promise<number> {
  return runWithProgress(
    { context, quiet },
    async (watch) => {
      const checked = await checkBackup(file, watch);
      if (trial) await tryRestore(file, { ...watch, dataDir: context.config.dataDir });
      return checked;
    },
    {
      print: (checked) => printChecked(checked, file, trial, context),
      failed: (reason) => `${file} cannot be used: ${reason}.`,
    },
  );
}

function write(file: string, options: Options, context: CommandContext): Promise<number> {
  const began = performance.now();
  return runWithProgress(
    { context, quiet: options.quiet },
    (watch) => writeBackup(file, options, context, watch),
    {
      print: (summary) => printSummary(summary, file, (performance.now() - began) / 1000, context),
      failed: (reason) => `nothing was written: ${reason}.`,
    },
  );
}

/** An older schema is saved as it is: a backup comes before an upgrade. */
async function writeBackup(
  file: string,
  { force, secrets }: Options,
  { config, err }: CommandContext,
  watch: { signal: AbortSignal },
): Promise<BackupSummary> {
  const database = await openDatabase(config, {
    log: err,
    // The last failure is in the error too.
    poolLog: () => undefined,
    migrate: false,
    applicationName: "almanac backup",
  });
  try {
    const summary = await takeBackup(database.db, file, {
      ...watch,
      site: sitePlaces(config),
      force: force ?? false,
      secrets: secrets ?? false,
    });
    await note(database.db, undefined);
    return summary;
  } catch (error) {
    // After Ctrl-C this needs no message.
    if (!watch.signal.aborted)
      await note(database.db, { file, reason: explainBackupFailure(error) ?? String(error) });
    throw error;
  } finally {
    await database.close();
  }
}

/** For the operators' page, as nobody may read what a scheduled call prints. A standby can't be written to. */
async function note(db: Knex, failed: Parameters<typeof noteCommand>[1]): Promise<void> {
  await noteCommand(db, failed).catch((error: unknown) => {
    if (explainBackupFailure(error) === undefined) throw error;
  });
}

function printSummary(
  summary: BackupSummary,
  file: string,
  seconds: number,
  { out, err }: CommandContext,
): number {
  const { rows, tables, pictureFiles, bytes, sha256, leftOut } = summary;
  out(
    `${file}: ${rows} rows of ${tables} tables, ${counted(pictureFiles, "picture file")}, ${bytes} bytes, ${seconds.toFixed(1)} s`,
  );
  out(`SHA-256 ${sha256}`);
  err("Left out:");
  for (const { what, why } of leftOut) err(`  ${what}: ${why}`);
  return 0;
}

function printChecked(
  { header, seal, bytes }: CheckedBackup,
  file: string,
  isTried: true | undefined,
  { out }: CommandContext,
): number {
  const rows = Object.values(seal.rows).reduce((sum, count) => sum + count, 0);
  out(
    `${file} is whole: of ${header.createdAt}, ${rows} rows of ${header.tables.length} tables, ${counted(seal.pictureFiles, "picture file")}, ${bytes} bytes`,
  );
  if (isTried) out("It was restored into a database that was thrown away, with every row.");
  return 0;
}
