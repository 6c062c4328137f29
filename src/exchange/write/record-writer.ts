import type { Knex } from "knex";
import type { LimitFunction } from "p-limit";
import pLimit from "p-limit";
import type { Actor } from "../../db/audit-queries.ts";
import type { ChangeFeed } from "../../db/change-feed.ts";
import type { Db } from "../../db/connect.ts";
import { isLockTimeout } from "../../db/failures.ts";
import { limitWaiting } from "../../db/rows.ts";
import { plainText, refuseUnstorable } from "../../records/values.ts";
import { computeDigest, entityTag } from "../../web/answers/encoding.ts";
import type { Site } from "../../web/look/site.ts";
import { badInput, gone, HttpError, notFound, siteIsBusy } from "../../web/pages/errors.ts";
import { type LazyText, lazyText, translateText } from "../../words/i18n/lazy-text.ts";
import { isCatalogueKind } from "../../words/kinds/kinds.ts";
import { isObject } from "../../words/text/json.ts";
import { absoluteUrl } from "../../words/urls.ts";
import { importRecords } from "../import/import-records.ts";
import type { ImportKind } from "../import/kinds.ts";
import { ImportRefusedError, type ImportSummary, type InvalidRecord } from "../import/report.ts";
import { lockKind } from "../import/storage/queries.ts";
import { missingOf, type ReadKind } from "../read/kinds.ts";
import type { ApiRecord } from "../read/record.ts";
import type { AnyRecordKind } from "../read/record-kinds.ts";
import { findRemoved } from "../read/tombstone-queries.ts";
import type { Outcome } from "./answer.ts";
import { claimAnswer, keepAnswer, type Repeatable } from "./answer-queries.ts";
import { type CurrentRecord, findCurrent } from "./current-queries.ts";
import {
  keepHidden,
  memberOf,
  patched,
  toImport,
  type WrongField,
  wholeFields,
  withoutWhole,
} from "./fields.ts";
import { recordWrite, removeRecords } from "./record-write.ts";

/** What is wrong with a record of a batch, by its place in it from 0. */
interface WrongRecord {
  readonly index: number;
  readonly id: string | undefined;
  /** Blank: the record as a whole. */
  readonly path: string;
  readonly message: string | LazyText;
}

/** What a write meets. */
interface Found {
  readonly current: CurrentRecord | undefined;
  /** When the record was removed; undefined: it is there, or never was. */
  readonly removedAt: Date | undefined;
  /** True if `If-Match` names the current record; called only if there is one. */
  readonly isMatch: boolean;
}

/** What all writes have. */
interface AnyWrite {
  readonly kind: ImportKind;
  /** Set where the request has an Idempotency-Key. */
  readonly repeatable: Repeatable | undefined;
  /** Who writes, for the audit log. */
  readonly by: Actor;
  readonly site: Pick<Site, "baseUrl" | "vocabulary">;
  /** Checks at the end of the transaction that the caller may still write. @throws HttpError 403 */
  confirmAccess(transaction: Db): Promise<void>;
}

/** The writing of one record. */
interface SingleWrite extends AnyWrite {
  readonly kind: ReadKind;
  readonly method: "PUT" | "PATCH" | "DELETE";
  readonly id: string;
  readonly body?: Readonly<Record<string, unknown>>;
  /** The entity tags of `If-Match`; `*`: any record that is there. */
  readonly ifMatch?: readonly string[] | "*" | undefined;
  /** Refuses the write if the record is no longer of this version (`versionOf`), as a form has seen it. */
  readonly seen?: string;
  /** The action for the audit log, if it is more than a write. */
  readonly action?: "record.hidden" | "record.restored";
  /** Why, for the audit log and the revision. */
  readonly note?: string | undefined;
  /** More work in the same transaction, before and after the record itself. */
  readonly prepare?: (transaction: Knex.Transaction) => Promise<unknown>;
  readonly complete?: (transaction: Knex.Transaction) => Promise<unknown>;
  /** `If-None-Match: *` */
  readonly createOnly?: boolean;
}

/** The writing of many records as one import. */
interface BatchWrite extends AnyWrite {
  readonly records: readonly unknown[];
  readonly isDryRun: boolean;
}

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
  readonly #feed: Pick<ChangeFeed, "refresh">;
  readonly #slots = pLimit(AT_A_TIME);
  readonly #queues = new Map<ImportKind, LimitFunction>();

  /** @param db a pool without pipelining: imports copy */
  constructor(db: Knex, kinds: ReadonlyMap<ReadKind, AnyRecordKind>, feed: Pick<ChangeFeed, "refresh">) {
    this.#db = db;
    this.#kinds = kinds;
    this.#feed = feed;
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
      const outcome = await queue(() => this.#inTurn(queue, write, work));
      await this.#feed.refresh();
      return outcome;
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
  await limitWaiting(transaction, LOCK_TIMEOUT);
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
  return isLockTimeout(error) || (error instanceof Error && error.name === "AbortError");
}

/**
 * Writes one record. Resolves also to a refusal by what is there, which a repeat is answered with too.
 * @throws HttpError 400 for a wrong body
 */
async function writeRecord(
  transaction: Knex.Transaction,
  records: AnyRecordKind,
  write: SingleWrite,
): Promise<Outcome> {
  const { kind, method, id } = write;
  const current = (await findCurrent(transaction, kind, [id])).get(id);
  const [removed] = current ? [] : await findRemoved(transaction, kind, [id]);
  const isMatch = await matches(transaction, records, write);
  const refused = refuseWrite(write, { current, removedAt: removed?.removed_at, isMatch });
  if (refused) return refused;
  if (removed?.hidden && write.by.via === "api")
    return new HttpError("conflict", lazyText("errors.detail.hidden"));
  if (removed?.merged_into)
    return new HttpError("conflict", lazyText("errors.detail.merged", { id: removed.merged_into }));
  await write.prepare?.(transaction);
  if (method === "DELETE") {
    await removeRecords(transaction, kind, [id]);
    await recordWrite(transaction, write, current, undefined);
    await write.complete?.(transaction);
    return { status: 204, headers: {} };
  }
  const { fields, wrong } = planFields(write, current);
  if (wrong.length > 0) throw badInput([...wrong]);
  await importOne(transaction, write, fields);
  await recordWrite(transaction, write, current, (await findCurrent(transaction, kind, [id])).get(id));
  await write.complete?.(transaction);
  const json = await readJson(transaction, records, write);
  if (!json) throw new Error(`${kind} has no ${id} after it was written`);
  return success(write, json, current === undefined);
}

/** The version of a record that a form shows. Unlike the entity tag, it leaves out figures, which change with each poll. */
export function versionOf(record: CurrentRecord): string {
  return computeDigest(JSON.stringify(record));
}

/** Whether `If-Match` names the record as it is. A record has another entity tag in each encoding. */
async function matches(db: Db, records: AnyRecordKind, write: SingleWrite): Promise<boolean> {
  const { ifMatch } = write;
  if (!Array.isArray(ifMatch)) return ifMatch === "*";
  const json = await readJson(db, records, write);
  if (!json) return false;
  const digest = computeDigest(JSON.stringify(json));
  return ["identity", "br", "gzip"].some((encoding) => ifMatch.includes(entityTag(digest, encoding)));
}

async function readJson(
  db: Db,
  records: AnyRecordKind,
  { id, site }: Pick<SingleWrite, "id" | "site">,
): Promise<ApiRecord | undefined> {
  const [row] = await (records.findUntold ?? records.find).call(records, db, [id]);
  return row && records.toJson(row, { site });
}

/** @throws HttpError 400 */
async function importOne(
  transaction: Knex.Transaction,
  { kind, site, body = {} }: SingleWrite,
  fields: Record<string, unknown>,
): Promise<void> {
  const codes = isCatalogueKind(kind) ? site.vocabulary.of(kind).codes : undefined;
  try {
    await importRecords(transaction, kind, [fields], { codes, isSmall: true, isEdit: true });
  } catch (error) {
    if (!(error instanceof ImportRefusedError)) throw error;
    const problems = error.summary.invalidRecords.flatMap((invalid) => invalid.problems);
    throw badInput(
      problems.map(({ field, reason }) => ({
        param: memberOf(kind, body, field) || "body",
        message: reason,
      })),
    );
  }
}

function success({ kind, id, site }: SingleWrite, json: ApiRecord, isNew: boolean): Outcome {
  const url = absoluteUrl(site.baseUrl, `/api/${kind}/${encodeURIComponent(id)}`);
  const headers = {
    ETag: entityTag(computeDigest(JSON.stringify(json)), "identity"),
    ...(isNew && { Location: url }),
  };
  return { status: isNew ? 201 : 200, headers, json };
}

/** Imports all records of a batch, or none; a dry run is answered the same and undone. @throws HttpError 400 */
async function writeBatch(
  transaction: Knex.Transaction,
  { kind, records, isDryRun, site, by }: BatchWrite,
): Promise<Outcome> {
  const ids = records.flatMap((record) => (isObject(record) ? [plainText(record.id)] : []));
  const storable = ids.filter((id) => refuseUnstorable(id) === null);
  const current = kind === "relations" ? new Map() : await findCurrent(transaction, kind, storable);
  const wrong: WrongRecord[] = [];
  const read = records.map((record, index) => {
    if (!isObject(record)) return record;
    const { fields, wrong: ofRecord } = toImport(kind, record);
    const id = plainText(record.id ?? null) || undefined;
    wrong.push(...ofRecord.map(({ param, message }) => ({ index, id, path: param, message })));
    return keepHidden(fields, { kind, current: current.get(plainText(record.id)), site });
  });
  // Runs even if something is wrong, to report all errors at once.
  const dryRun = isDryRun || wrong.length > 0;
  const codes = isCatalogueKind(kind) ? site.vocabulary.of(kind).codes : undefined;
  const options = { dryRun, codes, isSmall: true, reportedAtMost: records.length, by };
  try {
    const summary = await importRecords(transaction, kind, read, options);
    if (wrong.length > 0) throw refusal(wrong);
    return answerOf(summary);
  } catch (error) {
    if (!(error instanceof ImportRefusedError)) throw error;
    const found = error.summary.invalidRecords.flatMap((invalid) =>
      wrongIn(kind, records[invalid.record - 1], invalid),
    );
    throw refusal([...wrong, ...found].sort((a, b) => a.index - b.index));
  }
}

/** What an import refuses a record for, by the names and the numbers of the batch. */
function wrongIn(kind: ImportKind, sent: unknown, { record, id, problems }: InvalidRecord): WrongRecord[] {
  const body = isObject(sent) ? sent : {};
  return problems.map(({ field, reason }) => {
    const message = typeof reason === "string" ? reason : byIndex(reason);
    return { index: record - 1, id, path: memberOf(kind, body, field), message };
  });
}

/** Imports count records from 1, batches from 0. */
function byIndex({ key, values }: LazyText): LazyText {
  if (key !== "refusals.repeats") return { key, values };
  return lazyText("input.repeats", { index: Number(values.first) - 1 });
}

function refusal(wrong: readonly WrongRecord[]): HttpError {
  const records = wrong.map(({ index, id, path, message }) => ({
    index,
    id: id ?? null,
    path,
    message: translateText(message),
  }));
  return badInput(
    wrong.map((each) => ({ param: placeOf(each), message: each.message })),
    { records },
  );
}

function placeOf({ index, path }: WrongRecord): string {
  return path === "" ? `records[${index}]` : `records[${index}].${path}`;
}

function answerOf({ dryRun, records, added, changed, unchanged, warnings }: ImportSummary): Outcome {
  const json = {
    dry_run: dryRun,
    records,
    added,
    changed,
    unchanged,
    warnings: warnings.map((warning) => translateText(warning)),
  };
  return { status: 200, headers: {}, json };
}

/** What a write is refused with because of what it meets: 404, 410 or 412. */
function refuseWrite(
  { method, kind, ifMatch, seen, createOnly }: SingleWrite,
  { current, removedAt, isMatch }: Found,
): HttpError | undefined {
  const isOther = seen !== undefined && !(current && versionOf(current) === seen);
  if (isOther || (ifMatch !== undefined && !(current && isMatch)))
    return new HttpError(
      "preconditionFailed",
      lazyText(current ? "errors.detail.no_match" : "errors.detail.no_record"),
    );
  if (createOnly && current)
    return new HttpError("preconditionFailed", lazyText("errors.detail.there_already"));
  if (method === "PUT" || current) return undefined;
  return removedAt ? gone(removedAt) : notFound(missingOf(kind));
}

/** The record to import for a PUT or PATCH, and what is wrong with the body. */
function planFields(
  { method, kind, id, body = {}, site }: SingleWrite,
  current: CurrentRecord | undefined,
): { readonly fields: Record<string, unknown>; readonly wrong: readonly WrongField[] } {
  const { fields, wrong } = toImport(kind, body, id);
  if (method === "PATCH") return { fields: patched(current, fields), wrong };
  const empty = Object.fromEntries(wholeFields(kind).map((field) => [field, null]));
  const kept = withoutWhole(current, kind);
  return { fields: keepHidden({ ...empty, ...kept, ...fields }, { kind, current, site }), wrong };
}
