import type { Knex } from "knex";
import type { Db } from "../../db/connect.ts";
import { selectRow } from "../../db/rows.ts";
import type { ImportKind } from "./kinds.ts";
import type { ImportOptions } from "./options.ts";
import { runImport } from "./run.ts";
import type { ImportSummary } from "./summary.ts";

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
  records: AsyncIterable<unknown> | Iterable<unknown>,
  options: ImportOptions = {},
): Promise<ImportSummary> {
  const started = performance.now();
  const summary = await importInTransaction(db, kind, records, options);
  return { ...summary, seconds: (performance.now() - started) / 1000 };
}

async function importInTransaction(
  db: Db,
  kind: ImportKind,
  records: AsyncIterable<unknown> | Iterable<unknown>,
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
