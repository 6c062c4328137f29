import type { Knex } from "knex";
import type { Logger } from "pino";
import { repeat } from "../repeat.ts";
import type { Db } from "./connect.ts";
import { selectRow } from "./rows.ts";
import { afterRunning } from "./running-time.ts";

/**
 * What answers are made from; each part has a version. Of the servers only their list: figures and histories change all
 * the time. `site` is what the site knows of itself: that it is a demo. `examples` are those of the API's document.
 */
export type Domain = "catalogue" | "relations" | "servers" | "shop" | "site" | "examples";

/** Texts that differ whenever the data does. The shop's also differs when a discount starts or ends. */
export type Versions = Readonly<Record<Domain, string>>;

/** How old versions may be when an answer is given by them: with its making, an answer stays within a second. */
const MAX_AGE_MS = 800;
const POLL_MS = 300;
/** Nobody waits longer for the versions. */
const PATIENCE_MS = 600;
/** How long the second read may take, which decides whether the database is down: on a busy machine, logging in takes long. */
const DOUBT_MS = 2_000;
/** A change that is noted for so long is known in every process. */
const NOTED = "1 hour";

/** The versions of the data, as one statement sees them. */
export async function readDataVersions(db: Db): Promise<Versions> {
  return selectRow<Versions>(
    db,
    `select (select string_agg(kind || ' ' || version, ' ' order by kind) from catalogue_versions) as catalogue,
            (select concat_ws(' ', count(*), sum(id)) from relation_changes) as relations,
            (select concat_ws(' ', count(*), max(updated_at)) from servers) as servers,
            concat_ws(' ', (select concat_ws(' ', count(*), sum(id)) from shop_changes),
                      (select max(starts_at) from discounts where starts_at <= now()),
                      (select max(ends_at) from discounts where ends_at <= now())) as shop,
            coalesce((select value::text from settings where key = 'demo'), '') as site,
            coalesce((select updated_at::text from settings where key = 'api_examples'), '') as examples`,
  );
}

/** Removes notes of changes that every process knows; this looks like one more change. */
export async function removeOldChanges(db: Db): Promise<void> {
  for (const table of ["shop_changes", "relation_changes"])
    await db(table).whereRaw(`at < now() - interval '${NOTED}'`).delete();
}

export interface DataVersionsOptions {
  readonly db: Knex;
  readonly log: Logger;
  /** Milliseconds for which versions that were read are taken for the current ones; 0 reads them for each request. */
  readonly maxAgeMs?: number;
}

/** The versions of the data as this process knows them, at most 0.8 s old while the database answers. */
export class DataVersions {
  readonly #db: Knex;
  readonly #log: Logger;
  readonly #maxAgeMs: number;
  readonly #closing = new AbortController();
  #current: Versions | undefined;
  /** When the statement that read `#current` began, by `performance.now()`. */
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;
  /** Whether a read failed or is late, and a second one has not shown yet what that means. */
  #isDoubted = false;
  #isDown = false;
  #lastDownAt = Number.NEGATIVE_INFINITY;
  #isFollowing = false;

  constructor({ db, log, maxAgeMs = MAX_AGE_MS }: DataVersionsOptions) {
    this.#db = db;
    this.#log = log;
    this.#maxAgeMs = maxAgeMs;
  }

  /** The latest versions read; undefined before the first time. */
  get current(): Versions | undefined {
    return this.#current;
  }

  /** Whether the versions are young enough to answer by them. */
  get isConfirmed(): boolean {
    return performance.now() - this.#confirmedAt < this.#maxAgeMs;
  }

  /** Whether there is nothing to wait for: the versions are young, or the database does not answer and is asked all the time. */
  get isSettled(): boolean {
    return this.isConfirmed || (this.isSilent && this.#isFollowing);
  }

  /** How old versions may be by which answers are given, in milliseconds. */
  get maxAgeMs(): number {
    return this.#maxAgeMs;
  }

  /** Whether the database did not answer, or not in time, when it was last asked. */
  get isSilent(): boolean {
    return this.#isDoubted || this.#isDown;
  }

  /** Whether it is not worth querying the database: it did not answer twice in a row. */
  get isDown(): boolean {
    return this.#isDown;
  }

  /** When the database was last known to be down, by `performance.now()`. */
  get lastDownAt(): number {
    return this.#lastDownAt;
  }

  /** Seconds since the versions were known to be current. */
  get ageS(): number {
    return Math.floor((performance.now() - this.#confirmedAt) / 1000);
  }

  /** Reads the versions for all who wait. Never rejects; resolves after 0.6 s at most, and then they may be old. */
  async confirm(): Promise<void> {
    // One that has begun may be from before a change that the caller knows of.
    if (this.#maxAgeMs === 0) return this.#check();
    // A read that got stuck is waited for again: each new one would take one more connection.
    this.#reading ??= this.#check().finally(() => {
      this.#reading = undefined;
    });
    await inTime(PATIENCE_MS, this.#reading).catch(() => undefined);
  }

  /** Whether the database answers; while that is in doubt, resolves once a second read has decided it. */
  async isUp(): Promise<boolean> {
    if (!this.isSettled) await this.confirm();
    if (this.#isDoubted) await this.#reading;
    return !this.#isDown;
  }

  /** Keeps the versions current until `close`. */
  follow(): void {
    this.#isFollowing = true;
    void repeat(() => this.confirm(), POLL_MS, this.#closing.signal);
  }

  /** Ends `follow`. */
  async stop(): Promise<void> {
    this.#closing.abort();
    await this.#reading;
  }

  /** Reads the versions. What fails or is late is tried again over another connection before the database counts as down. */
  async #check(): Promise<void> {
    try {
      await inTime(this.#isDown ? DOUBT_MS : PATIENCE_MS, this.#read());
    } catch (error) {
      if (this.#isDown) this.#lastDownAt = performance.now();
      else await this.#checkAgain(error);
    }
  }

  async #checkAgain(first: unknown): Promise<void> {
    this.#isDoubted = true;
    try {
      await inTime(DOUBT_MS, this.#read());
    } catch {
      // The first answer has come meanwhile.
      if (this.isConfirmed) return;
      this.#isDown = true;
      this.#lastDownAt = performance.now();
      this.#log.warn({ err: first }, "the database is down: answers in memory are still sent");
    } finally {
      this.#isDoubted = false;
    }
  }

  async #read(): Promise<void> {
    const began = performance.now();
    const versions = await readDataVersions(this.#db);
    if (began < this.#confirmedAt) return;
    this.#confirmedAt = began;
    this.#current = versions;
    if (this.#isDown) this.#log.info("the database answers again");
    this.#isDown = false;
  }
}

/** Settles as the read does. @throws Error after that time; the read goes on */
function inTime(milliseconds: number, reading: Promise<void>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const cancel = afterRunning(milliseconds, () => reject(new Error(`no answer within ${milliseconds} ms`)));
  reading.then(resolve, reject).finally(cancel);
  return promise;
}
