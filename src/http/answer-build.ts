import type { Request } from "express";
import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import type { Domain } from "../db/data-versions.ts";
import { isDatabaseAway } from "../db/failures.ts";
import type { Encoding } from "./encoding.ts";
import type { Header } from "./headers.ts";
import type { PersonalPage } from "./personal-parts.ts";

/** What an answer is made from: parts of the database, or the search indexes of this process. */
export type Source = Domain | "search";

/** An answer that the next one who asks for the same address may have as well. */
export interface MadeAnswer {
  /** Of which sources the answer is; all answers are also of `site`. */
  readonly changesWith: readonly Source[];
  /** It tells how long ago or until when something is, so it is true for a moment only. */
  readonly showsTime: boolean;
  /** Of the answer as it was asked for, without those of one request. */
  readonly headers: readonly Header[];
  readonly plain: Buffer;
  /** Of a logged-in user's page: the page without what is theirs; `plain` and `encoded` are not for others. */
  readonly personal?: PersonalPage | undefined;
  /** Of a page with figures: what it says above them while the database is away, as HTML. */
  readonly awayNote?: string | undefined;
  /** See `digestOf`. */
  readonly digest: string;
  /** The encoding that was asked for, and the body in it. */
  readonly encoded: { readonly encoding: Encoding; readonly body: Buffer };
}

declare module "express-serve-static-core" {
  interface Request {
    /** Set for a request that reads (see remembered-answers.ts). */
    build?: AnswerBuild;
  }
}

/** Who remembers an answer. */
interface Keeper {
  /** Whether it is worth keeping. */
  isWanted(): boolean;
  keep(made: MadeAnswer): void;
  /** See AnswerBuild. */
  giveOlder(): boolean;
}

/** The making of one answer; without a keeper it is not remembered. */
export class AnswerBuild {
  /** When it began, by `performance.now()`. */
  readonly beganAt = performance.now();
  readonly #keeper: Keeper | undefined;
  #snapshot: Promise<Knex.Transaction> | undefined;
  #hasEnded = false;

  constructor(keeper?: Keeper) {
    this.#keeper = keeper;
  }

  /** Whether the answer may be remembered. */
  get canKeep(): boolean {
    return this.#keeper !== undefined;
  }

  /** Whether it would be remembered if it were kept now; somebody may begin to wait for it later. */
  get isWanted(): boolean {
    return this.#keeper?.isWanted() === true;
  }

  keep(made: MadeAnswer): void {
    if (this.isWanted) this.#keeper?.keep(made);
    this.end();
  }

  /** Answers with what is remembered, however old it is; false if that is nothing. */
  giveOlder(): boolean {
    return this.#keeper?.giveOlder() === true;
  }

  /** The database as it was at the first query of this answer; once nobody waits for it any more, as it is. */
  async snapshot(db: Knex): Promise<Db> {
    if (this.#hasEnded) return db;
    this.#snapshot ??= beginSnapshot(db);
    return this.#snapshot;
  }

  /** Gives the snapshot's connection back. */
  end(): void {
    const snapshot = this.#snapshot;
    this.#snapshot = undefined;
    this.#hasEnded = true;
    // A connection that broke leaves the pool by itself.
    snapshot?.then((transaction) => transaction.commit()).catch(() => undefined);
  }
}

/** Answers with what is remembered if a new answer failed because the database is away; false: nothing was answered. */
export function gaveOlder(req: Request, error: unknown): boolean {
  return isDatabaseAway(error) && req.build?.giveOlder() === true;
}

function beginSnapshot(db: Knex): Promise<Knex.Transaction> {
  return new Promise((resolve, reject) => {
    const transaction: RunningTransaction = db.client.transaction(resolve, {
      isolationLevel: "repeatable read",
      readOnly: true,
    });
    const begin = transaction.begin.bind(transaction);
    // Knex waits for the answer before it gives the transaction, which costs a round trip; if it fails, so does what
    // follows.
    transaction.begin = async (connection) => void begin(connection);
    transaction.catch(reject);
  });
}

/** What Knex' types leave out. */
interface RunningTransaction extends Promise<void> {
  begin(connection: unknown): Promise<unknown>;
}

/** The database for the queries of one answer: what reads sees a single state of it, however many queries it takes. */
export async function snapshotFor(req: Request, db: Knex): Promise<Db> {
  return req.build ? req.build.snapshot(db) : db;
}
