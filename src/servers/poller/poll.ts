import { once } from "node:events";
import type { Knex } from "knex";
import type pg from "pg";
import type { Logger } from "pino";
import { closeConnection, openConnection } from "../../db/connect.ts";
import type { Config } from "../../settings/config.ts";
import { onAbort, runEvery, sleep } from "../../settings/timers.ts";
import type { EgressPolicy } from "../../web/egress/policy.ts";
import { ensureRoomAhead } from "../history/roll-up.ts";
import type { Adapters } from "./adapter.ts";
import { createDuePolls, createOutbox, watchStalls } from "./due-polls.ts";
import { listPolled, noteRefused, writePolls } from "./queries.ts";
import { createClock, createRoster, type Member, slotAt } from "./roster.ts";

interface SessionOptions {
  readonly db: Knex;
  readonly log: Logger;
  /** The interval between polls of a server. */
  readonly intervalMs: number;
  loadAdapters(): Promise<Adapters>;
  readonly egress: EgressPolicy;
}

/** How long a running query may take when polling stops. */
const ENDING_MS = 2_000;

export type PollerOptions = Omit<SessionOptions, "loadAdapters"> & {
  /** The adapters; all of them by default. */
  readonly adapters?: Adapters;
};

/** The settings for polling. */
export function pollerSettings({
  pollIntervalS,
  privateAddresses,
}: Pick<Config, "pollIntervalS" | "privateAddresses">): Pick<PollerOptions, "intervalMs" | "egress"> {
  return { intervalMs: pollIntervalS * 1000, egress: { opened: privateAddresses } };
}

interface Poller {
  /** Aborts running polls, writes the known results and releases the lock, within a few seconds. */
  stop(): Promise<void>;
}

/**
 * Polls the servers that have an adapter. One of several processes polls, and the others wait for its lock. When the
 * lock is lost, as at a restart of the database, polling stops at once and the process waits for the lock again.
 */
export function startPoller({ adapters, ...options }: PollerOptions): Poller {
  // Loaded once there are servers to poll, because gamedig brings hundreds of games.
  const loadAdapters = async () => adapters ?? (await import("./adapters.ts")).ADAPTERS;
  const stopping = new AbortController();
  const stopped = seekLock({ ...options, loadAdapters }, stopping.signal);
  return {
    stop: async () => {
      stopping.abort();
      await stopped;
    },
  };
}

async function seekLock(options: SessionOptions, stopped: AbortSignal): Promise<void> {
  const { db, log, intervalMs } = options;
  const everyMs = Math.min(intervalMs / 4, 10_000);
  let isWaiting = false;
  const takeTurn = loggedOnce(log, "ask for the lock", async () => {
    const lock = await takePollLock(db);
    if (!lock && !isWaiting) log.info("another process polls the servers; waiting for its lock");
    isWaiting = lock === null;
    if (lock) turn = pollWith(lock, options, stopped);
  });
  let turn = Promise.resolve();
  while (!stopped.aborted) {
    await takeTurn();
    await turn;
    await sleep(everyMs, stopped);
  }
}

async function pollWith(lock: PollLock, options: SessionOptions, stopped: AbortSignal): Promise<void> {
  const ended = new AbortController();
  const end = () => ended.abort();
  onAbort(lock.lost, end);
  const forget = onAbort(stopped, end);
  options.log.info("polling the servers");
  await pollUntil(ended.signal, options);
  forget();
  if (!stopped.aborted) options.log.warn("polling stopped: the lock is lost");
  await lock.release();
}

/** Key of the advisory lock of the one process that polls: "alm poll" in ASCII, as a 64-bit number. */
const POLL_LOCK = "7020105905256492140";

/** The right to poll, held by a database connection of its own. */
interface PollLock {
  /** Aborts as soon as another process may hold the lock, because the connection is gone. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/**
 * Takes the lock of the process that polls; null when another holds it. Uses a connection of its own, so that the pool
 * keeps all of its connections. A killed process loses the lock with its connection; if its machine dies, Postgres
 * notices after half a minute. Its own machine then knows already, as it ends a dead connection after 20 seconds.
 */
export async function takePollLock(db: Knex): Promise<PollLock | null> {
  const connection = await openConnection(db);
  const lost = new AbortController();
  connection.on("error", () => lost.abort());
  connection.on("end", () => lost.abort());
  try {
    if (await tryLock(connection)) return { lost: lost.signal, release: () => closeConnection(connection) };
  } catch (error) {
    await closeConnection(connection);
    throw error;
  }
  await closeConnection(connection);
  return null;
}

async function tryLock(connection: pg.Client): Promise<boolean> {
  await connection.query(
    "set tcp_keepalives_idle to 10; set tcp_keepalives_interval to 5; set tcp_keepalives_count to 4",
  );
  const { rows } = await connection.query("select pg_try_advisory_lock($1) as taken", [POLL_LOCK]);
  return rows[0].taken;
}

/**
 * Polls until `ended` aborts: reads the list of servers, polls those that are due and writes their answers. The parts
 * run independently, so neither a slow database nor a silent server holds up the rest. Never rejects: failures are
 * logged once and retried.
 */
async function pollUntil(
  ended: AbortSignal,
  { db, log, intervalMs, loadAdapters, egress }: SessionOptions,
): Promise<void> {
  const clock = createClock();
  const stalls = watchStalls();
  const roster = createRoster(intervalMs, log);
  const outbox = createOutbox((findings, slot) => writePolls(db, findings, { slot, intervalMs }));
  const refuse = (member: Member, place: string) => noteRefused(db, member, place);
  const pollDue = createDuePolls({ clock, roster, outbox, stalls, intervalMs, egress, refuse, log, ended });
  const readList = async () => {
    const sent = performance.now();
    const { now, servers } = await listPolled(db);
    clock.set(now, sent, performance.now());
    roster.update(servers, servers.length > 0 ? await loadAdapters() : {});
  };
  const flush = async () => {
    const now = clock.now();
    if (now !== null) await outbox.flush(slotAt(now, intervalMs));
  };
  const { listMs, askMs, flushMs } = createRhythm(intervalMs);
  const every = (ms: number, what: string, work: () => Promise<void>) =>
    runEvery(loggedOnce(log, what, work), ms, ended);
  const loops = [
    every(intervalMs, "make room for records", () => ensureRoomAhead(db)),
    every(listMs, "read the list of servers", readList),
    every(askMs, "ask servers", async () => pollDue()),
    every(flushMs, "write what servers answered", flush),
  ];
  await Promise.race([finish(loops, flush), waitForEnd(ended)]);
  stalls.stop();
}

/**
 * Wraps work so that it never fails: logs the first of several failures in a row, and the first success after them.
 * @param what completes "could not …", as in "read the list of servers"
 */
function loggedOnce(log: Logger, what: string, work: () => Promise<void>): () => Promise<void> {
  let failing = false;
  return async () => {
    try {
      await work();
      if (failing) log.info(`polling: could ${what} again`);
      failing = false;
    } catch (error) {
      if (!failing) log.warn({ err: error }, `polling: could not ${what}, trying again`);
      failing = true;
    }
  };
}

/** How often each part runs, in milliseconds; faster for the short intervals of tests. */
function createRhythm(intervalMs: number) {
  const share = (part: number, most: number) => Math.min(intervalMs / part, most);
  return { listMs: share(4, 5_000), askMs: share(50, 250), flushMs: share(20, 500) };
}

/** Writes the results so far. The statement skips servers that another process has written meanwhile. */
async function finish(loops: Promise<void>[], flush: () => Promise<void>): Promise<void> {
  await Promise.all(loops);
  await flush().catch(() => undefined);
}

async function waitForEnd(ended: AbortSignal): Promise<void> {
  if (!ended.aborted) await once(ended, "abort");
  await sleep(ENDING_MS);
}
