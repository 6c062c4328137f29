import type { Knex } from "knex";
import type { Logger } from "pino";
import { runEvery } from "../settings/timers.ts";
import type { Db } from "./connect.ts";
import { selectRow } from "./rows.ts";
import { afterRunning } from "./running-time.ts";

/**
 * The versioned sources of responses. `servers` is only their list: figures and histories change all the time. `site` is
 * whether the site is a demo.
 */
export type Domain = "catalogue" | "relations" | "servers" | "shop" | "site";

/** Texts that differ whenever the data does. The shop's also differs when a discount starts or ends. */
export type Versions = Readonly<Record<Domain, string>>;

/** How old versions may be to serve a response by them: with its build, a response is at most a second old. */
const MAX_AGE_MS = 800;
const POLL_MS = 300;
/** How long a request waits for the versions. */
const PATIENCE_MS = 600;
/** Timeout of the second read, which decides whether the database is down. On a busy machine, logging in takes long. */
const DOUBT_MS = 2_000;
/** How long changes are kept: every process has read them by then. */
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
            coalesce((select value::text from settings where key = 'demo'), '') as site`,
  );
}

/** Removes changes that every process has read; the removal looks like one more change. */
export async function removeOldChanges(db: Db): Promise<void> {
  for (const table of ["shop_changes", "relation_changes"])
    await db(table).whereRaw(`at < now() - interval '${NOTED}'`).delete();
}

export interface DataVersionsOptions {
  readonly db: Knex;
  readonly log: Logger;
  /** Milliseconds that read versions are trusted; 0 reads them for each request. */
  readonly maxAgeMs?: number;
}

/** A cache of the data's versions, at most 0.8 s old while the database is up. */
export class DataVersions {
  readonly #db: Knex;
  readonly #log: Logger;
  readonly #maxAgeMs: number;
  readonly #closing = new AbortController();
  #current: Versions | undefined;
  /** When the statement that read `#current` began, by `performance.now()`. */
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;
  /** Whether a read failed or is late, and the second read is still pending. */
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

  /** Whether the versions are recent enough to serve responses by them. */
  get isConfirmed(): boolean {
    return performance.now() - this.#confirmedAt < this.#maxAgeMs;
  }

  /** Whether there is nothing to wait for: the versions are recent, or the database is down and probed all the time. */
  get isSettled(): boolean {
    return this.isConfirmed || (this.isSilent && this.#isFollowing);
  }

  /** The maximum age of versions that responses are served by, in milliseconds. */
  get maxAgeMs(): number {
    return this.#maxAgeMs;
  }

  /** Whether the last query to the database failed or timed out. */
  get isSilent(): boolean {
    return this.#isDoubted || this.#isDown;
  }

  /** Whether the database is confirmed down: two reads in a row failed. */
  get isDown(): boolean {
    return this.#isDown;
  }

  /** When the database was last confirmed down, by `performance.now()`. */
  get lastDownAt(): number {
    return this.#lastDownAt;
  }

  /** The age of the versions, in seconds. */
  get ageS(): number {
    return Math.floor((performance.now() - this.#confirmedAt) / 1000);
  }

  /** Reads the versions for all waiting requests. Never rejects; resolves after 0.6 s at most, even if they are still old. */
  async confirm(): Promise<void> {
    // A pending read may have begun before a change that the caller made.
    if (this.#maxAgeMs === 0) return this.#check();
    // A stuck read is awaited again: each new one would take another connection.
    this.#reading ??= this.#check().finally(() => {
      this.#reading = undefined;
    });
    await inTime(PATIENCE_MS, this.#reading).catch(() => undefined);
  }

  /** True if the database is up. After a failed read, it waits for the second read to decide. */
  async isUp(): Promise<boolean> {
    if (!this.isSettled) await this.confirm();
    if (this.#isDoubted) await this.#reading;
    return !this.#isDown;
  }

  /** Keeps the versions current until `close`. */
  follow(): void {
    this.#isFollowing = true;
    void runEvery(() => this.confirm(), POLL_MS, this.#closing.signal);
  }

  /** Ends `follow`. */
  async stop(): Promise<void> {
    this.#closing.abort();
    await this.#reading;
  }

  /** Reads the versions. Retries a failed or late read over another connection before the database counts as down. */
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
      // The first read has succeeded meanwhile.
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

/** Settles like the read. @throws Error after the timeout, while the read continues */
function inTime(milliseconds: number, reading: Promise<void>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const cancel = afterRunning(milliseconds, () => reject(new Error(`no answer within ${milliseconds} ms`)));
  reading.then(resolve, reject).finally(cancel);
  return promise;
}
