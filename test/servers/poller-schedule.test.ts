import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitsIn, isDue, limitOf, phaseOf, slotAt } from "../../src/servers/poller/roster.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 10, 21, 12);

describe("slots and phases", () => {
  it("slots are the same for every process: multiples of the interval since the epoch", () => {
    expect(slotAt(NOW + 59_999, MINUTE)).toBe(NOW);
    expect(slotAt(NOW + MINUTE, MINUTE)).toBe(NOW + MINUTE);
  });

  it("a phase is always the same and leaves time to answer and write in the slot", () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 10_000, max: 300_000 }), (key, intervalMs) => {
        const phase = phaseOf(key, intervalMs);
        expect(phase).toBe(phaseOf(key, intervalMs));
        expect(fitsIn(NOW, NOW + phase, intervalMs)).toBe(true);
        expect(phase + limitOf(intervalMs)).toBeLessThanOrEqual(0.8 * intervalMs);
      }),
    );
  });

  it("phases do not bunch, also of names that differ in one digit", () => {
    const seconds = new Map<number, number>();
    for (let index = 0; index < 300; index++) {
      const second = Math.floor(phaseOf(`10.0.0.1:${7000 + index}`, MINUTE) / 1000);
      seconds.set(second, (seconds.get(second) ?? 0) + 1);
    }
    expect(seconds.size).toBe(33);
    expect(Math.max(...seconds.values())).toBeLessThanOrEqual(20);
  });

  it("an ask begins only where all of its time and the writing fit into the slot", () => {
    expect(fitsIn(NOW, NOW, MINUTE)).toBe(true);
    expect(fitsIn(NOW, NOW + 39_000, MINUTE)).toBe(true);
    expect(fitsIn(NOW, NOW + 39_001, MINUTE)).toBe(false);
    expect(fitsIn(NOW, NOW - 1, MINUTE)).toBe(false);
  });
});

describe("the time of a server's next poll", () => {
  const due = (minutesAgo: number, offlineForMs: number | null, intervalMs = MINUTE) =>
    isDue(
      {
        lastSlot: NOW - minutesAgo * MINUTE,
        offlineSince: offlineForMs === null ? null : NOW - offlineForMs,
      },
      NOW,
      intervalMs,
    );

  it("at once when it never was", () => {
    expect(isDue({ lastSlot: null, offlineSince: null }, NOW, MINUTE)).toBe(true);
  });

  it.each([
    ["online", null, 1],
    ["offline for an hour", HOUR, 1],
    ["offline for longer than an hour", HOUR + 1, 5],
    ["offline for seven days", 7 * 24 * HOUR, 5],
    ["offline for longer than seven days", 7 * 24 * HOUR + 1, 60],
  ])("%s", (_, offlineForMs, minutes) => {
    expect(due(0, offlineForMs)).toBe(false);
    expect(due(minutes - 1, offlineForMs)).toBe(false);
    expect(due(minutes, offlineForMs)).toBe(true);
    expect(due(1_000, offlineForMs)).toBe(true);
  });

  it("never less often than in every slot of an interval that is longer than the pause", () => {
    expect(due(5, HOUR + 1, 5 * MINUTE)).toBe(true);
    // 45 s: every sixth slot, so that each five minutes of the history have a record.
    expect(due(4.5, HOUR + 1, 45_000)).toBe(true);
    expect(due(3.75, HOUR + 1, 45_000)).toBe(false);
  });

  it("also when its last slot is one of the future", () => {
    expect(due(-1, null)).toBe(false);
    expect(due(-2, null)).toBe(true);
  });
});
