import path from "node:path";
import { openDatabase } from "../db/open.ts";
import { createPictureStore } from "../records/pictures/store.ts";
import { counted } from "../settings/counted.ts";
import { nothingWasChanged, runWithProgress } from "./backup/progress.ts";
import { type RestoreSummary, restoreBackup } from "./backup/restore.ts";
import {
  type DraftFile,
  discardDrafts,
  draftSettings,
  type PutFiles,
  putDrafts,
} from "./backup/site-places.ts";
import { type Call, Command, type CommandContext, fail, typedPath } from "./command.ts";

interface Options {
  force?: true;
  asSent?: true;
  quiet?: true;
}

export const restoreCommand = new Command("restore")
  .argument("<file>", "the backup")
  .option("--force", "replace the site that is there, all of it")
  .option(
    "--as-sent",
    "send nothing that waited or came due since: for an old backup, or a copy beside the site",
  )
  .option("--quiet", "no progress")
  .notes(`
Stop the site first. Goes into the database of the settings, embedded or at DATABASE_URL, whatever version of Postgres the
backup is of; one of an older version of Almanac is brought up to date. All in one transaction: if anything fails, what was
there stays. Pictures and the vocabulary go where the settings have them; a vocabulary or a secret that was there is kept
beside as ….before-restore.

Exit code: 0 done, 1 nothing was changed or a file is missing (the message says which), 2 the call makes no sense.
`)
  .does(async ({ options, words, context }: Call<Options, [file: string]>) => {
    const file = path.resolve(typedPath(words[0], context));
    const began = performance.now();
    return runWithProgress(
      { context, quiet: options.quiet },
      (watch) => restore(file, options, context, watch),
      {
        print: (restored) => report(restored, (performance.now() - began) / 1000, context),
        failed: nothingWasChanged,
      },
    );
  });

interface Restored extends PutFiles {
  readonly summary: RestoreSummary;
}

async function restore(
  file: string,
  { force, asSent }: Options,
  { config, err }: CommandContext,
  watch: { signal: AbortSignal },
): Promise<Restored> {
  const database = await openDatabase(config, {
    log: err,
    // The last failure is in the error too.
    poolLog: () => undefined,
    migrate: false,
    create: true,
    applicationName: "almanac restore",
  });
  let drafts: readonly DraftFile[] = [];
  try {
    const summary = await restoreBackup(database.db, file, {
      ...watch,
      force: force ?? false,
      asSent: asSent ?? false,
      pictures: (db) => createPictureStore(config, db),
      beforeCommit: async (settings) => {
        drafts = await draftSettings(config, settings);
      },
      log: err,
    });
    return { summary, ...(await putDrafts(drafts)) };
  } catch (error) {
    await discardDrafts(drafts);
    throw error;
  } finally {
    await database.close();
  }
}

function report({ summary, lines, failures }: Restored, seconds: number, context: CommandContext): number {
  const { out, err } = context;
  const { header, rows, pictureFiles, settings } = summary;
  const count = Object.values(rows).reduce((sum, each) => sum + each, 0);
  for (const line of lines) err(line);
  out(
    `Restored the site of ${header.createdAt}: ${count} rows, ${counted(pictureFiles, "picture file")}, ${seconds.toFixed(1)} s`,
  );
  if (![...settings.keys()].some((name) => name.startsWith("secrets/")))
    err(
      "The backup has no secrets: put those of the site's own into DATA_DIR/secrets, or all log in anew and webhooks are signed with another secret.",
    );
  for (const failure of failures) fail(context, failure);
  return failures.length > 0 ? 1 : 0;
}
