import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BuildTime } from "../src/search/build-time.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

const MILLION = 1_000_000;

/** A build as one of a million records runs, at so many seconds for all of it; yields what is foretold and what is left. */
function* build(seconds: number, paceMs?: number): Generator<{ told: number; left: number }> {
  const time = new BuildTime(paceMs);
  for (let step = 0; step < 100; step++) {
    const read = Math.round(Math.min(1, Math.max(0, (step - 28) / 61)) * MILLION);
    if (step <= 89) time.note({ read, records: MILLION });
    yield { told: time.remainingS, left: seconds * (1 - step / 100) };
    vi.advanceTimersByTime(seconds * 10);
  }
}

describe("the time that a build takes", () => {
  it.each([
    ["a fast machine", 8, undefined],
    ["a slow machine", 90, undefined],
    ["a machine that has built before", 12, 0.012],
  ])(
    "is foretold on %s: never too short by much once it reads, and by a half too long at most",
    (_, seconds, paceMs) => {
      const steps = [...build(seconds, paceMs)];
      for (const { told, left } of steps.slice(35)) {
        expect(told).toBeGreaterThanOrEqual(Math.floor(left));
        expect(told).toBeLessThanOrEqual(left * 1.5 + 1);
      }
    },
  );

  it("is known from the first moment where the machine has built before", () => {
    const [first] = build(12, 0.012);
    expect(first?.told).toBeGreaterThanOrEqual(12);
    expect(first?.told).toBeLessThanOrEqual(18);
  });

  it("grows with the number of records while nothing else is known", () => {
    const [small, large] = [new BuildTime(), new BuildTime()];
    small.note({ read: 0, records: 10_000 });
    large.note({ read: 0, records: MILLION });
    expect(small.remainingS).toBeLessThan(3);
    expect(large.remainingS).toBeGreaterThan(20);
  });

  it("is expected to double what it is late by, so that nobody asks every second", () => {
    const time = new BuildTime();
    time.note({ read: MILLION, records: MILLION });
    vi.advanceTimersByTime(60_000);
    expect(time.remainingS).toBeGreaterThan(30);
  });
});
