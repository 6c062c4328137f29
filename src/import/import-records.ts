import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import { selectRow } from "../db/rows.ts";
import type { ImportKind } from "./kinds.ts";
import type { ImportOptions } from "./options.ts";
import { runImport } from "./run.ts";
import type { ImportSummary } from "./summary.ts";

/** What undoes a dry run. */
class DryRunDone extends Error {
  readonly summary: ImportSummary;
  constructor(summary: ImportSummary) {
    super("dry run");
    this.summary = summary;
  }
}

/**
 * Imports records of one kind: new ones are added, those that changed get a new revision, the others are not touched.
 * All of it in one transaction of its own, or within the one that is given.
 *
 * A field that any of the records has is decided by the file, for every record; a field that none of them has keeps
 * what it holds.
 * @throws ImportRefusedError when records are invalid (unless `skipInvalid`) or too many would be removed; the signal's
 *   reason; whatever `records` throws. Nothing is written then.
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

/** A statement over a million rows runs for many seconds; from another connection it can be ended at once. */
async function cancelOnAbort(
  db: Db,
  transaction: Knex.Transaction,
  signal?: AbortSignal,
): Promise<() => void> {
  if (!signal || db.isTransaction) return () => undefined;
  const row = await selectRow<{ pid: number }>(transaction, "select pg_backend_pid() as pid");
  const cancel = () => {
    // Where even that fails the connection is gone, and the server takes the transaction back by itself.
    db.raw("select pg_cancel_backend(?)", [row.pid]).catch(() => undefined);
  };
  signal.addEventListener("abort", cancel, { once: true });
  return () => signal.removeEventListener("abort", cancel);
}
