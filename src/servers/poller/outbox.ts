import type { Finding, WrittenPoll } from "./queries.ts";

/** Servers of one statement. */
const BATCH = 500;

interface Entry {
  readonly slot: number;
  readonly finding: Finding;
  /** Why it was missed; null where it answered. */
  readonly reason: string | null;
}

export interface Outbox {
  put(entry: Entry): void;
  /**
   * Writes what was found in this slot, and forgets what was found before it: a record is of the time at which it is
   * written, or there is none. What could not be written stays for the next time.
   * @throws what `write` throws
   */
  flush(slot: number): Promise<void>;
}

/**
 * What was found and is not written yet, at most one finding of each server.
 * @param write resolves to those that it has written
 * @param written is told of each of them, with why it was missed
 */
export function createOutbox(
  write: (findings: Finding[], slot: number) => Promise<WrittenPoll[]>,
  written: (poll: WrittenPoll, reason: string | null) => void,
): Outbox {
  const entries = new Map<number, Entry>();

  async function flush(slot: number): Promise<void> {
    for (const [number, entry] of entries) if (entry.slot < slot) entries.delete(number);
    const ready = [...entries.values()].filter((entry) => entry.slot === slot);
    for (let start = 0; start < ready.length; start += BATCH) {
      await flushBatch(ready.slice(start, start + BATCH), slot);
    }
  }

  async function flushBatch(batch: Entry[], slot: number): Promise<void> {
    const reasons = new Map(batch.map(({ finding, reason }) => [finding.number, reason]));
    const polls = await write(
      batch.map(({ finding }) => finding),
      slot,
    );
    for (const poll of polls) {
      entries.delete(poll.number);
      written(poll, reasons.get(poll.number) ?? null);
    }
  }

  return { put: (entry) => void entries.set(entry.finding.number, entry), flush };
}
