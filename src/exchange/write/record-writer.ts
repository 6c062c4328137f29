import type { Knex } from "knex";
import pLimit, { type LimitFunction } from "p-limit";
import { HttpError, siteIsBusy } from "../../web/pages/errors.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import type { ImportKind } from "../import/kinds.ts";
import { lockKind } from "../import/storage/queries.ts";
import type { ReadKind } from "../read/kinds.ts";
import type { AnyRecordKind } from "../read/record-kinds.ts";
import type { Outcome } from "./answer.ts";
import { claimAnswer, keepAnswer } from "./answer-queries.ts";
import type { AnyWrite, BatchWrite, SingleWrite } from "./write.ts";
import { writeBatch } from "./write-batch.ts";
import { writeRecord } from "./write-record.ts";

type Work = (transaction: Knex.Transaction) => Promise<Outcome>;

/** Transactions at a time: each has a connection. */
const AT_A_TIME = 2;
/** The maximum number of waiting writes of a kind. */
const WAITING_AT_MOST = 10_000;
/** How long a write waits for an import of the same kind. */
const LOCK_TIMEOUT = "10s";

/**
 * Writes records by the code of imports, each request in one transaction. Writes of a kind run one after the other,
 * in the order of their arrival, because imports of a kind exclude each other anyway.
 */
export class RecordWriter {
  readonly #db: Knex;
  readonly #kinds: ReadonlyMap<ReadKind, AnyRecordKind>;
  readonly #slots = pLimit(AT_A_TIME);
  readonly #queues = new Map<ImportKind, LimitFunction>();

  /** @param db a pool without pipelining: imports copy */
  constructor(db: Knex, kinds: ReadonlyMap<ReadKind, AnyRecordKind>) {
    this.#db = db;
    this.#kinds = kinds;
  }

  /**
   * Writes one record. Resolves once it is committed.
   * @throws HttpError 400, 403, 422, 503; nothing is written then
   */
  write(write: SingleWrite): Promise<Outcome> {
    const records = this.#kinds.get(write.kind);
    if (!records) throw new Error(`there are no records of ${write.kind}`);
    return this.#run(write, (transaction) => writeRecord(transaction, records, write));
  }

  /**
   * Imports all records of a batch, or none. Resolves once it is committed; a dry run is answered the same and undone.
   * @throws HttpError 400, 403, 422, 503; nothing is written then
   */
  writeBatch(batch: BatchWrite): Promise<Outcome> {
    return this.#run(batch, (transaction) => writeBatch(transaction, batch));
  }

  async #run(write: AnyWrite, work: (transaction: Knex.Transaction) => Promise<Outcome>): Promise<Outcome> {
    const queue = this.#queueOf(write.kind);
    if (queue.pendingCount >= WAITING_AT_MOST) throw siteIsBusy();
    try {
      return await queue(() => this.#inTurn(queue, write, work));
    } catch (error) {
      throw isLockedOut(error) ? kindIsBusy() : error;
    }
  }

  async #inTurn(queue: LimitFunction, write: AnyWrite, work: Work): Promise<Outcome> {
    try {
      return await this.#slots(() =>
        this.#db.transaction((transaction) => writeOnce(transaction, write, work)),
      );
    } catch (error) {
      // During an import, those that wait for this write would each wait as long.
      if (isLockedOut(error)) queue.clearQueue();
      throw error;
    }
  }

  #queueOf(kind: ImportKind): LimitFunction {
    const queue = this.#queues.get(kind) ?? pLimit({ concurrency: 1, rejectOnClear: true });
    this.#queues.set(kind, queue);
    return queue;
  }
}

/** Writes, or resolves to the outcome of the first request with the same Idempotency-Key. */
async function writeOnce(transaction: Knex.Transaction, write: AnyWrite, work: Work): Promise<Outcome> {
  const { kind, repeatable } = write;
  await transaction.raw(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
  await lockKind(transaction, kind);
  const first = repeatable && (await claimAnswer(transaction, repeatable));
  if (first === "other") throw new HttpError("keyReused", lazyText("errors.detail.key_reused"));
  const outcome = first ?? (await work(transaction));
  if (repeatable && !first) await keepAnswer(transaction, repeatable, outcome);
  await write.confirmAccess(transaction);
  return outcome;
}

function kindIsBusy(): HttpError {
  return new HttpError("unavailable", lazyText("errors.detail.kind_is_busy"), {
    headers: { "Retry-After": "5" },
  });
}

/** Whether an import of the kind has not ended in time for this write, or for the one that it waited for. */
function isLockedOut(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === "AbortError" || ("code" in error && error.code === "55P03");
}
