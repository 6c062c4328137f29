import type { Knex } from "knex";
import { type Actor, recordAction } from "../../db/audit-queries.ts";
import type { Db } from "../../db/connect.ts";
import { selectRow } from "../../db/rows.ts";
import { type LazyText, lazyText } from "../../words/i18n/lazy-text.ts";
import type { ImportOptions } from "./arguments.ts";
import { definitionOf, type ImportKind } from "./kinds.ts";
import type { OptionSchemas } from "./records/adapter-options.ts";
import type { Word } from "./records/languages.ts";
import { createRecordReader, type RecordReader } from "./records/record-reader.ts";
import { ImportRefusedError, type ImportSummary, InvalidRecords, REPORTED_AT_MOST } from "./report.ts";
import { describeImport, type RecordedImport, recordWrites } from "./storage/change-queries.ts";
import { leaveAlone } from "./storage/left-alone.ts";
import { followMerges } from "./storage/merged-queries.ts";
import {
  beginImport,
  countGone,
  endImport,
  forgetDemo,
  listTakenOver,
  lockKind,
  numberRelations,
  prepareSession,
  readPreview,
  refuseBadDiscounts,
  refuseRepeatedIds,
  removeGone,
  warnOfDanglingEnds,
} from "./storage/queries.ts";
import { writeWords } from "./storage/word-queries.ts";
import {
  countStateChanges,
  createStaging,
  dropStaging,
  fillStaging,
  keepPictures,
  markOwn,
  readClock,
  refreshStatistics,
  restoreTexts,
  type Staged,
  type WriteScope,
  writeStaged,
  writeStates,
} from "./storage/write-queries.ts";

type Records = AsyncIterable<unknown> | Iterable<unknown>;

/** Records between two calls of `onProgress`. */
const PROGRESS_STEP = 1000;

/** Thrown to roll a dry run back. */
class DryRunDone extends Error {
  readonly summary: ImportSummary;
  constructor(summary: ImportSummary) {
    super("dry run");
    this.summary = summary;
  }
}

/**
 * Imports records of one kind: adds new ones, gives changed ones a new revision and leaves the others. Runs in one
 * transaction, its own or the given one. A field that any record of the file has is written for every record; a field
 * that none has keeps its values.
 * @throws ImportRefusedError when records are invalid (unless `skipInvalid`) or too many would be removed; the
 * signal's reason; whatever `records` throws. Nothing is written then.
 */
export async function importRecords(
  db: Db,
  kind: ImportKind,
  records: Records,
  options: ImportOptions = {},
): Promise<ImportSummary> {
  const started = performance.now();
  const summary = await importInTransaction(db, kind, records, options);
  return { ...summary, seconds: (performance.now() - started) / 1000 };
}

async function importInTransaction(
  db: Db,
  kind: ImportKind,
  records: Records,
  options: ImportOptions,
): Promise<ImportSummary> {
  try {
    return await db.transaction(async (transaction) => {
      const release = await cancelOnAbort(db, transaction, options.signal);
      const summary = await runImport(transaction, kind, records, options).finally(release);
      options.signal?.throwIfAborted();
      if (options.dryRun) throw new DryRunDone(summary);
      return summary;
    });
  } catch (error) {
    if (error instanceof DryRunDone) return error.summary;
    options.signal?.throwIfAborted();
    throw error;
  }
}

/** Cancels a running statement from another connection: over a million rows it may take many seconds. */
async function cancelOnAbort(
  db: Db,
  transaction: Knex.Transaction,
  signal?: AbortSignal,
): Promise<() => void> {
  if (!signal || db.isTransaction) return () => undefined;
  const row = await selectRow<{ pid: number }>(transaction, "select pg_backend_pid() as pid");
  const cancel = () => {
    // If this fails the connection is gone, and the server rolls back by itself.
    db.raw("select pg_cancel_backend(?)", [row.pid]).catch(() => undefined);
  };
  signal.addEventListener("abort", cancel, { once: true });
  return () => signal.removeEventListener("abort", cancel);
}

/**
 * Reads all records into a temporary table, checks them there, and writes new and changed ones.
 * @throws ImportRefusedError, which must roll the transaction back
 */
async function runImport(
  transaction: Knex.Transaction,
  kind: ImportKind,
  records: Records,
  options: ImportOptions,
): Promise<ImportSummary> {
  await prepareSession(transaction);
  await createStaging(transaction, kind);
  const reader = createRecordReader(kind, options, options.demo ? {} : await loadAdapters(kind));
  const read = await readAll(transaction, kind, records, reader, options);
  refuseInvalid(read, options);
  options.onProgress?.({ phase: "writing", records: read.records });
  await lockKind(transaction, kind);
  const { demo = false, isEdit = false } = options;
  const scope = { kind, provided: reader.provided(), demo, takesOver: !demo && !isEdit };
  if (options.pictures) await keepPictures(transaction, scope);
  const warnings = isEdit ? [] : await leaveAlone(transaction, scope, options);
  const whole = { ...read, warnings: [...read.warnings, ...warnings] };
  const written = await writeAll(transaction, scope, { read: whole, words: reader.words() }, options);
  await dropStaging(transaction);
  if (options.by) await recordImport(transaction, options.by, written);
  await options.complete?.(transaction, written.id);
  return written;
}

async function recordImport(transaction: Knex.Transaction, by: Actor, summary: ImportSummary): Promise<void> {
  const { kind, added, changed, removed, dryRun, id } = summary;
  if (dryRun || added + changed + removed === 0) return;
  const after = { added, changed, removed, ...(id !== undefined && { import: id }) };
  await recordAction(transaction, by, { action: "records.imported", subject: kind, after });
}

/** Refuses invalid records. If none is valid, the file is of another kind or an error message. */
function refuseInvalid(read: ImportSummary, { skipInvalid }: ImportOptions): void {
  if (read.invalid === 0) return;
  const { invalid, records } = read;
  if (invalid === records)
    throw new ImportRefusedError(lazyText("refusals.none_valid", { invalid, records }), read);
  if (!skipInvalid) throw new ImportRefusedError(lazyText("refusals.invalid", { invalid, records }), read);
}

/** Adapters load a large package of hundreds of games; the demo's servers have none. */
async function loadAdapters(kind: ImportKind): Promise<OptionSchemas> {
  return kind === "servers" ? (await import("../../servers/poller/adapters.ts")).ADAPTERS : {};
}

async function readAll(
  transaction: Knex.Transaction,
  kind: ImportKind,
  records: Records,
  reader: RecordReader,
  { signal, onProgress, dryRun, isSmall, reportedAtMost: limit = REPORTED_AT_MOST }: ImportOptions,
): Promise<ImportSummary> {
  const invalid = new InvalidRecords(limit);
  let count = 0;
  async function* stage(): AsyncGenerator<Staged> {
    for await (const record of records) {
      signal?.throwIfAborted();
      if (++count % PROGRESS_STEP === 0) onProgress?.({ phase: "reading", records: count });
      const { id, row, errors } = reader.read(record);
      if (errors) invalid.add({ record: count, id, problems: errors });
      if (id !== undefined) yield { ...row, record: count, id, valid: row !== undefined };
    }
  }
  await fillStaging(transaction, kind, stage(), { isSmall });
  await restoreTexts(transaction, reader.mixed());
  const { idField: field = "id" } = definitionOf(kind);
  invalid.addStaged(await refuseRepeatedIds(transaction, { field, limit }));
  await followMerges(transaction, kind);
  if (kind === "discounts") invalid.addStaged(await refuseBadDiscounts(transaction, limit));
  const dangling = kind === "relations" ? await prepareRelations(transaction) : [];
  return {
    kind,
    dryRun: dryRun ?? false,
    records: count,
    added: 0,
    changed: 0,
    unchanged: 0,
    removed: 0,
    removedFavorites: 0,
    removedDiscounts: 0,
    words: 0,
    invalid: invalid.count,
    invalidRecords: invalid.first(),
    warnings: count > 0 ? [...reader.warnings(), ...dangling] : [],
    seconds: 0,
  };
}

/** Completes the staged relations; resolves to the warnings about them. */
async function prepareRelations(transaction: Knex.Transaction): Promise<LazyText[]> {
  await numberRelations(transaction);
  return warnOfDanglingEnds(transaction);
}

/** Compares and writes under the lock, so that nothing changes in between. */
async function writeAll(
  transaction: Knex.Transaction,
  scope: WriteScope,
  { read, words }: { read: ImportSummary; words: readonly Word[] },
  options: ImportOptions,
): Promise<ImportSummary> {
  const { dryRun, prune = false, signal, isSmall, by, origin } = options;
  const { kind } = scope;
  const preview = dryRun ? await readPreview(transaction, scope, options) : undefined;
  const id = await beginImport(transaction, kind);
  const recorded = by && origin ? { id, kind, source: origin.source } : undefined;
  const removed = prune ? await removeMissing(transaction, read, options, recorded) : {};
  signal?.throwIfAborted();
  const valid = read.records - read.invalid;
  const { added, changed } = valid > 0 ? await write(transaction, scope, recorded) : { added: 0, changed: 0 };
  // The words of all sources are in one list, so none of them is another source's.
  const changedWords = await writeWords(transaction, kind, words, prune && origin?.source === undefined);
  const counts = { added, changed, unchanged: valid - added - changed, words: changedWords.length };
  const summary = { ...read, ...removed, ...counts, preview };
  const isChange = added + changed + summary.removed > 0;
  const isRecorded =
    by !== undefined &&
    recorded !== undefined &&
    (await describeImport(transaction, id, { by, origin: origin ?? {}, words: changedWords }));
  await endImport(transaction, id, { isChange: isChange || isRecorded });
  if (isChange && !isSmall) await refreshStatistics(transaction, kind);
  return { ...summary, id: isRecorded ? id : undefined };
}

async function removeMissing(
  transaction: Knex.Transaction,
  read: ImportSummary,
  { force, origin: { source } = {} }: ImportOptions,
  recorded: RecordedImport | undefined,
): Promise<Partial<ImportSummary>> {
  const { there, gone } = await countGone(transaction, read.kind, source);
  if (gone * 2 > there && !force) {
    const share = { gone, there, kind: read.kind };
    const said =
      source === undefined
        ? lazyText("refusals.prune", share)
        : lazyText("refusals.prune_source", { ...share, source: JSON.stringify(source) });
    throw new ImportRefusedError(said, read, true);
  }
  const { favorites, discounts } = await removeGone(transaction, read.kind, { source, recorded });
  return { removed: gone, removedFavorites: favorites, removedDiscounts: discounts };
}

async function write(
  transaction: Knex.Transaction,
  scope: WriteScope,
  recorded: RecordedImport | undefined,
): Promise<{ added: number; changed: number }> {
  const at = await readClock(transaction);
  const takenOver = await listTakenOver(transaction, scope);
  const onlyState = scope.kind === "servers" ? await countStateChanges(transaction, scope) : 0;
  if (recorded) await recordWrites(transaction, scope, recorded, at);
  const { added, changed } = await writeStaged(transaction, scope, at);
  await markOwn(transaction, scope);
  if (takenOver.length > 0) await forgetDemo(transaction, scope.kind, takenOver, at);
  if (scope.kind === "servers") await writeStates(transaction, scope, at);
  return { added, changed: changed + onlyState };
}
