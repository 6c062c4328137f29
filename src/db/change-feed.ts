import type { Knex } from "knex";
import type { Logger } from "pino";
import { runEvery } from "../settings/timers.ts";
import type { Db } from "./connect.ts";
import { selectRow } from "./rows.ts";
import { withTimeout } from "./running-time.ts";
import { runAs } from "./work.ts";

/**
 * The versioned sources of responses. `servers` is only their list: figures and histories change all the time. The
 * version of `site` shows whether the site is a demo.
 */
export type Domain = "catalogue" | "relations" | "servers" | "shop" | "site";

/** Texts that differ whenever the data does. The shop's also differs when a discount starts or ends. */
export interface Versions extends Readonly<Record<Domain, string>> {
  /** The version of each kind of the catalogue; `catalogue` holds all of them. */
  readonly kinds: Readonly<Record<string, number>>;
  /** The kinds whose entries the shop sells, by their words such as `vehicle`. */
  readonly sold: readonly string[];
  /** How often the labels of categories and values in imported records have changed. */
  readonly words: number;
  /** When operators last saved settings of the site. */
  readonly settings: string;
  /** The API keys that ended, and the scopes of keys. A key that expires by the clock is no change. */
  readonly keys: string;
}

/** Maximum age of versions for serving a response. With its build, a response is at most a second old. */
const MAX_AGE_MS = 800;
const POLL_MS = 300;
/** How long a request waits for the versions. */
const PATIENCE_MS = 600;
/** Timeout of the second read, which decides whether the database is down. On a busy machine, connecting takes long. */
const DOUBT_MS = 2_000;
/** How long changes are kept: every process has read them by then. */
const NOTED = "1 hour";

/** The versions of the data, as one statement sees them. */
export async function readVersions(db: Db): Promise<Versions> {
  const row = await selectRow<Omit<Versions, "kinds">>(
    db,
    `select (select json_object_agg(kind, version order by kind)::text from catalogue_versions) as catalogue,
            (select concat_ws(' ', count(*), sum(id)) from relation_changes) as relations,
            (select concat_ws(' ', count(*), max(updated_at)) from servers) as servers,
            concat_ws(' ', (select concat_ws(' ', count(*), sum(id)) from shop_changes),
                      (select max(starts_at) from discounts where starts_at <= now()),
                      (select max(ends_at) from discounts where ends_at <= now())) as shop,
            array(select distinct entity_kind from donate_items where entity_kind is not null) as sold,
            coalesce((select value::text from settings where key = 'demo'), '') as site,
            coalesce((select (value #>> '{}')::int from settings where key = 'catalogue_words'), 0) as words,
            coalesce((select updated_at::text from settings where key = 'site'), '') as settings,
            (select concat_ws(' ', count(*), sum(id)) from key_changes) as keys`,
  );
  return { ...row, kinds: JSON.parse(row.catalogue) };
}

/** Removes changes that every process has read. The removal itself looks like a change. */
export async function removeOldChanges(db: Db): Promise<void> {
  for (const table of ["shop_changes", "relation_changes", "key_changes"])
    await db(table).whereRaw(`at < now() - interval '${NOTED}'`).delete();
}

export interface ChangeFeedOptions {
  readonly db: Knex;
  readonly log: Logger;
  /** Milliseconds that read versions are trusted; 0 reads them for each request. */
  readonly maxAgeMs?: number;
  /** Called after each run of a follower. */
  readonly noteRun?: ((follower: string, isDone: boolean) => void) | undefined;
}

/**
 * How a process learns what other processes changed: one statement reads the versions of all data, three times a second.
 * A cache compares the versions, or follows them. Failed reads also decide whether the database is down.
 */
export class ChangeFeed {
  readonly #options: ChangeFeedOptions;
  readonly #closing = new AbortController();
  readonly #followers: Follower[] = [];
  #versions: Versions | undefined;
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #keysChangedAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;
  /** Whether a read failed or is late, and the second read is still pending. */
  #isDoubted = false;
  #isDown = false;
  #lastDownAt = Number.NEGATIVE_INFINITY;
  #isStarted = false;
  #hasFollowed = false;

  constructor(options: ChangeFeedOptions) {
    this.#options = options;
  }

  /** The latest versions read; undefined before the first time. */
  get versions(): Versions | undefined {
    return this.#versions;
  }

  /** When the statement that read the versions began, by `performance.now()`. */
  get confirmedAt(): number {
    return this.#confirmedAt;
  }

  /** API keys that were read after this time, by `performance.now()`, are those of the latest versions. */
  get keysChangedAt(): number {
    return this.#keysChangedAt;
  }

  /** Whether the versions are recent enough to serve responses by them. */
  get isConfirmed(): boolean {
    return performance.now() - this.#confirmedAt < this.maxAgeMs;
  }

  /** Whether there is no reason to wait: the versions are recent, or the database is down and probed continuously. */
  get canAnswer(): boolean {
    return this.isConfirmed || (this.isSilent && this.#isStarted);
  }

  /** The maximum age of versions that responses are served by, in milliseconds. */
  get maxAgeMs(): number {
    return this.#options.maxAgeMs ?? MAX_AGE_MS;
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

  /**
   * Calls `work` after each read, never twice at once, so it has to compare the versions with those of its last run.
   * That also retries failed work; the first of several failures in a row is logged.
   * @param what completes "the process has to", for logs and metrics
   */
  follow(what: string, work: (versions: Versions) => Promise<void>): void {
    const { log, noteRun } = this.#options;
    let isFailing = false;
    const run = async () => {
      if (!this.#versions || this.#closing.signal.aborted) return;
      try {
        await runAs(() => ({ loop: what }), work.bind(null, this.#versions));
        isFailing = false;
      } catch (error) {
        if (!isFailing) log.warn({ err: error, loop: what }, "a change could not be followed");
        isFailing = true;
      }
      noteRun?.(what, !isFailing);
    };
    this.#followers.push({ running: Promise.resolve(), run });
  }

  /**
   * Reads the versions for all waiting requests. Never rejects; resolves after 0.6 s at most, even if they are still
   * old. Waits for the followers as well, but only the first time. A feed with a maximum age of 0 always waits for
   * them, so that its callers see their own changes. It also waits until it is clear whether the database is down.
   */
  async confirm(): Promise<void> {
    if (this.maxAgeMs === 0) await this.#check();
    else {
      // Awaits a stuck read again, because each new one would take another connection.
      this.#reading ??= this.#check().finally(() => {
        this.#reading = undefined;
      });
      await withTimeout(PATIENCE_MS, this.#reading).catch(() => undefined);
    }
    if (this.#hasFollowed) return;
    await this.#followed();
    this.#hasFollowed = this.#versions !== undefined && this.maxAgeMs > 0;
  }

  /** Reads the versions after a write of this process, so that its next responses show it. Never rejects. */
  async refresh(): Promise<void> {
    await withTimeout(PATIENCE_MS, this.#read()).catch(() => undefined);
  }

  /** True if the database is up. After a failed read, it waits for the second read to decide. */
  async isUp(): Promise<boolean> {
    if (!this.canAnswer) await this.confirm();
    if (this.#isDoubted) await this.#reading;
    return !this.#isDown;
  }

  /** Keeps the versions current until `stop`. Resolves as the first `confirm`. */
  async start(): Promise<void> {
    this.#isStarted = true;
    void runEvery(() => this.confirm(), POLL_MS, this.#closing.signal);
    await this.confirm();
  }

  /** Ends `start`, and waits for running followers. */
  async stop(): Promise<void> {
    this.#closing.abort();
    await this.#reading;
    await this.#followed();
  }

  async #followed(): Promise<void> {
    await Promise.all(this.#followers.map((follower) => follower.running));
  }

  /** Reads the versions. Retries a failed or late read over another connection before the database counts as down. */
  async #check(): Promise<void> {
    try {
      await withTimeout(this.#isDown ? DOUBT_MS : PATIENCE_MS, this.#read());
    } catch (error) {
      if (this.#isDown) this.#lastDownAt = performance.now();
      else await this.#checkAgain(error);
    }
  }

  async #checkAgain(first: unknown): Promise<void> {
    this.#isDoubted = true;
    try {
      await withTimeout(DOUBT_MS, this.#read());
    } catch {
      // The first read has succeeded meanwhile.
      if (this.isConfirmed) return;
      this.#isDown = true;
      this.#lastDownAt = performance.now();
      this.#options.log.warn({ err: first }, "the database is down: answers in memory are still sent");
    } finally {
      this.#isDoubted = false;
    }
  }

  async #read(): Promise<void> {
    const began = performance.now();
    // The read serves all requests, so it must not be attributed to the one that waits for it.
    const versions = await runAs(
      () => ({ loop: "read what changed" }),
      () => readVersions(this.#options.db),
    );
    if (began < this.#confirmedAt) return;
    this.#confirmedAt = began;
    // Another statement that began before this one ended may have seen an earlier state.
    if (versions.keys !== this.#versions?.keys) this.#keysChangedAt = performance.now();
    this.#versions = versions;
    if (this.#isDown) this.#options.log.info("the database answers again");
    this.#isDown = false;
    if (this.#closing.signal.aborted) return;
    for (const follower of this.#followers) follower.running = follower.running.then(follower.run);
  }
}

/** Work that follows the versions, one run after the other. */
interface Follower {
  /** Resolves when the last run has ended; never rejects. */
  running: Promise<void>;
  run(): Promise<void>;
}
