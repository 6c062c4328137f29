import { createHash } from "node:crypto";

/** Shares of a slot: asks start in the first 55 %, those that had to wait up to 10 % later, … */
const PHASES = 0.55;
/** … an ask may take 25 %, … */
const LIMIT = 0.25;
const LONGEST_LIMIT_MS = 15_000;
/** … and the rest is for writing. */
const WRITING = 0.1;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Times are in epoch milliseconds. */
export interface Turn {
  /** Start of its last polled slot, or null. */
  readonly lastSlot: number | null;
  /** Null unless it is offline. */
  readonly offlineSince: number | null;
}

/** Start of the slot that a time is in. Slots count from the epoch, so they are the same for all processes. */
export function slotAt(time: number, intervalMs: number): number {
  return Math.floor(time / intervalMs) * intervalMs;
}

/** The delay of a group's poll within a slot: fixed for each group, so that polls spread over the slot. */
export function phaseOf(key: string, intervalMs: number): number {
  const share = createHash("sha1").update(key).digest().readUInt32BE(0) / 2 ** 32;
  return share * PHASES * intervalMs;
}

/** Milliseconds after which an ask is a miss, whatever its adapter does. */
export function limitOf(intervalMs: number): number {
  return Math.min(LIMIT * intervalMs, LONGEST_LIMIT_MS);
}

/** Whether an ask that starts now can take its full time and still be written in its slot. */
export function fitsIn(slot: number, now: number, intervalMs: number): boolean {
  return now >= slot && now + limitOf(intervalMs) <= slot + intervalMs * (1 - WRITING);
}

/**
 * True if a server is due in this slot. A server that has been offline for long is polled less often, in whole slots.
 */
export function isDue({ lastSlot, offlineSince }: Turn, slot: number, intervalMs: number): boolean {
  // A slot in the future was written by a clock that ran ahead.
  if (lastSlot === null || lastSlot > slot + intervalMs) return true;
  return slot - lastSlot >= periodOf(offlineSince, slot, intervalMs);
}

function periodOf(offlineSince: number | null, slot: number, intervalMs: number): number {
  const deadMs = offlineSince === null ? 0 : slot - offlineSince;
  const wanted = deadMs > 7 * DAY_MS ? HOUR_MS : deadMs > HOUR_MS ? 5 * MINUTE_MS : intervalMs;
  return Math.max(1, Math.floor(wanted / intervalMs)) * intervalMs;
}

/** The database's clock: slots follow it, whatever the clock of this machine says. */
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
