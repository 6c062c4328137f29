import { describe, expect, it } from "vitest";
import { isDue } from "../../src/servers/poller/roster.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 10, 21, 12);

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
