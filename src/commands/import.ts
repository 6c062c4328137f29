import type { Db } from "../db/connect.ts";
import { requireMigrated } from "../db/open.ts";
import { type ImportCall, parseImportArguments } from "../import/arguments.ts";
import { explainFailure } from "../import/failure.ts";
import { importRecords } from "../import/import-records.ts";
import { readRecords } from "../import/input/formats.ts";
import { type InputSource, openInput } from "../import/input/source.ts";
import { watchForLists } from "../import/input/wrapped.ts";
import { listenForInterruption } from "../import/interruption.ts";
import { IMPORT_KINDS } from "../import/kinds.ts";
import { createProgressView } from "../import/progress.ts";
import { describeInvalid, describeSummary, summaryJson } from "../import/report.ts";
import { ImportRefusedError, type ImportSummary } from "../import/summary.ts";
import type { Command, CommandContext } from "./command.ts";

export const importCommand: Command = {
  name: "import",
  summary: "Add and update records from a JSON, NDJSON or CSV file",
  usage: `
Usage: npm run -s almanac -- import <kind> <file> [options]

Kinds: ${IMPORT_KINDS.join(", ")}.
The file is a JSON array, NDJSON or CSV, recognised by its content, gzip too; - is standard input.
Records are found again by their id: new ones are added, changed ones updated, the rest left alone.
All of a file is taken or, if anything is wrong with it, nothing.

What the fields are called
  --map target=source   fill a field of ours from the file's; may be repeated. A field that has our name needs no --map
      name=title            a field                        names.ru=name.ru          one inside another
      category=tags.0       the first of a list            category==Weapons         always this text
      name=title|label      the first that has a value     address={ip}:{port}       several joined
      attributes.speed=max  one attribute                  description=              left empty
  --id-from a,b         make ids from these fields, where the file has none
  --keep-rest           keep every other field in the attributes
  --null [field=]value  a value that means "nothing", such as -1; may be repeated
  --currency EUR        the currency of donate items that name none

How the file is read
  --format json|ndjson|csv    instead of by content
  --delimiter ";"             of a CSV file, instead of by its first line ("tab" for a tab)
  --records data.items        the records are a list in a JSON object, at these keys

What is done
  --dry-run       show what would change, write nothing
  --skip-invalid  take the valid records of a file that has others too
  --prune         remove records that the file does not have; not more than half of them without --force
  --quiet         no progress and no warnings
  --json          the summary as JSON

Exit code: 0 done, 1 nothing was written, 2 the call makes no sense.`,
  async run(args, context) {
    const call = parseImportArguments(args);
    const source = await openInput(call.file, context.stdin);
    const db = await context.db();
    await requireMigrated(db);
    const interruption = listenForInterruption();
    try {
      return await importSource(call, source, db, context, interruption.signal);
    } finally {
      interruption.stop();
    }
  },
};

async function importSource(
  call: ImportCall,
  source: InputSource,
  db: Db,
  context: CommandContext,
  signal: AbortSignal,
): Promise<number> {
  const { show, stop } = createProgressView({ ...context, quiet: call.quiet }, source);
  const { records, advice } = watchForLists(readRecords(source.bytes(signal), call));
  try {
    const options = { ...call.options, signal, onProgress: show };
    const summary = await importRecords(db, call.kind, records, options).finally(stop);
    tellDone(call, summary, context);
    return 0;
  } catch (error) {
    const code = tellFailure(call, error, context);
    const hint = error instanceof ImportRefusedError ? advice() : undefined;
    if (hint !== undefined) context.err(`Perhaps ${hint}.`);
    return code;
  }
}

function tellDone(call: ImportCall, summary: ImportSummary, { out, err }: CommandContext): void {
  for (const line of describeInvalid(summary)) err(line);
  if (!call.quiet) for (const warning of summary.warnings) err(`warning: ${warning}`);
  if (call.json) out(summaryJson(call.file, summary));
  else for (const line of describeSummary(summary)) out(line);
}

/** Failures of the file, the operator or the database are told in a line; what is a fault of ours goes on. */
function tellFailure(call: ImportCall, error: unknown, { out, err }: CommandContext): number {
  const summary = error instanceof ImportRefusedError ? error.summary : undefined;
  const reason = explainFailure(error);
  if (reason === undefined) throw error;
  if (summary) {
    for (const line of describeInvalid(summary)) err(line);
    if (!call.quiet) for (const warning of summary.warnings) err(`warning: ${warning}`);
  }
  err(`Nothing was written: ${reason}.`);
  if (call.json) out(summaryJson(call.file, summary, reason));
  return 1;
}
