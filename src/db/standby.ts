import { AsyncLocalStorage } from "node:async_hooks";
import type { Knex } from "knex";
import pg from "pg";
import type { Logger } from "pino";
import { createDb, type DbOptions } from "./connect.ts";
import { DatabaseSetupError, isDatabaseAway } from "./failures.ts";
import { selectRow } from "./rows.ts";

/** Limit for asking the standby how far it is. */
const ASK_MS = 300;
/** For so long what it said is believed, as it may go away. */
const BELIEVED_MS = 1_000;
/** A standby that lags is asked again after this time. */
const LAGS_MS = 20;
/** One that is away is left alone for this time. */
const AWAY_MS = 1_000;

/** By SQLSTATE: what a standby refuses and its primary does (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const READ_ONLY = "25006";
/** What the standby was reading was replayed away, as under a long query. */
const CONFLICT = "40001";

/**
 * Bytes of WAL of a primary: whoever has replayed as many knows all that others see as committed by now. Without
 * synchronous commits that may be in no file yet (https://www.postgresql.org/docs/current/wal-async-commit.html).
 */
export async function readWalPosition(db: Knex): Promise<number> {
  const { position } = await selectRow<{ position: number }>(
    db,
    `select (case current_setting('synchronous_commit')
               when 'off' then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end
             - '0/0'::pg_lsn)::bigint as position`,
  );
  return position;
}

/** Bytes of WAL that a standby has replayed; -1 on a server that follows none, as after its promotion. */
export async function readReplayed(db: Knex): Promise<number> {
  const { position } = await selectRow<{ position: number | null }>(
    db,
    `select case when pg_is_in_recovery()
            then (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint end as position`,
  );
  return position ?? -1;
}

/** @throws DatabaseSetupError where a server is no copy of the primary */
export async function requireCopy(standby: Knex, primary: Knex): Promise<void> {
  // A copy has the system's identifier and all numbers of its primary.
  const read = async (db: Knex) => {
    const { origin } = await selectRow<{ origin: string }>(
      db,
      `select concat_ws(' ', (select system_identifier from pg_control_system()),
                        (select oid from pg_database where datname = current_database())) as origin`,
    );
    return origin;
  };
  if ((await read(standby)) !== (await read(primary)))
    throw new DatabaseSetupError(
      "DATABASE_READ_URL leads to other data than DATABASE_URL: it wants a standby of that.",
    );
}

export interface StandbyOptions extends Pick<DbOptions, "url"> {
  /** `position` is how far the standby must be; undefined where that is not known yet. */
  readonly versions: { readonly position: number | undefined };
  readonly log: Logger;
}

/**
 * A standby that answers reads in place of its primary, as long as it is as far as the primary was when the versions
 * of the data were last read: then no answer is older than one of the primary, by which it would be remembered.
 * Otherwise, and where it fails, the primary is asked as without it.
 */
export class Standby {
  readonly #options: StandbyOptions;
  readonly #db: Knex;
  readonly #pools: Knex[] = [];
  readonly #reads = new AsyncLocalStorage<true>();
  #replayed = -1;
  #askedAt = Number.NEGATIVE_INFINITY;
  #askAgainAt = 0;
  #asking: Promise<void> | undefined;
  #isAway = false;

  constructor(options: StandbyOptions) {
    this.#options = options;
    this.#db = createDb({ ...this.#poolOptions, poolMax: 1, limitMs: ASK_MS, pipeline: true });
  }

  /** @throws DatabaseSetupError where it is no copy of the primary; one that is away is not waited for */
  async require(primary: Knex): Promise<void> {
    await requireCopy(this.#db, primary).catch((error: unknown) => {
      if (error instanceof DatabaseSetupError) throw error;
      this.#noteAway(error);
    });
  }

  /** Calls something; what it reads, and what it starts reads, may come from the standby. */
  serve(call: () => void): void {
    this.#reads.run(true, call);
  }

  /** Lets the standby take the reads of a pool that are made within `serve`. Returns its own pool for them; `stop` closes it. */
  relieve(pool: Knex, options: Omit<DbOptions, "url">): Knex {
    const own = createDb({ ...options, ...this.#poolOptions });
    this.#pools.push(own);
    const borrowed = new WeakSet<pg.Client>();
    const { client } = pool;
    const acquire: () => Promise<pg.Client> = client.acquireConnection.bind(client);
    const release: (connection: pg.Client) => unknown = client.releaseConnection.bind(client);
    const query: (connection: pg.Client, asked: object) => Promise<object> = client._query.bind(client);
    client.acquireConnection = async () => {
      const connection =
        this.#reads.getStore() && (await this.#isCaughtUp()) ? await this.#borrow(own) : undefined;
      if (!connection) return acquire();
      borrowed.add(connection);
      return connection;
    };
    client.releaseConnection = (connection: pg.Client) =>
      borrowed.delete(connection) ? own.client.releaseConnection(connection) : release(connection);
    // Not used within transactions, which have a client of their own.
    client._query = async (connection: pg.Client, asked: object) => {
      if (!borrowed.has(connection)) return query(connection, asked);
      try {
        return await query(connection, asked);
      } catch (error) {
        if (!this.#isOnlyTheStandbys(error)) throw error;
        const direct = await acquire();
        return query(direct, asked).finally(() => release(direct));
      }
    };
    return own;
  }

  /** Closes all connections to the standby. */
  async stop(): Promise<void> {
    await Promise.all([this.#db, ...this.#pools].map((pool) => pool.destroy()));
  }

  get #poolOptions() {
    const { url, log } = this.#options;
    return { url, applicationName: "almanac reads", log: (line: string) => log.debug(line) };
  }

  async #borrow(own: Knex): Promise<pg.Client | undefined> {
    return own.client.acquireConnection().catch((error: unknown) => this.#noteAway(error));
  }

  /** Whether the primary would do what the standby failed to. */
  #isOnlyTheStandbys(error: unknown): boolean {
    if (isDatabaseAway(error)) {
      this.#noteAway(error);
      return true;
    }
    return error instanceof pg.DatabaseError && (error.code === READ_ONLY || error.code === CONFLICT);
  }

  async #isCaughtUp(): Promise<boolean> {
    const wanted = this.#options.versions.position;
    if (wanted === undefined) return false;
    const isKnown = () => this.#replayed >= wanted && performance.now() - this.#askedAt < BELIEVED_MS;
    if (isKnown()) return true;
    if (performance.now() < this.#askAgainAt) return false;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    await this.#asking;
    return isKnown();
  }

  async #ask(): Promise<void> {
    const askedAt = performance.now();
    try {
      this.#replayed = await readReplayed(this.#db);
      this.#askedAt = askedAt;
      this.#askAgainAt = performance.now() + LAGS_MS;
      if (this.#isAway) this.#options.log.info("the standby answers again");
      this.#isAway = false;
    } catch (error) {
      this.#noteAway(error);
    }
  }

  #noteAway(error: unknown): undefined {
    this.#replayed = -1;
    this.#askAgainAt = performance.now() + AWAY_MS;
    if (!this.#isAway)
      this.#options.log.warn({ err: error }, "the standby is away: the primary answers its reads");
    this.#isAway = true;
    return undefined;
  }
}
