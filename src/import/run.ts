import type { Knex } from "knex";
import type { ImportKind } from "./kinds.ts";
import type { ImportOptions } from "./options.ts";
import { Problems, TOLD_IN_FULL } from "./problems.ts";
import type { OptionSchemas } from "./records/adapter-options.ts";
import { createRecordReader, type RecordReader } from "./records/record-reader.ts";
import type { WriteScope } from "./storage/comparison.ts";
import { rejectBadDiscounts } from "./storage/discount-queries.ts";
import { readPreview } from "./storage/preview-queries.ts";
import { countGone, removeGone } from "./storage/prune-queries.ts";
import { lockKind, prepareSession, rejectRepeatedIds } from "./storage/queries.ts";
import { createStaging, dropStaging, fillStaging, type Staged } from "./storage/staging.ts";
import {
  countStateChanges,
  readClock,
  refreshStatistics,
  takeOver,
  writeStaged,
  writeStates,
} from "./storage/write-queries.ts";
import { emptySummary, ImportRefusedError, type ImportSummary } from "./summary.ts";

type Records = AsyncIterable<unknown> | Iterable<unknown>;

/** Between two calls of `onProgress`. */
const PROGRESS_STEP = 1000;

/**
 * Reads all records into a temporary table, judges them there, and writes what is new and what changed.
 * @throws ImportRefusedError, which is to roll the transaction back
 */
export async function runImport(
  transaction: Knex.Transaction,
  kind: ImportKind,
  records: Records,
  options: ImportOptions,
): Promise<ImportSummary> {
  await prepareSession(transaction);
  await createStaging(transaction, kind);
  const reader = createRecordReader(kind, options, await loadAdapters(kind));
  const read = await readAll(transaction, kind, records, reader, options);
  refuseInvalid(read, options);
  options.onProgress?.({ phase: "writing", records: read.records });
  await lockKind(transaction, kind);
  const scope = { kind, provided: reader.provided(), demo: options.demo ?? false };
  const summary = await writeAll(transaction, scope, read, options);
  await dropStaging(transaction);
  return summary;
}

/** With none that is valid, the file is of another kind or tells of an error. */
function refuseInvalid(read: ImportSummary, { skipInvalid }: ImportOptions): void {
  if (read.invalid === 0) return;
  const count = `${read.invalid} of ${read.records} records are not valid`;
  if (!skipInvalid) throw new ImportRefusedError(`${count}; --skip-invalid takes the others`, read);
  if (read.invalid === read.records)
    throw new ImportRefusedError(`${count}, so there is nothing to take`, read);
}

/** They know hundreds of games, a large package: only an import of servers waits for it. */
async function loadAdapters(kind: ImportKind): Promise<OptionSchemas> {
  return kind === "servers" ? (await import("../servers/poller/adapters.ts")).ADAPTERS : {};
}

async function readAll(
  transaction: Knex.Transaction,
  kind: ImportKind,
  records: Records,
  reader: RecordReader,
  { signal, onProgress, dryRun }: ImportOptions,
): Promise<ImportSummary> {
  const problems = new Problems();
  let count = 0;
  async function* stage(): AsyncGenerator<Staged> {
    for await (const record of records) {
      signal?.throwIfAborted();
      if (++count % PROGRESS_STEP === 0) onProgress?.({ phase: "reading", records: count });
      const { id, row, problems: found } = reader.read(record);
      if (found) problems.add({ record: count, id, problems: found });
      if (id !== undefined) yield { record: count, id, row };
    }
  }
  await fillStaging(transaction, kind, stage());
  problems.addStaged(await rejectRepeatedIds(transaction, TOLD_IN_FULL));
  if (kind === "discounts") problems.addStaged(await rejectBadDiscounts(transaction, TOLD_IN_FULL));
  return {
    ...emptySummary(kind, dryRun ?? false),
    records: count,
    invalid: problems.count,
    invalidRecords: problems.first(),
    warnings: count > 0 ? reader.warnings() : [],
  };
}

/** Under the lock: what is compared here stays as it is until it is written. */
async function writeAll(
  transaction: Knex.Transaction,
  scope: WriteScope,
  read: ImportSummary,
  { dryRun, prune = false, force = false, signal }: ImportOptions,
): Promise<ImportSummary> {
  const preview = dryRun ? await readPreview(transaction, scope, prune) : undefined;
  const removed = prune ? await removeMissing(transaction, read, force) : {};
  signal?.throwIfAborted();
  const valid = read.records - read.invalid;
  const { added, changed } = valid > 0 ? await write(transaction, scope) : { added: 0, changed: 0 };
  const summary = { ...read, ...removed, added, changed, unchanged: valid - added - changed, preview };
  if (added + changed + summary.removed > 0) await refreshStatistics(transaction, scope.kind);
  return summary;
}

async function removeMissing(
  transaction: Knex.Transaction,
  read: ImportSummary,
  force: boolean,
): Promise<Partial<ImportSummary>> {
  const { there, gone } = await countGone(transaction, read.kind);
  if (gone * 2 > there && !force) {
    const share = `${gone} of the ${there} ${read.kind} that are there`;
    throw new ImportRefusedError(`--prune would remove ${share}, more than half; --force does it`, read);
  }
  const { favorites, discounts } = await removeGone(transaction, read.kind);
  return { removed: gone, removedFavorites: favorites, removedDiscounts: discounts };
}

async function write(
  transaction: Knex.Transaction,
  scope: WriteScope,
): Promise<{ added: number; changed: number }> {
  const at = await readClock(transaction);
  const onlyState = scope.kind === "servers" ? await countStateChanges(transaction, scope) : 0;
  const { added, changed } = await writeStaged(transaction, scope, at);
  await takeOver(transaction, scope);
  if (scope.kind === "servers") await writeStates(transaction, scope, at);
  return { added, changed: changed + onlyState };
}
