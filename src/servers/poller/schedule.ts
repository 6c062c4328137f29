import { createHash } from "node:crypto";

/** Shares of a slot: turns come in the first 55 %, who had to wait may begin 10 % later, … */
const PHASES = 0.55;
/** … an ask may take 25 %, and so many milliseconds at most, … */
const LIMIT = 0.25;
const LONGEST_LIMIT_MS = 15_000;
/** … and the rest is left for writing. */
const WRITING = 0.1;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** What decides when a server is asked next; times in epoch milliseconds. */
export interface Turn {
  /** Start of the slot in which it was last polled; null: never. */
  readonly lastSlot: number | null;
  /** Null unless it is offline. */
  readonly offlineSince: number | null;
}

/** Start of the slot that a time is in: slots follow one another from the epoch on, the same for all processes. */
export function slotAt(time: number, intervalMs: number): number {
  return Math.floor(time / intervalMs) * intervalMs;
}

/** How long after a slot's start a group is asked: its own, always the same, so that asks spread over the slot. */
export function phaseOf(key: string, intervalMs: number): number {
  const share = createHash("sha1").update(key).digest().readUInt32BE(0) / 2 ** 32;
  return share * PHASES * intervalMs;
}

/** Milliseconds after which an ask is a miss, whatever its adapter thinks of it. */
export function limitOf(intervalMs: number): number {
  return Math.min(LIMIT * intervalMs, LONGEST_LIMIT_MS);
}

/** Whether an ask that begins now can take all of its time and still be written in its slot. */
export function fitsIn(slot: number, now: number, intervalMs: number): boolean {
  return now >= slot && now + limitOf(intervalMs) <= slot + intervalMs * (1 - WRITING);
}

/** True when a server is to be asked in this slot. One that is long dead is asked less often, in whole slots. */
export function isDue({ lastSlot, offlineSince }: Turn, slot: number, intervalMs: number): boolean {
  // A slot of the future is a clock's that ran ahead when it was written.
  if (lastSlot === null || lastSlot > slot + intervalMs) return true;
  return slot - lastSlot >= periodOf(offlineSince, slot, intervalMs);
}

function periodOf(offlineSince: number | null, slot: number, intervalMs: number): number {
  const deadMs = offlineSince === null ? 0 : slot - offlineSince;
  const wanted = deadMs > 7 * DAY_MS ? HOUR_MS : deadMs > HOUR_MS ? 5 * MINUTE_MS : intervalMs;
  return Math.max(1, Math.floor(wanted / intervalMs)) * intervalMs;
}
