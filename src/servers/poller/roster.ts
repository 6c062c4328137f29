import { createHash } from "node:crypto";
import type { Logger } from "pino";
import { type Adapter, type Adapters, issuesText, type Target } from "./adapter.ts";
import type { PolledServer } from "./queries.ts";

/** Shares of a slot. Polls start in the first 55 %, delayed ones up to 10 % later, … */
const PHASES = 0.55;
/** … a poll may take 25 %, … */
const LIMIT = 0.25;
const LONGEST_LIMIT_MS = 15_000;
/** … and the rest is for writing. */
const WRITING = 0.1;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Times are in epoch milliseconds. */
interface Turn {
  /** Start of its last polled slot, or null. */
  readonly lastSlot: number | null;
  /** Null unless it is offline. */
  readonly offlineSince: number | null;
}

export interface Member extends PolledServer {
  target: Target;
  /** Start of its last slot in this process. */
  polledSlot: number | null;
  /** The server's network address, if the site must not connect to it and so does not poll it. */
  refusedPlace: string | null;
  /** Why its last poll missed it; undefined if it answered. */
  missReason: string | undefined;
}

/** Servers that one fetch polls together. */
export interface Group {
  readonly adapter: Adapter;
  readonly phaseMs: number;
  readonly members: Member[];
}

export interface Roster {
  /** Replaces the list with a newly read one. */
  update(servers: readonly PolledServer[], adapters: Adapters): void;
  /** The due groups of this slot, each with the members not yet polled in it. */
  due(slot: number, now: number): { group: Group; members: Member[] }[];
}

/** The servers to poll. A server whose adapter refuses its options is left out, with one warning. */
export function createRoster(intervalMs: number, log: Logger): Roster {
  let adapters: Adapters = {};
  let members = new Map<number, Member>();
  let groups: Group[] = [];
  let refused = new Map<number, string>();

  function update(servers: readonly PolledServer[], known: Adapters): void {
    adapters = known;
    const refusedBefore = refused;
    refused = new Map();
    const knownMembers = members;
    members = new Map();
    for (const server of servers) {
      const before = knownMembers.get(server.number);
      if (before?.definition === server.definition) {
        logChange(before, server);
        members.set(server.number, Object.assign(before, server));
      } else if (refusedBefore.get(server.number) === server.definition) refuse(server);
      else admit(server);
    }
    groups = groupMembers();
  }

  function admit(server: PolledServer): void {
    const { id, address, options } = server;
    const error = findDefinitionError(adapters[server.adapter], { id, address, options });
    if (error === null) {
      members.set(server.number, {
        ...server,
        target: { id, address, options },
        polledSlot: null,
        refusedPlace: null,
        missReason: undefined,
      });
      return;
    }
    refuse(server);
    log.warn(
      { server: id, adapter: server.adapter, fault: error },
      "a server cannot be polled as it is defined",
    );
  }

  function refuse({ number, definition }: PolledServer): void {
    refused.set(number, definition);
  }

  function groupMembers(): Group[] {
    const byKey = new Map<string, Group>();
    for (const member of members.values()) {
      const adapter = adapters[member.adapter];
      if (!adapter) continue;
      const key = `${member.adapter} ${adapter.groupOf(member.target)}`;
      const group = byKey.get(key) ?? { adapter, phaseMs: computePhase(key, intervalMs), members: [] };
      group.members.push(member);
      byKey.set(key, group);
    }
    return [...byKey.values()];
  }

  /** Polls a long-offline server with its group even if it is not due. */
  function due(slot: number, now: number) {
    const ready = groups.filter(
      ({ phaseMs, members }) =>
        now >= slot + phaseMs &&
        members.some((member) => isOpen(member, slot) && isDue(member, slot, intervalMs)),
    );
    return ready.map((group) => ({ group, members: group.members.filter((member) => isOpen(member, slot)) }));
  }

  /** Compares for difference, not for order: a clock may be set back. */
  function isOpen({ polledSlot, lastSlot }: Member, slot: number): boolean {
    return polledSlot !== slot && lastSlot !== slot;
  }

  function logChange({ id: server, status: from, missReason: reason }: Member, { status: to }: PolledServer) {
    if (from !== to) log.info({ server, from, to, ...(reason && { reason }) }, "a server's status changed");
  }

  return { update, due };
}

/** Why a server cannot be polled, or null. */
export function findDefinitionError(adapter: Adapter | undefined, target: Target): string | null {
  if (!adapter) return "there is no such adapter";
  const parsed = adapter.options.safeParse(target.options);
  if (!parsed.success) return issuesText(parsed.error);
  try {
    adapter.groupOf(target);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Start of the slot that a time is in. Slots count from the epoch, so they are the same for all processes. */
export function slotAt(time: number, intervalMs: number): number {
  return Math.floor(time / intervalMs) * intervalMs;
}

/** The delay of a group's poll within a slot: fixed for each group, so that polls spread over the slot. */
function computePhase(key: string, intervalMs: number): number {
  const share = createHash("sha1").update(key).digest().readUInt32BE(0) / 2 ** 32;
  return share * PHASES * intervalMs;
}

/** Milliseconds after which a poll is a miss, whatever its adapter does. */
export function computeLimit(intervalMs: number): number {
  return Math.min(LIMIT * intervalMs, LONGEST_LIMIT_MS);
}

/** Whether a poll that starts now can take its full time and still be written in its slot. */
export function fitsIn(slot: number, now: number, intervalMs: number): boolean {
  return now >= slot && now + computeLimit(intervalMs) <= slot + intervalMs * (1 - WRITING);
}

/**
 * True if a server is due in this slot. A server that has been offline for long is polled less often, in whole slots.
 */
export function isDue({ lastSlot, offlineSince }: Turn, slot: number, intervalMs: number): boolean {
  // A slot in the future was written by a clock that ran ahead.
  if (lastSlot === null || lastSlot > slot + intervalMs) return true;
  return slot - lastSlot >= computePeriod(offlineSince, slot, intervalMs);
}

function computePeriod(offlineSince: number | null, slot: number, intervalMs: number): number {
  const deadMs = offlineSince === null ? 0 : slot - offlineSince;
  const wanted = deadMs > 7 * DAY_MS ? HOUR_MS : deadMs > HOUR_MS ? 5 * MINUTE_MS : intervalMs;
  return Math.max(1, Math.floor(wanted / intervalMs)) * intervalMs;
}

/** The database's clock. Slots follow it instead of this machine's clock. */
export interface Clock {
  /** Epoch milliseconds; null before the first measurement. */
  now(): number | null;
  /** Sets it to a time that the database returned between two moments of `performance.now()`. */
  set(databaseNow: number, sent: number, received: number): void;
}

/** Between measurements it follows the process's monotonic clock, which nobody can set. */
export function createClock(): Clock {
  let offset: number | null = null;
  return {
    now: () => (offset === null ? null : performance.now() + offset),
    set: (databaseNow, sent, received) => {
      offset = databaseNow - (sent + received) / 2;
    },
  };
}
