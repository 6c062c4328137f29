import type { Finding, WrittenPoll } from "./queries.ts";

/** Servers of one statement. */
const BATCH = 500;

interface Entry {
  readonly slot: number;
  readonly finding: Finding;
  /** Why the server was missed; null where it answered. */
  readonly reason: string | null;
}

export interface Outbox {
  put(entry: Entry): void;
  /**
   * Writes the findings of this slot and drops older ones: a record has the time of its writing. What could not be
   * written stays for the next flush.
   * @throws what `write` throws
   */
  flush(slot: number): Promise<void>;
}

/**
 * Findings that are not written yet, at most one for each server.
 * @param write resolves to the servers that it wrote
 * @param written is called for each of them, with the reason of a miss
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
    const findings = batch.map(({ finding }) => finding);
    const polls = await write(findings, slot);
    for (const poll of polls) {
      entries.delete(poll.number);
      written(poll, reasons.get(poll.number) ?? null);
    }
  }

  return { put: (entry) => void entries.set(entry.finding.number, entry), flush };
}
