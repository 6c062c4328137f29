import { once } from "node:events";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { runEvery, sleep } from "../../settings/timers.ts";
import type { Reach } from "../../web/egress/reach.ts";
import { ensurePartitions, withLockTimeout } from "../history/partitions.ts";
import type { Adapters } from "./adapter.ts";
import { createAsker, watchStalls } from "./asker.ts";
import { createOutbox } from "./outbox.ts";
import { listPolled, noteRefused, type WrittenPoll, writePolls } from "./queries.ts";
import { createRoster, type Member } from "./roster.ts";
import { createClock, slotAt } from "./schedule.ts";

export interface SessionOptions {
  readonly db: Knex;
  readonly log: Logger;
  /** The interval between polls of a server. */
  readonly intervalMs: number;
  loadAdapters(): Promise<Adapters>;
  /** Where the adapters may connect. */
  readonly reach: Reach;
}

const HOUR_MS = 3_600_000;
/** How long a query under way may take at the end. */
const ENDING_MS = 2_000;

/**
 * Polls until `ended` aborts: reads the list of servers, asks those that are due and writes their answers. The parts
 * run independently, so neither a slow database nor a silent server holds up the rest. Never rejects: failures are
 * logged once and tried again.
 */
export async function pollUntil(ended: AbortSignal, options: SessionOptions): Promise<void> {
  const { log, intervalMs } = options;
  const { makeRoom, readList, askDue, flush, close } = createSession(ended, options);
  const { listMs, askMs, flushMs } = rhythmOf(intervalMs);
  const loops = [
    runEvery(loggedOnce(log, "make room for records", makeRoom), intervalMs, ended),
    runEvery(loggedOnce(log, "read the list of servers", readList), listMs, ended),
    runEvery(loggedOnce(log, "ask servers", askDue), askMs, ended),
    runEvery(loggedOnce(log, "write what servers answered", flush), flushMs, ended),
  ];
  await Promise.race([finish(loops, flush), endingOf(ended)]);
  close();
}

function createSession(ended: AbortSignal, { db, log, intervalMs, loadAdapters, reach }: SessionOptions) {
  const clock = createClock();
  const stalls = watchStalls();
  const roster = createRoster(intervalMs, log);
  const outbox = createOutbox((findings, slot) => writePolls(db, findings, { slot, intervalMs }), note);
  const refuse = (member: Member, place: string) => noteRefused(db, member, place);
  const askDue = createAsker({ clock, roster, outbox, stalls, intervalMs, reach, refuse, log, ended });

  /** An hour ahead, so that it can wait for the next round while an import holds the locks. */
  async function makeRoom(): Promise<void> {
    const soon = new Date((clock.now() ?? Date.now()) + HOUR_MS);
    await withLockTimeout(db, (transaction) => ensurePartitions(transaction, [soon]));
  }

  async function readList(): Promise<void> {
    const sent = performance.now();
    const { now, servers } = await listPolled(db);
    clock.set(now, sent, performance.now());
    roster.update(servers, servers.length > 0 ? await loadAdapters() : {});
  }

  async function flush(): Promise<void> {
    const now = clock.now();
    if (now !== null) await outbox.flush(slotAt(now, intervalMs));
  }

  function note(poll: WrittenPoll, reason: string | null): void {
    const noted = roster.note(poll);
    if (!noted || noted.before === poll.status) return;
    const change = { server: noted.member.id, from: noted.before, to: poll.status };
    log.info(reason === null ? change : { ...change, reason }, "a server's status changed");
  }

  return { makeRoom, readList, askDue: async () => askDue(), flush, close: stalls.stop };
}

/**
 * Wraps work so that it never fails: logs the first of several failures in a row, and the first success after them.
 * @param what completes "could not …", as in "read the list of servers"
 */
export function loggedOnce(log: Logger, what: string, work: () => Promise<void>): () => Promise<void> {
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
function rhythmOf(intervalMs: number) {
  const share = (part: number, most: number) => Math.min(intervalMs / part, most);
  return { listMs: share(4, 5_000), askMs: share(50, 250), flushMs: share(20, 500) };
}

/** Writes what is known by now; the statement skips what another process has written meanwhile. */
async function finish(loops: Promise<void>[], flush: () => Promise<void>): Promise<void> {
  await Promise.all(loops);
  await flush().catch(() => undefined);
}

async function endingOf(ended: AbortSignal): Promise<void> {
  if (!ended.aborted) await once(ended, "abort");
  await sleep(ENDING_MS);
}
