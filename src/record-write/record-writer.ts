import type { Knex } from "knex";
import { HttpError } from "../http/errors.ts";
import { said } from "../i18n/said.ts";
import type { ImportKind } from "../import/kinds.ts";
import type { ReadKind } from "../record-api/kinds.ts";
import type { AnyRecordKind } from "../record-api/record-kinds.ts";
import type { Outcome } from "./answer.ts";
import type { BatchWrite, SingleWrite } from "./write.ts";
import { writeBatch } from "./write-batch.ts";
import { writeGroup } from "./write-group.ts";

declare module "../http/endpoint.ts" {
  interface EndpointContext {
    /** Writes records. */
    writer: RecordWriter;
  }
}

/** Writes of one record that share a transaction. */
const GROUP_AT_MOST = 100;
/** Reading servers one by one is cheaper than several. */
const SERVERS_AT_MOST = 1;
/** Transactions at a time: each has a connection. */
const AT_A_TIME = 2;
/** Writes that wait; more are told to come back. */
const WAITING_AT_MOST = 10_000;

type Work = { readonly single: SingleWrite } | { readonly batch: BatchWrite };

type Waiting = Work & {
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Writes records by the code of imports. An import has a price, however few its records are, so writes that wait for the
 * same kind share one transaction: each is answered after its commit, with an outcome of its own. Writes of one record
 * are made in the order in which they came.
 */
export class RecordWriter {
  readonly #db: Knex;
  readonly #kinds: ReadonlyMap<ReadKind, AnyRecordKind>;
  readonly #waiting = new Map<ImportKind, Waiting[]>();
  readonly #busy = new Set<ImportKind>();
  #count = 0;

  /** @param db a pool without pipelining: imports copy */
  constructor(db: Knex, kinds: ReadonlyMap<ReadKind, AnyRecordKind>) {
    this.#db = db;
    this.#kinds = kinds;
  }

  /** Writes one record. Rejects where the database fails. */
  write(single: SingleWrite): Promise<Outcome> {
    return this.#add(single.kind, { single });
  }

  /** Imports many records. */
  writeBatch(batch: BatchWrite): Promise<Outcome> {
    return this.#add(batch.kind, { batch });
  }

  #add(kind: ImportKind, work: Work): Promise<Outcome> {
    if (this.#count >= WAITING_AT_MOST) return Promise.resolve(busy("errors.detail.busy"));
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    const queue = this.#waiting.get(kind) ?? [];
    queue.push({ ...work, resolve, reject });
    this.#waiting.set(kind, queue);
    this.#count += 1;
    // Requests that are read already come along.
    setImmediate(() => this.#startNext());
    return promise;
  }

  /** Begins with the kind that has waited longest. */
  #startNext(): void {
    if (this.#busy.size >= AT_A_TIME) return;
    const kind = [...this.#waiting.keys()].find((each) => !this.#busy.has(each));
    if (kind === undefined) return;
    const taken = this.#take(kind);
    this.#busy.add(kind);
    void this.#do(kind, taken).finally(() => {
      this.#count -= taken.length;
      this.#busy.delete(kind);
      this.#startNext();
    });
    this.#startNext();
  }

  /** A batch, or the writes that can share a transaction; what waits behind them keeps its order. */
  #take(kind: ImportKind): Waiting[] {
    const queue = this.#waiting.get(kind) ?? [];
    this.#waiting.delete(kind);
    const [first] = queue;
    const [taken, left] = first && "batch" in first ? [[first], queue.slice(1)] : split(kind, queue);
    if (left.length > 0) this.#waiting.set(kind, left);
    return taken;
  }

  async #do(kind: ImportKind, taken: readonly Waiting[]): Promise<void> {
    const singles = taken.flatMap((each) => ("single" in each ? [each] : []));
    const work = async (): Promise<Outcome[]> => {
      const [first] = taken;
      if (first && "batch" in first) return [await writeBatch(this.#db, first.batch)];
      return this.#writeGroup(
        kind as ReadKind,
        singles.map(({ single }) => single),
      );
    };
    try {
      const outcomes = await work().catch((error: unknown) => {
        if (singles.length < 2 || isLocked(error)) throw error;
        return undefined;
      });
      if (outcomes) for (const [index, { resolve }] of taken.entries()) resolve(outcomes[index] as Outcome);
      // One of them has failed all: each by itself then.
      else for (const one of singles) await this.#do(kind, [one]);
    } catch (error) {
      for (const { resolve, reject } of taken) {
        if (isLocked(error)) resolve(busy("errors.detail.kind_is_busy"));
        else reject(error);
      }
    }
  }

  #writeGroup(kind: ReadKind, writes: readonly SingleWrite[]): Promise<Outcome[]> {
    const records = this.#kinds.get(kind);
    if (!records) throw new Error(`there are no records of ${kind}`);
    return writeGroup(this.#db, kind, records, writes);
  }
}

/** The first writes of other records and other Idempotency-Keys than those before; no batch is overtaken. */
function split(kind: ImportKind, queue: readonly Waiting[]): [taken: Waiting[], left: Waiting[]] {
  const most = kind === "servers" ? SERVERS_AT_MOST : GROUP_AT_MOST;
  const [taken, left]: [Waiting[], Waiting[]] = [[], []];
  const seen = new Set<string>();
  let isOpen = true;
  for (const each of queue) {
    if ("batch" in each) isOpen = false;
    const names = "single" in each ? namesOf(each.single) : [];
    if (isOpen && taken.length < most && names.every((name) => !seen.has(name))) taken.push(each);
    else left.push(each);
    // Also of those that wait, so that none is overtaken by a later one of the same record.
    for (const name of names) seen.add(name);
  }
  return [taken, left];
}

function namesOf({ id, repeatable }: SingleWrite): string[] {
  return [`id ${id}`, ...(repeatable ? [`name ${repeatable.keyId} ${repeatable.name}`] : [])];
}

function busy(detail: "errors.detail.busy" | "errors.detail.kind_is_busy"): HttpError {
  return new HttpError("unavailable", said(detail), { headers: { "Retry-After": "5" } });
}

/** An import of the kind has not ended in time. */
function isLocked(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "55P03";
}
