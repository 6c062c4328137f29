import type { Request } from "express";
import type { Knex } from "knex";
import type { Domain } from "../../db/change-feed.ts";
import type { Db } from "../../db/connect.ts";
import { isDatabaseAway } from "../../db/failures.ts";
import type { Header } from "../server/headers.ts";
import type { Encoding } from "./encoding.ts";
import type { PersonalPage } from "./personal-parts.ts";

/** The sources of a response: parts of the database, or the search indexes of this process. */
export type Source = Domain | "search";

export interface Dependencies {
  readonly dependsOn: readonly Source[];
  /** Whether it shows ages or countdowns, so that it is valid for a moment only. */
  readonly isTimeSensitive?: boolean | undefined;
}

/** A response that the next request for the same address may get as well. */
export interface MadeAnswer {
  /** The response's sources. Every response also depends on `site`. */
  readonly dependsOn: readonly Source[];
  readonly isTimeSensitive: boolean;
  /** The response's headers, without those of a single request. */
  readonly headers: readonly Header[];
  readonly plain: Buffer;
  /** A logged-in user's page without their own parts; nobody else may get `plain` and `encoded`. */
  readonly personal?: PersonalPage | undefined;
  /** The note above a page's figures while the database is down, as HTML. */
  readonly awayNote?: string | undefined;
  /** See `computeDigest`. */
  readonly digest: string;
  readonly encoded: { readonly encoding: Encoding; readonly body: Buffer };
}

interface Keeper {
  /** True if the response is worth caching. */
  isWanted(): boolean;
  keep(made: MadeAnswer): void;
  /** See AnswerScope. */
  sendStale(): boolean;
}

/** The build of one response; without a keeper it is not cached. */
export class AnswerScope {
  /** When it began, by `performance.now()`. */
  readonly beganAt = performance.now();
  readonly #keeper: Keeper | undefined;
  #snapshot: Promise<Knex.Transaction> | undefined;
  #hasEnded = false;

  constructor(keeper?: Keeper) {
    this.#keeper = keeper;
  }

  get canKeep(): boolean {
    return this.#keeper !== undefined;
  }

  /** True if the response would be cached now. Another request may start to wait for it later. */
  get isWanted(): boolean {
    return this.#keeper?.isWanted() === true;
  }

  keep(made: MadeAnswer): void {
    if (this.isWanted) this.#keeper?.keep(made);
    this.end();
  }

  /** Sends the cached response, however old it is; returns false without one. */
  sendStale(): boolean {
    return this.#keeper?.sendStale() === true;
  }

  /**
   * The database's state at the first query of this response; once nobody waits for the response any more, its current
   * state.
   */
  async snapshot(db: Knex): Promise<Db> {
    if (this.#hasEnded) return db;
    this.#snapshot ??= beginSnapshot(db);
    return this.#snapshot;
  }

  /** Returns the snapshot's connection. */
  end(): void {
    const snapshot = this.#snapshot;
    this.#snapshot = undefined;
    this.#hasEnded = true;
    // A broken connection leaves the pool by itself.
    snapshot?.then((transaction) => transaction.commit()).catch(() => undefined);
  }
}

/** Sends the cached response if the new one failed because the database is down. False if nothing was sent. */
export function sentStale(req: Request, error: unknown): boolean {
  return isDatabaseAway(error) && req.answerScope?.sendStale() === true;
}

function beginSnapshot(db: Knex): Promise<Knex.Transaction> {
  return new Promise((resolve, reject) => {
    const transaction: RunningTransaction = db.client.transaction(resolve, {
      isolationLevel: "repeatable read",
      readOnly: true,
    });
    const begin = transaction.begin.bind(transaction);
    // Knex waits for the result of `begin` before it returns the transaction, which costs a round trip. If `begin`
    // fails, so do the next queries.
    transaction.begin = async (connection) => void begin(connection);
    transaction.catch(reject);
  });
}

/** Methods that Knex's types leave out. */
interface RunningTransaction extends Promise<void> {
  begin(connection: unknown): Promise<unknown>;
}

/** The database for the queries of one response: they all see the same state. */
export async function snapshotFor(req: Request, db: Knex): Promise<Db> {
  return req.answerScope ? req.answerScope.snapshot(db) : db;
}
