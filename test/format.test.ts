import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { formatFor, time } from "../src/http/format.ts";
import { listTimeZones, zoneNamed } from "../src/http/time-zones.ts";

describe("a time on a page", () => {
  it.each([
    // Summer time begins and ends: the same clock twice, told apart by the offset, and an hour that never was.
    ["America/New_York", "2026-11-01T05:30:00Z", "1 Nov 2026, 01:30 UTC-4"],
    ["America/New_York", "2026-11-01T06:30:00Z", "1 Nov 2026, 01:30 UTC-5"],
    ["America/New_York", "2026-03-08T06:59:59Z", "8 Mar 2026, 01:59 UTC-5"],
    ["America/New_York", "2026-03-08T07:00:00Z", "8 Mar 2026, 03:00 UTC-4"],
    ["Europe/Berlin", "2026-10-25T00:59:59Z", "25 Oct 2026, 02:59 UTC+2"],
    ["Europe/Berlin", "2026-10-25T01:00:00Z", "25 Oct 2026, 02:00 UTC+1"],
    ["Europe/London", "2026-03-29T00:59:59Z", "29 Mar 2026, 00:59 UTC"],
    ["Europe/London", "2026-03-29T01:00:00Z", "29 Mar 2026, 02:00 UTC+1"],
    // By half an hour only.
    ["Australia/Lord_Howe", "2026-04-04T14:59:00Z", "5 Apr 2026, 01:59 UTC+11"],
    ["Australia/Lord_Howe", "2026-04-04T15:00:00Z", "5 Apr 2026, 01:30 UTC+10:30"],
    // In the middle of the night of the day before.
    ["America/Sao_Paulo", "2018-11-04T02:59:00Z", "3 Nov 2018, 23:59 UTC-3"],
    ["America/Sao_Paulo", "2018-11-04T03:00:00Z", "4 Nov 2018, 01:00 UTC-2"],
    ["America/St_Johns", "2026-01-01T03:29:59Z", "31 Dec 2025, 23:59 UTC-3:30"],
    ["America/St_Johns", "2026-07-01T02:30:00Z", "1 Jul 2026, 00:00 UTC-2:30"],
    ["Asia/Kathmandu", "2026-12-31T18:15:00Z", "1 Jan 2027, 00:00 UTC+5:45"],
    ["Pacific/Kiritimati", "2026-12-31T10:00:00Z", "1 Jan 2027, 00:00 UTC+14"],
    ["Pacific/Niue", "2026-12-31T10:59:00Z", "30 Dec 2026, 23:59 UTC-11"],
    ["UTC", "2026-12-31T23:59:59Z", "31 Dec 2026, 23:59 UTC"],
    ["Africa/Abidjan", "2026-06-01T12:00:00Z", "1 Jun 2026, 12:00 UTC"],
  ])("in %s of %s is %s", (zone, at, text) => {
    expect(formatFor("en", zone).time(at)).toBe(text);
    expect(formatFor("en", zone).time(new Date(at))).toBe(text);
  });

  it("is UTC, and says so, where no zone is told", () => {
    expect(time("2026-11-21T14:05:00Z")).toBe("21 Nov 2026, 14:05 UTC");
    expect(formatFor("en", undefined).time("2026-11-21T14:05:00Z")).toBe("21 Nov 2026, 14:05 UTC");
    expect(formatFor("en", undefined).timeZone).toBeUndefined();
  });

  it.each(["Nowhere/At_All", "+05:45", "", "Europe/Berlin\n", "__proto__"])(
    "is UTC, and says so, in the zone %j, which is none",
    (zone) => {
      expect(formatFor("en", zone).time("2026-11-21T14:05:00Z")).toBe("21 Nov 2026, 14:05 UTC");
      expect(formatFor("en", zone).timeZone).toBeUndefined();
    },
  );
});

describe("a date on a page", () => {
  it("is the day that it was in the viewer's zone", () => {
    const at = "2026-12-31T18:15:00Z";
    expect(formatFor("en", "Asia/Kathmandu").date(at)).toBe("1 Jan 2027");
    expect(formatFor("en", "Pacific/Niue").date(at)).toBe("31 Dec 2026");
    expect(formatFor("en", undefined).date(at)).toBe("31 Dec 2026");
  });
});

/** The pairs of names that a source file holds. */
function renamedIn(file: string): string[] {
  const text = readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
  return [...text.matchAll(/"(\w+\/\w+)": "([\w/]+)"/g)].map(([, old, today]) => `${old} ${today}`);
}

describe("zones", () => {
  it("have the same names in the browser as here", () => {
    const here = renamedIn("src/http/time-zones.ts");
    expect(here.length).toBeGreaterThan(10);
    expect(renamedIn("public/js/times.js")).toEqual(here);
  });

  it("have the names of today, each of a zone that Intl knows", () => {
    const zones = listTimeZones();
    expect(zones[0]).toBe("UTC");
    for (const zone of zones) expect(zoneNamed(zone), zone).toBe(zone);
    for (const old of Intl.supportedValuesOf("timeZone")) expect(zones, old).toContain(zoneNamed(old));
  });

  it.each([
    ["europe/kyiv", "Europe/Kyiv"],
    ["Europe/Kiev", "Europe/Kyiv"],
    ["America/Buenos_Aires", "America/Argentina/Buenos_Aires"],
    ["Asia/Calcutta", "Asia/Kolkata"],
    ["Etc/GMT+5", "Etc/GMT+5"],
    ["utc", "UTC"],
    ["GMT+5", undefined],
    ["-03:00", undefined],
    ["Moon/Tranquillity", undefined],
    ["", undefined],
  ])("named %j is %j", (name, zone) => {
    expect(zoneNamed(name)).toBe(zone);
  });
});
