import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { endText, exactLengthText, leftText, startText } from "../public/js/donate-words.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe("how long something still lasts", () => {
  it.each([
    [1, "less than a minute"],
    [MINUTE - 1, "less than a minute"],
    [MINUTE, "1 min"],
    [HOUR - 1, "59 min"],
    [HOUR, "1 h"],
    [3 * HOUR, "3 h"],
    [3 * HOUR + 20 * MINUTE, "3 h 20 min"],
    [6 * HOUR - 1, "5 h 59 min"],
    [6 * HOUR + 59 * MINUTE, "6 h"],
    [DAY - 1, "23 h"],
    [DAY, "1 day"],
    [DAY + HOUR - 1, "1 day"],
    [2 * DAY - 1, "1 day 23 h"],
    [2 * DAY, "2 days"],
    [30 * DAY - 1, "29 days"],
  ])("of %i ms is %s", (ms, text) => {
    expect(leftText(ms)).toBe(text);
    expect(endText(ms)).toBe(`ends in ${text}`);
    expect(startText(ms)).toBe(`starts in ${text}`);
  });

  it("is nothing once it is over, to the millisecond", () => {
    for (const ms of [0, -1, -DAY])
      expect([endText(ms), startText(ms)]).toEqual(["has ended", "has started"]);
  });

  it("is never said to be longer than it is, and less than two units' worth shorter", () => {
    const units: Record<string, number> = { min: MINUTE, h: HOUR, day: DAY, days: DAY };
    fc.assert(
      fc.property(fc.integer({ min: MINUTE, max: 400 * DAY }), (ms) => {
        const parts = [...leftText(ms).matchAll(/(\d+) (min|h|days?)/g)];
        const said = parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (units[unit] ?? 0), 0);
        expect(said).toBeLessThanOrEqual(ms);
        expect(ms - said).toBeLessThan(ms < 6 * HOUR ? MINUTE : ms < 2 * DAY ? HOUR : DAY);
      }),
    );
  });
});

describe("an exact length", () => {
  it.each([
    [30_000 - 1, "less than a minute"],
    [90 * MINUTE, "1 h 30 min"],
    [23 * HOUR, "23 h"],
    [DAY, "1 day"],
    [7 * DAY + HOUR + MINUTE, "7 days 1 h 1 min"],
  ])("of %i ms is %s", (ms, text) => {
    expect(exactLengthText(ms)).toBe(text);
  });
});
