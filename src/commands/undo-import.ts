import { COMMAND } from "../db/audit-queries.ts";
import { requireMigrated } from "../db/open.ts";
import { formatCount } from "../exchange/import/report.ts";
import { listImports } from "../exchange/imports/queries.ts";
import { UndoRefusedError, undoImport } from "../exchange/imports/undo.ts";
import { UsageError } from "../settings/usage-error.ts";
import { readSiteVocabulary } from "../words/vocabulary/live.ts";
import { registerOwnKinds } from "../words/vocabulary/own-kinds.ts";
import { type Call, Command } from "./command.ts";

/** Imports that are listed without a number. */
const LISTED = 20;

export const undoImportCommand = new Command("undo-import")
  .argument("[number]", "of the import; without one, the latest imports are listed")
  .option("--touched", "also records that somebody has changed since")
  .notes(`
What the import added goes, what it changed gets its former values, and what it removed comes back. Records that somebody
has changed since are left alone. An undo is an import too, so it can be undone.

Exit code: 0 done, 1 nothing was written, 2 the call makes no sense.
`)
  .does(async ({ words: [number], options, context }: Call<{ touched?: true }, string[]>) => {
    if (number !== undefined && !/^\d{1,15}$/.test(number))
      throw new UsageError(`${number} is no number of an import`);
    registerOwnKinds(readSiteVocabulary(context.config.siteSchema) ?? {});
    const db = await context.db();
    await requireMigrated(db);
    if (number === undefined) {
      for (const { id, at, kind, source, file, added, changed, removed, undo_of } of await listImports(db, {
        limit: LISTED,
      })) {
        const what = undo_of === null ? [source, file].filter(Boolean).join(", ") : `undoes ${undo_of}`;
        context.out(
          `${id}  ${at.toISOString()}  ${kind}  +${added} ~${changed} -${removed}  ${what}`.trimEnd(),
        );
      }
      return 0;
    }
    try {
      const { id, restored, left } = await undoImport(db, Number(number), {
        by: COMMAND,
        alsoTouched: options.touched ?? false,
      });
      context.out(`Undone by import ${id}: ${formatCount(restored)} records are as before.`);
      if (left > 0)
        context.out(
          `Left alone, as somebody changed them since: ${formatCount(left)} (--touched undoes them too).`,
        );
      return 0;
    } catch (error) {
      if (!(error instanceof UndoRefusedError)) throw error;
      context.err(`Nothing was written: ${error.message}`);
      return 1;
    }
  });
