import { describe, expect, it } from "vitest";
import { formatFor } from "../../src/web/request/format.ts";
import { listTimeZones, zoneNamed } from "../../src/web/request/time-zones.ts";
import { plainSpaces } from "../helpers/html.ts";

describe("a time on a page", () => {
  it.each([
    // Summer time begins and ends: the same clock twice, told apart by the offset, and an hour that never was.
    ["America/New_York", "2026-11-01T05:30:00Z", "1 Nov 2026, 01:30 UTC-4"],
    ["America/New_York", "2026-11-01T06:30:00Z", "1 Nov 2026, 01:30 UTC-5"],
    ["America/New_York", "2026-03-08T06:59:59Z", "8 Mar 2026, 01:59 UTC-5"],
    ["America/New_York", "2026-03-08T07:00:00Z", "8 Mar 2026, 03:00 UTC-4"],
    // By half an hour only.
    ["Australia/Lord_Howe", "2026-04-04T14:59:00Z", "5 Apr 2026, 01:59 UTC+11"],
    ["Australia/Lord_Howe", "2026-04-04T15:00:00Z", "5 Apr 2026, 01:30 UTC+10:30"],
    ["Asia/Kathmandu", "2026-12-31T18:15:00Z", "1 Jan 2027, 00:00 UTC+5:45"],
    ["Pacific/Kiritimati", "2026-12-31T10:00:00Z", "1 Jan 2027, 00:00 UTC+14"],
    ["UTC", "2026-12-31T23:59:59Z", "31 Dec 2026, 23:59 UTC"],
    ["Africa/Abidjan", "2026-06-01T12:00:00Z", "1 Jun 2026, 12:00 UTC"],
  ])("in %s of %s is %s", (zone, at, text) => {
    expect(plainSpaces(formatFor("en", zone).time(at))).toBe(text);
    expect(plainSpaces(formatFor("en", zone).time(new Date(at)))).toBe(text);
  });

  it.each(["Nowhere/At_All", "+05:45", "", "Europe/Berlin\n", "__proto__", undefined])(
    "is UTC, and says so, in the zone %j, which is none",
    (zone) => {
      expect(plainSpaces(formatFor("en", zone).time("2026-11-21T14:05:00Z"))).toBe("21 Nov 2026, 14:05 UTC");
      expect(formatFor("en", zone).timeZone).toBeUndefined();
    },
  );
});

describe("a line of text", () => {
  it.each([
    ["en", "21\u00a0Nov\u00a02026, 14:05\u00a0UTC", "21\u00a0Nov\u00a02026"],
    ["ru", "21\u00a0нояб.\u00a02026\u00a0г., 14:05\u00a0UTC", "21\u00a0нояб.\u00a02026\u00a0г."],
  ] as const)(
    "breaks in a time in %s after the comma only, and in a date nowhere",
    (language, time, date) => {
      const format = formatFor(language);
      expect(format.time("2026-11-21T14:05:00Z")).toBe(time);
      expect(format.date("2026-11-21T14:05:00Z")).toBe(date);
    },
  );
});

describe("a share on a page", () => {
  it.each([
    ["en", "12.5%", "100%"],
    ["ru", "12,5\u00a0%", "100\u00a0%"],
  ] as const)("has its sign as %s writes it", (language, part, whole) => {
    expect(formatFor(language).share(0.1249)).toBe(part);
    expect(formatFor(language).share(1)).toBe(whole);
    expect(formatFor(language).share(null)).toBe("–");
  });

  it("says all or none of no share that is less or more", () => {
    const { share } = formatFor("en");
    expect([1 - 1 / 2160, 0.9999999, 0.0001, 0].map(share)).toEqual(["99.9%", "99.9%", "0.1%", "0%"]);
  });
});

describe("a figure among a record's attributes", () => {
  it.each([
    [0.12341, "0.12341", "0,12341"],
    [0.1 + 0.2, "0.30000000000000004", "0,30000000000000004"],
    [0.00000001, "0.00000001", "0,00000001"],
    [1234567.5, "1,234,567.5", "1 234 567,5"],
  ])("is shown to its last digit: %d", (value, english, russian) => {
    expect(formatFor("en").attribute(value)).toBe(english);
    expect(plainSpaces(formatFor("ru").attribute({ ratio: value }))).toBe(`Ratio: ${russian}`);
  });
});

describe("a date on a page", () => {
  it("is the same in every zone without a time", () => {
    const format = formatFor("en", "Pacific/Niue");
    expect(plainSpaces(format.attribute("2026-06-14"))).toBe("14 Jun 2026");
    for (const text of ["2026-13-14", "2026-02-31", "2026-02-29", "2026-06-14a", "2026-06", "12026-06-14"])
      expect(format.attribute(text)).toBe(text);
  });

  it("is the day that it was in the viewer's zone", () => {
    const at = "2026-12-31T18:15:00Z";
    expect(plainSpaces(formatFor("en", "Asia/Kathmandu").date(at))).toBe("1 Jan 2027");
    expect(plainSpaces(formatFor("en", "Pacific/Niue").date(at))).toBe("31 Dec 2026");
    expect(plainSpaces(formatFor("en", undefined).date(at))).toBe("31 Dec 2026");
  });
});

describe("zones", () => {
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

  it("are called by their places in Russian, and by their names in English", () => {
    expect(formatFor("ru", "Europe/Moscow").zoneName).toBe("Москва");
    expect(formatFor("en", "Europe/Moscow").zoneName).toBe("Europe/Moscow");
    for (const zone of ["UTC", "Etc/GMT+5"]) expect(formatFor("ru", zone).zoneName).toBe(zone);
  });
});
