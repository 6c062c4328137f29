import { describe, expect, it } from "vitest";
import { localDay, nextDigestAt } from "../../src/notifications/email/digest-times.ts";

const next = (hour: number | null, timeZone: string | null, now: string) =>
  nextDigestAt(hour, timeZone, new Date(now)).toISOString().replace(":00.000Z", "Z");

describe("the user's hour comes next", () => {
  it.each([
    ["later today", 18, "Europe/Berlin", "2026-11-21T16:59Z", "2026-11-21T17:00Z"],
    ["tomorrow, once it has come", 18, "Europe/Berlin", "2026-11-21T17:00Z", "2026-11-22T17:00Z"],
    ["by UTC at 18, where neither was chosen", null, null, "2026-11-21T17:30Z", "2026-11-21T18:00Z"],
    ["by UTC, where the zone is not known", 18, "Atlantis/Capital", "2026-11-21T17:30Z", "2026-11-21T18:00Z"],
    ["14 hours ahead of UTC", 0, "Pacific/Kiritimati", "2026-11-21T09:30Z", "2026-11-21T10:00Z"],
    ["11 hours behind UTC", 23, "Pacific/Niue", "2026-11-21T09:30Z", "2026-11-21T10:00Z"],
    ["off by three quarters of an hour", 6, "Asia/Kathmandu", "2026-11-21T00:00Z", "2026-11-21T00:15Z"],
  ])("%s", (_name, hour, timeZone, now, expected) => {
    expect(next(hour, timeZone, now)).toBe(expected);
  });
});

describe("a clock that is put back", () => {
  it("is believed", () => {
    expect(next(18, "Europe/Paris", "2026-11-22T18:00Z")).toBe("2026-11-23T17:00Z");
    expect(next(18, "Europe/Paris", "2026-11-21T16:00Z")).toBe("2026-11-21T17:00Z");
  });
});

describe("where clocks change", () => {
  it("an hour that is left out comes when the clocks have jumped over it, and is back the day after", () => {
    expect(next(2, "Europe/Berlin", "2026-03-28T12:00Z")).toBe("2026-03-29T01:00Z");
    expect(next(2, "Europe/Berlin", "2026-03-29T01:00Z")).toBe("2026-03-30T00:00Z");
  });

  it("an hour that comes twice counts once", () => {
    expect(next(2, "Europe/Berlin", "2026-10-24T12:00Z")).toBe("2026-10-25T00:00Z");
    expect(next(2, "Europe/Berlin", "2026-10-25T00:00Z")).toBe("2026-10-26T01:00Z");
    expect(next(2, "Europe/Berlin", "2026-10-25T00:59Z")).toBe("2026-10-26T01:00Z");
  });

  it("every day of a year has the hour exactly once", () => {
    for (const [hour, timeZone] of [
      [2, "Europe/Berlin"],
      [0, "Africa/Cairo"],
      [1, "America/New_York"],
      [23, "America/Nuuk"],
      [2, "Australia/Lord_Howe"],
    ] as const) {
      const days: string[] = [];
      let at = new Date("2026-01-01T00:00:00Z");
      for (let count = 0; count < 365; count++) {
        at = nextDigestAt(hour, timeZone, at);
        days.push(localDay(at, timeZone));
      }
      const expected = Array.from({ length: 365 }, (_, day) => {
        const first = Date.parse(`${days[0]}T12:00:00Z`);
        return new Date(first + day * 86_400_000).toISOString().slice(0, 10);
      });
      expect(days, timeZone).toEqual(expected);
    }
  });
});

it("the day of the user is that of UTC where the zone is not known", () => {
  expect(localDay(new Date("2026-11-21T23:59:59Z"), "Atlantis/Capital")).toBe("2026-11-21");
});
