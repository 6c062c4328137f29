import { expect, it } from "vitest";
import { quietUntil } from "../../src/notifications/email/digest-times.ts";

const night = { quietFrom: 23, quietUntil: 7, timeZone: "Asia/Kathmandu" };

it.each([
  // Kathmandu is 5:45 ahead of UTC.
  ["2026-11-25T17:14:59Z", undefined],
  ["2026-11-25T17:15:00Z", "2026-11-26T01:15:00.000Z"],
  ["2026-11-26T01:14:59Z", "2026-11-26T01:15:00.000Z"],
  ["2026-11-26T01:15:00Z", undefined],
])("at %s a night's quiet hours last until %s", (now, until) => {
  expect(quietUntil(night, new Date(now))?.toISOString()).toBe(until);
});

it("may be within a day, and of nobody who set none", () => {
  const noon = { quietFrom: 12, quietUntil: 14, timeZone: null };
  expect(quietUntil(noon, new Date("2026-11-25T13:59:00Z"))?.toISOString()).toBe("2026-11-25T14:00:00.000Z");
  expect(quietUntil(noon, new Date("2026-11-25T14:00:00Z"))).toBeUndefined();
  expect(quietUntil({ quietFrom: null, quietUntil: null, timeZone: null }, new Date())).toBeUndefined();
});

it("follow clocks that are put forward: the end that is skipped comes with the jump", () => {
  const berlin = { quietFrom: 1, quietUntil: 2, timeZone: "Europe/Berlin" };
  expect(quietUntil(berlin, new Date("2027-03-28T00:30:00Z"))?.toISOString()).toBe(
    "2027-03-28T01:00:00.000Z",
  );
});
