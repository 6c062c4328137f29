import { setTimeout as delay } from "node:timers/promises";
import knex, { type Knex } from "knex";
import pg from "pg";
import { DatabaseAwayError } from "./failures.ts";
import { afterRunning, withTimeout } from "./running-time.ts";
import { type SilenceWatch, watchSilence } from "./silence.ts";

/** The first argument of queries: the pool or a transaction. */
export type Db = Knex;

export interface DbOptions {
  /** postgresql://user:password@host:port/database?sslmode=… as libpq understands it. */
  readonly url: string;
  /** The maximum number of connections, by default 10; idle ones are closed. */
  readonly poolMax?: number;
  /**
   * Whether the URL leads to a pooler that assigns connections to transactions. Then no state may outlive a
   * transaction: the pooler sets the session's settings (see pooler.ts), and no statement is prepared by name.
   */
  readonly isPooled?: boolean | undefined;
  /** The name in pg_stat_activity. */
  readonly applicationName?: string;
  /** Timeout of connecting, by default 4,000 ms. The wait for a free connection times out a second later. */
  readonly connectTimeoutMs?: number;
  /**
   * A query fails after this time, which includes the wait for a connection. Its connection is closed, since the response
   * may still come. Time during which this process was blocked does not count: on a busy machine the response may wait to
   * be read. No limit by default.
   */
  readonly limitMs?: number;
  /** While it reports the database down, queries fail at once. Connections from before are not reused. */
  readonly healthProbe?: HealthProbe;
  /** The server ends a query that takes longer (error 57014); 0, the default, for no limit. */
  readonly statementTimeoutMs?: number;
  /**
   * How long a query waits while the server is unreachable, 60,000 ms by default. If the server is reachable but does not
   * work on the query, it fails after some 3 s (see silence.ts).
   */
  readonly unreachableMs?: number;
  /** Sends independent queries of a transaction in one round trip. Not for COPY. */
  readonly pipeline?: boolean;
  /** Receives Knex's messages about broken connections, which would go to standard output. */
  readonly log?: (line: string) => void;
}

/** A health probe of the database, which runs continuously. */
export interface HealthProbe {
  readonly isDown: boolean;
  /** By `performance.now()`. */
  readonly lastDownAt: number;
}

const CONNECT_TIMEOUT_MS = 4_000;
/** Connecting times out first, because its error says more. */
const ACQUIRE_AFTER_MS = 1_000;
const UNREACHABLE_MS = 60_000;
/**
 * After this idle time the kernel probes the other side, and ends the connection after ten more seconds without a
 * reply. It does not probe while sent data is unconfirmed; silence.ts does, because Node cannot set TCP_USER_TIMEOUT.
 */
const KEEP_ALIVE_AFTER_MS = 10_000;
const CLOSE_MS = 1_000;
/** A pool hands out the connection that was used last, so the ones that only a burst needed are closed, with their memory. */
const IDLE_CLOSED_AFTER_MS = 5_000;

/** The watch of each pool, which also covers connections outside it, and whether a pooler is in front of it. */
const pools = new WeakMap<Knex, { readonly isPooled: boolean; readonly watch: SilenceWatch }>();

/**
 * A pool of connections, opened at the first query. Broken and silent connections leave the pool, so queries work again
 * once the server is back.
 *
 * Types: `bigint` becomes a number if that is exact, else a string; `numeric` and `date` become strings; `timestamptz`
 * a Date.
 */
export function createDb(options: DbOptions): Knex {
  const { log = () => undefined, healthProbe, limitMs, connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
  const connection = {
    connectionString: options.url,
    application_name: options.applicationName ?? "almanac",
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    types: typeParsers(),
    pipeline: options.pipeline ?? false,
  };
  const watch = watchSilence(connection, { unreachableMs: options.unreachableMs ?? UNREACHABLE_MS, log });
  const sql = options.isPooled ? "" : sessionSettings(options.statementTimeoutMs ?? 0);
  const madeAt = new WeakMap<pg.Client, number>();
  // If one connection is lost, the idle ones may be lost as well.
  let lostAt = Number.NEGATIVE_INFINITY;
  const db = knex({
    client: "pg",
    // Without a version, Knex queries it, and fails if it is not one of Postgres.
    version: "14",
    connection: connection as Knex.PgConnectionConfig,
    pool: {
      min: 0,
      max: options.poolMax ?? 10,
      idleTimeoutMillis: IDLE_CLOSED_AFTER_MS,
      createTimeoutMillis: connectTimeoutMs + ACQUIRE_AFTER_MS,
      validate: (client: pg.Client) => {
        // Node reports a closed socket late. Until then the next request would get its connection.
        if (client.connection.stream.destroyed) return false;
        return (madeAt.get(client) ?? 0) > Math.max(lostAt, healthProbe?.lastDownAt ?? lostAt);
      },
      afterCreate: (client: pg.Client, done: (error: Error | null, client: pg.Client) => void) => {
        madeAt.set(client, performance.now());
        if (!options.pipeline) takeTurns(client);
        if (options.isPooled) forgetNames(client);
        client.once("error", () => {
          lostAt = performance.now();
        });
        watch.begin(client, sql).then(
          () => done(null, client),
          (error) => done(error, client),
        );
      },
    },
    acquireConnectionTimeout: connectTimeoutMs + ACQUIRE_AFTER_MS,
    log: {
      debug: log,
      warn: log,
      error: log,
      deprecate: (method, alternative) => log(`${method}: ${alternative}`),
    },
  });
  pools.set(db, { isPooled: options.isPooled ?? false, watch });
  if (healthProbe) failFast(db, healthProbe);
  if (limitMs !== undefined) limitQueries(db, limitMs);
  return db;
}

/**
 * Runs set-up work on a connection of its own, because its backend would keep some 30 MB of caches that nobody needs
 * again.
 */
export async function withOwnConnection<Result>(
  options: Pick<DbOptions, "url" | "log">,
  work: (db: Knex) => Promise<Result>,
): Promise<Result> {
  const db = createDb({ ...options, poolMax: 1 });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

/** Lets queries of a pool fail at once while the database is known to be down. */
export function failFast(db: Knex, lookout: Pick<HealthProbe, "isDown">): void {
  const acquire: () => Promise<pg.Client> = db.client.acquireConnection.bind(db.client);
  db.client.acquireConnection = async () => {
    if (lookout.isDown) throw new DatabaseAwayError();
    return acquire();
  };
}

function limitQueries(db: Knex, limitMs: number): void {
  const left = new WeakMap<pg.Client, number>();
  const acquire: () => Promise<pg.Client> = db.client.acquireConnection.bind(db.client);
  db.client.acquireConnection = async () => {
    const began = performance.now();
    const acquiring = acquire();
    const client = await withTimeout(limitMs, acquiring, createLateError).catch((error) => {
      const release = (late: pg.Client) => db.client.releaseConnection(late);
      acquiring.then(release, () => undefined);
      throw error;
    });
    if (!left.has(client)) closeWhenLate(client, () => left.get(client) ?? limitMs);
    const waited = performance.now() - began;
    left.set(client, Math.max(limitMs - waited, limitMs / 4));
    return client;
  };
}

/**
 * Closes a connection once a response is late. pg's own `query_timeout` uses the clock: after a blocked event loop it
 * would discard a response that has arrived.
 */
function closeWhenLate(client: pg.Client, limitMs: () => number): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const late = () => client.connection.stream.destroy(createLateError());
  Object.assign(client, {
    query: (...args: unknown[]) => {
      const cancel = afterRunning(limitMs(), late);
      const callback = args.at(-1);
      if (typeof callback !== "function") {
        const answer = query(...args);
        void Promise.resolve(answer).then(cancel, cancel);
        return answer;
      }
      return query(...args.slice(0, -1), (...answer: unknown[]) => {
        cancel();
        callback(...answer);
      });
    },
  });
}

function createLateError(): Error {
  return Object.assign(new Error("the database did not answer in time"), { code: "ETIMEDOUT" });
}

/**
 * Sends a query once the one before it has its answer. pg 8 does so too, with a warning; version 9 will refuse the second
 * query. Knex starts the queries of a transaction as they are called, also several at once.
 */
function takeTurns(client: pg.Client): void {
  const query = (...args: unknown[]) => Reflect.apply(pg.Client.prototype.query, client, args);
  const waiting: (() => void)[] = [];
  let isBusy = false;
  const runNext = () => {
    const run = waiting.shift();
    isBusy = run !== undefined;
    run?.();
  };
  Object.assign(client, {
    query: (...args: unknown[]) => {
      const callback = args.at(-1);
      // COPY has no callback, and has its connection to itself.
      if (typeof callback !== "function") return query(...args);
      waiting.push(() =>
        query(...args.slice(0, -1), (...answer: unknown[]) => {
          runNext();
          callback(...answer);
        }),
      );
      if (!isBusy) runNext();
    },
  });
}

/**
 * Removes the names of statements. A named one is prepared for one connection, and the next transaction may get
 * another.
 */
function forgetNames(client: pg.Client): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const nameless = (statement: unknown) =>
    typeof statement === "object" && statement !== null && "name" in statement && !("submit" in statement)
      ? { ...statement, name: undefined }
      : statement;
  Object.assign(client, {
    query: (statement: unknown, ...more: unknown[]) => query(nameless(statement), ...more),
  });
}

/** A pool of pg's own with the same settings, for a library that does not use Knex. Failures go to `log`. */
export function createPgPool(
  db: Knex,
  { max, log = () => undefined }: { max: number; log?: (line: string) => void },
): pg.Pool {
  const watch = requireDirect(db);
  const pool = new pg.Pool({
    ...db.client.connectionSettings,
    max,
    onConnect: (connection) => watch.begin(connection, sessionSettings(0)),
  });
  // Without listeners a lost connection would end the process.
  pool.on("error", (error) => log(error.message));
  pool.on("connect", (connection) => connection.on("error", (error) => log(error.message)));
  return pool;
}

/** Opens a connection outside the pool, for state that lasts as long as a connection, such as a lock. */
export async function openConnection(db: Knex): Promise<pg.Client> {
  const watch = requireDirect(db);
  const connection: pg.Client = await db.client.acquireRawConnection();
  await watch.begin(connection, sessionSettings(0));
  return connection;
}

/**
 * Opens a connection outside the pool that may pause in the middle of a response, for example while a slow disk stores
 * the data. The watch for silence would close it.
 */
export async function openReader(db: Knex, applicationName: string): Promise<pg.Client> {
  requireDirect(db);
  const connection = new pg.Client({ ...db.client.connectionSettings, application_name: applicationName });
  // Without a listener a lost connection would end the process; its query fails anyway.
  connection.on("error", () => undefined);
  await connection.connect();
  return connection;
}

/** Closes a connection, by force if the server does not respond. */
export async function closeConnection(connection: pg.Client): Promise<void> {
  const ended = connection.end().catch(() => undefined);
  await Promise.race([ended, delay(CLOSE_MS, undefined, { ref: false })]);
  connection.connection.stream.destroy();
}

/** The watch of a pool. A pooler would keep locks and session settings on its connection, which other clients get next. */
function requireDirect(db: Knex): SilenceWatch {
  const pool = pools.get(db);
  if (!pool) throw new Error("this pool was not made by createDb");
  if (pool.isPooled) throw new Error("what lasts longer than a transaction wants a direct connection");
  return pool.watch;
}

function typeParsers() {
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, (text) =>
    Number.isSafeInteger(Number(text)) ? Number(text) : text,
  );
  // A date has no time zone; pg would turn it into midnight in the process's own.
  types.setTypeParser(pg.types.builtins.DATE, (text) => text);
  return types;
}

/**
 * Settings by SET, because poolers refuse start-up parameters. Without JIT, which takes longer than any query of the
 * site runs.
 */
function sessionSettings(statementTimeoutMs: number): string {
  return `set timezone to 'UTC'; set jit to off; set statement_timeout to ${Math.trunc(statementTimeoutMs)}`;
}
