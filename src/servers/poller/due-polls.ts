import pLimit from "p-limit";
import type { Logger } from "pino";
import { LARGEST_COUNT } from "../../records/values.ts";
import { onAbort } from "../../settings/timers.ts";
import type { EgressPolicy } from "../../web/egress/policy.ts";
import { type Adapter, type Answer, NO_FIGURES, type Target } from "./adapter.ts";
import type { Finding } from "./queries.ts";
import { type Clock, computeLimit, fitsIn, type Group, type Member, type Roster, slotAt } from "./roster.ts";

/** How many servers one statement stores. */
const BATCH = 500;

interface Entry {
  readonly slot: number;
  readonly finding: Finding;
}

interface Outbox {
  put(entry: Entry): void;
  /**
   * Writes the findings of this slot and drops older ones, because a record has the time of its writing. Findings that
   * could not be written stay for the next flush.
   * @throws what `write` throws
   */
  flush(slot: number): Promise<void>;
}

/** How many groups are polled at the same time. */
const CONCURRENCY = 64;

interface AskerParts {
  readonly clock: Clock;
  readonly roster: Roster;
  readonly outbox: Outbox;
  readonly stalls: Stalls;
  readonly intervalMs: number;
  readonly egress: EgressPolicy;
  /** Records for operators that a server is not polled, because its address is not allowed. */
  readonly refuse: (member: Member, place: string) => Promise<void>;
  readonly log: Logger;
  /** Aborts running polls without a result. */
  readonly ended: AbortSignal;
}

/**
 * Returns a function that polls every group that is due and puts the answers into the outbox. It does not wait for the
 * answers, so a slow server delays no other. A group that is too late gets a gap.
 */
export function createDuePolls(parts: AskerParts): () => void {
  const { clock, roster, outbox, stalls, intervalMs, egress, log, ended } = parts;
  const limit = pLimit(CONCURRENCY);
  let lateSlot: number | null = null;

  function pollDue(): void {
    const now = clock.now();
    if (now === null) return;
    const slot = slotAt(now, intervalMs);
    if (!fitsIn(slot, now, intervalMs)) return;
    for (const { group, members } of roster.due(slot, now)) {
      for (const member of members) member.polledSlot = slot;
      void limit(() => askGroup(group, members, slot));
    }
  }

  async function askGroup({ adapter }: Group, members: Member[], slot: number): Promise<void> {
    if (ended.aborted) return;
    if (!fitsIn(slot, clock.now() ?? 0, intervalMs)) {
      warnLate(slot);
      return;
    }
    const begun = performance.now();
    try {
      const targets = members.map(({ target }) => target);
      const ask = (signal: AbortSignal) => adapter.ask(targets, signal, egress);
      const answers = await askWithin(ask, targets, computeLimit(intervalMs), ended);
      const stalled = stalls.since(begun);
      for (const member of members) collect(member, answers.get(member.id), slot, stalled);
    } catch (error) {
      log.error({ err: error, servers: members.map(({ id }) => id) }, "an adapter failed");
    }
  }

  function collect(member: Member, answer: Answer | undefined, slot: number, stalled: boolean): void {
    if (!answer || (answer.kind === "missed" && stalled)) return;
    if (answer.kind === "refused") {
      refuse(member, answer.place);
      return;
    }
    member.refusedPlace = null;
    member.missReason = answer.kind === "missed" ? answer.reason : undefined;
    outbox.put({ slot, finding: toFinding(member, answer) });
  }

  /** Logs and stores a refusal once, until something about it changes. */
  function refuse(member: Member, place: string): void {
    if (member.refusedPlace === place) return;
    member.refusedPlace = place;
    log.warn(
      { server: member.id, address: place },
      "a server is not polled: its address is not on the Internet, and PRIVATE_ADDRESSES does not open it",
    );
    parts.refuse(member, place).catch((error) => {
      member.refusedPlace = null;
      log.warn(
        { err: error, server: member.id },
        "could not store that a server is not polled, trying again",
      );
    });
  }

  function warnLate(slot: number): void {
    if (lateSlot === slot) return;
    lateSlot = slot;
    log.warn("some servers could not be asked in time, their records have a gap");
  }

  return pollDue;
}

function toFinding({ number, definition }: Member, answer: Answer): Finding {
  const figures = answer.kind === "answered" ? answer.figures : NO_FIGURES;
  return {
    number,
    definition,
    answered: answer.kind === "answered",
    online: storable(figures.online),
    bots: storable(figures.bots),
    queue: storable(figures.queue),
    max_online: storable(figures.max_online),
    details: answer.kind === "answered" ? answer.details : undefined,
  };
}

/** Drops a figure that the database would refuse: it would fail the statement for all servers. */
function storable(figure: number | null): number | null {
  return Number.isInteger(figure) && figure !== null && figure >= 0 && figure <= LARGEST_COUNT
    ? figure
    : null;
}

const BEAT_MS = 100;
/** How late timers may fire; little compared to the 2 s that an answer usually has. */
const TOLERATED_MS = 500;

interface Stalls {
  /** True if the process stalled after `time`, as `performance.now()` gives it. */
  since(time: number): boolean;
  stop(): void;
}

/**
 * Detects when the process was busy or suspended. Timers then run before sockets are read, so every running poll times
 * out although its answer may be waiting: such a miss proves nothing.
 */
export function watchStalls(): Stalls {
  let lastBeat = performance.now();
  let stalledUntil = -Infinity;
  const beat = () => {
    const now = performance.now();
    if (now - lastBeat > TOLERATED_MS) stalledUntil = now;
    lastBeat = now;
  };
  const timer = setInterval(beat, BEAT_MS);
  timer.unref();
  return {
    since(time) {
      beat();
      return stalledUntil >= time;
    },
    stop: () => clearInterval(timer),
  };
}

/** An adapter has to return its results after this share of its time limit. */
const WARNING = 0.9;

/**
 * Polls the targets of one group. After the time limit they count as missed, whatever the adapter does. Resolves to no
 * answers when `ended` aborts.
 * @throws what the adapter throws: a bug of the adapter
 */
export async function askWithin(
  ask: (signal: AbortSignal) => ReturnType<Adapter["ask"]>,
  targets: readonly Target[],
  limitMs: number,
  ended: AbortSignal,
): Promise<Map<string, Answer>> {
  if (ended.aborted) return new Map();
  const asking = new AbortController();
  const { promise: cutOff, resolve: cut } = Promise.withResolvers<Map<string, Answer>>();
  // The adapter is aborted shortly before its time is up, and no longer waited for after that.
  const warning = setTimeout(() => asking.abort(), limitMs * WARNING);
  const limit = setTimeout(() => cut(missAll(targets, limitMs)), limitMs);
  const forget = onAbort(ended, () => cut(new Map()));
  try {
    const answers = await Promise.race([ask(asking.signal), cutOff]);
    return ended.aborted ? new Map() : answers;
  } finally {
    clearTimeout(warning);
    clearTimeout(limit);
    forget();
    asking.abort();
  }
}

function missAll(targets: readonly Target[], limitMs: number): Map<string, Answer> {
  const reason = `no answer within ${limitMs / 1000} s`;
  return new Map(targets.map(({ id }) => [id, { kind: "missed", reason }]));
}

/**
 * Findings that are not written yet, at most one for each server.
 * @param write resolves to the numbers of the servers that it wrote
 */
export function createOutbox(write: (findings: Finding[], slot: number) => Promise<number[]>): Outbox {
  const entries = new Map<number, Entry>();

  async function flush(slot: number): Promise<void> {
    for (const [number, entry] of entries) if (entry.slot < slot) entries.delete(number);
    const ready = [...entries.values()].filter((entry) => entry.slot === slot);
    for (let start = 0; start < ready.length; start += BATCH) {
      const batch = ready.slice(start, start + BATCH).map(({ finding }) => finding);
      for (const number of await write(batch, slot)) entries.delete(number);
    }
  }

  return { put: (entry) => void entries.set(entry.finding.number, entry), flush };
}
