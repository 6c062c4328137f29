import { Readable } from "node:stream";
import type { Knex } from "knex";
import { isDatabaseAway } from "../../db/failures.ts";
import type { DecimalComma } from "../../records/figures.ts";
import { lazyText, SaidError, type Translatable } from "../../words/i18n/lazy-text.ts";
import type { VocabularyFile } from "../../words/vocabulary/schema.ts";
import type { ImportOptions } from "../import/arguments.ts";
import { explainFailure } from "../import/failure.ts";
import { importRecords } from "../import/import-records.ts";
import { readRecords } from "../import/input/formats.ts";
import { watchForLists } from "../import/input/json.ts";
import { openInput } from "../import/input/source.ts";
import type { ImportKind } from "../import/kinds.ts";
import { figureOptions, readCodes } from "../import/records/vocabulary-options.ts";
import { describeInvalid, ImportRefusedError, type ImportSummary } from "../import/report.ts";
import { type UploadSettings, uploadOptions, withoutFields } from "./upload-mapping.ts";

/** A file of a source, with the settings that it is read by. */
interface SourceFile {
  readonly kind: ImportKind;
  readonly source: string;
  readonly file: string;
  readonly content: Buffer;
  readonly settings: UploadSettings;
}

/** A file whose import wrote nothing, with the reasons that the shell reports. */
export class UnusableFileError extends SaidError {
  override name = "UnusableFileError";
  readonly lines: readonly Translatable[];
  constructor(problem: Translatable, lines: readonly Translatable[] = [], cause?: unknown) {
    super(problem, { cause });
    this.lines = lines;
  }
}

/** Reads the records of a file, with advice about lists in it for one that is refused. */
export async function openFile(
  content: Buffer,
  list: string,
  onComma?: (comma: DecimalComma) => void,
  signal?: AbortSignal,
) {
  const source = await openInput("-", Readable.from([content]));
  return watchForLists(
    readRecords(source.bytes(signal), { ...(list !== "" && { list }), ...(onComma && { onComma }) }),
  );
}

/**
 * Imports a file, or checks it with `dryRun`.
 * @throws UnusableFileError; any other error may pass
 */
export async function importFile(
  db: Knex,
  vocabulary: VocabularyFile,
  { kind, source, file, content, settings }: SourceFile,
  options: Pick<ImportOptions, "by" | "complete" | "dryRun" | "onProgress"> & { signal: AbortSignal },
): Promise<ImportSummary> {
  const { signal } = options;
  const numbers = { comma: "no" as DecimalComma };
  const onComma = (comma: DecimalComma) => void Object.assign(numbers, { comma });
  const { records, advice } = await openFile(content, settings.list, onComma, signal);
  try {
    return await importRecords(db, kind, withoutFields(records, settings), {
      ...uploadOptions(kind, settings),
      ...{ codes: readCodes(vocabulary, kind), figures: figureOptions(kind, vocabulary, numbers) },
      ...{ origin: { source, file }, ...options },
    });
  } catch (error) {
    const problem = signal.aborted || isDatabaseAway(error) ? undefined : explainFailure(error);
    if (problem === undefined) throw error;
    const isRefused = error instanceof ImportRefusedError;
    const hint = isRefused ? advice() : undefined;
    const lines = isRefused ? describeInvalid(error.summary) : [];
    throw new UnusableFileError(
      problem,
      [...lines, ...(hint ? [lazyText("refusals.perhaps", { advice: hint })] : [])],
      error,
    );
  }
}
