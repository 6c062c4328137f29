import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createAxis } from "../../src/shop/price-chart.ts";
import { chooseTicks, type TimeAxis } from "../../src/words/charts/time-axis.ts";
import { intlLocale, type Language } from "../../src/words/i18n/languages.ts";

describe("times on the axis", () => {
  const texts = (from: string, to: string, zone: string, language: Language = "en") =>
    chooseTicks(createAxis(Date.parse(from), Date.parse(to)), intlLocale(language), zone).map(
      ({ text }) => text,
    );

  it("are hours, days or months, as the span is long", () => {
    expect(texts("2026-01-01T00:30Z", "2026-01-01T06:30Z", "UTC")).toEqual([
      "01:00",
      "02:00",
      "03:00",
      "04:00",
      "05:00",
      "06:00",
    ]);
    expect(texts("2026-01-01T00:30Z", "2026-01-05T06:30Z", "UTC")).toEqual([
      "2 Jan",
      "3 Jan",
      "4 Jan",
      "5 Jan",
    ]);
    expect(texts("2025-02-10T00:00Z", "2026-01-20T00:00Z", "UTC").slice(-4)).toEqual([
      "Oct",
      "Nov",
      "Dec",
      "2026",
    ]);
    expect(texts("2023-02-01T00:00Z", "2026-01-20T00:00Z", "UTC").slice(0, 4)).toEqual([
      "Apr",
      "Jul",
      "Oct",
      "2024",
    ]);
  });

  it("name the day where one begins among hours, also where there is little room", () => {
    const axis = createAxis(Date.parse("2026-01-01T13:00Z"), Date.parse("2026-01-02T20:00Z"));
    const ticks = chooseTicks(axis, "en-GB", "UTC");
    expect(ticks.map(({ text }) => text)).toEqual(["18:00", "2 Jan", "06:00", "12:00", "18:00"]);
    expect(ticks.filter(({ isMinor }) => !isMinor).map(({ text }) => text)).toEqual(["2 Jan", "12:00"]);
  });

  it("are in the reader's language", () => {
    expect(texts("2026-01-01T00:30Z", "2026-01-05T06:30Z", "UTC", "ru")[0]).toBe("2 янв.");
    expect(texts("2025-02-10T00:00Z", "2026-01-20T00:00Z", "UTC", "ru").slice(-2)).toEqual(["дек.", "2026"]);
  });

  it("are midnights of the zone, also when its days are not 24 hours long", () => {
    const axis = createAxis(Date.parse("2026-03-27T12:00Z"), Date.parse("2026-03-31T12:00Z"));
    const ticks = chooseTicks(axis, "en-GB", "Europe/Berlin");
    expect(ticks.map(({ time }) => new Date(time).toISOString())).toEqual([
      "2026-03-27T23:00:00.000Z",
      "2026-03-28T23:00:00.000Z",
      "2026-03-29T22:00:00.000Z",
      "2026-03-30T22:00:00.000Z",
    ]);
    expect(ticks.map(({ text }) => text)).toEqual(["28 Mar", "29 Mar", "30 Mar", "31 Mar"]);
  });

  it("begin a day that has no midnight when it begins, and name an hour once that the clocks show twice", () => {
    const ticksOf = (axis: TimeAxis, zone: string) =>
      chooseTicks(axis, "en-GB", zone).map(({ time, text }) => `${text} ${new Date(time).toISOString()}`);
    const egypt = { from: Date.parse("2026-04-22T12:00Z"), to: Date.parse("2026-04-25T12:00Z") };
    expect(ticksOf({ ...egypt, unit: "day", every: 1 }, "Africa/Cairo")).toEqual([
      "23 Apr 2026-04-22T22:00:00.000Z",
      "24 Apr 2026-04-23T22:00:00.000Z",
      "25 Apr 2026-04-24T21:00:00.000Z",
    ]);
    const york = { from: Date.parse("2026-11-01T03:30Z"), to: Date.parse("2026-11-01T08:30Z") };
    expect(ticksOf({ ...york, unit: "hour", every: 1 }, "America/New_York")).toEqual([
      "1 Nov 2026-11-01T04:00:00.000Z",
      "01:00 2026-11-01T05:00:00.000Z",
      "02:00 2026-11-01T07:00:00.000Z",
      "03:00 2026-11-01T08:00:00.000Z",
    ]);
  });

  it("are full hours where the zone is three quarters of an hour off", () => {
    const day = { from: Date.parse("2026-01-01T13:00Z"), to: Date.parse("2026-01-02T13:00Z") };
    const ticks = chooseTicks({ ...day, unit: "hour", every: 3 }, "en-GB", "Asia/Kathmandu");
    expect(ticks.map(({ text }) => text)).toEqual([
      "21:00",
      "2 Jan",
      "03:00",
      "06:00",
      "09:00",
      "12:00",
      "15:00",
    ]);
    expect(new Date(ticks[1]?.time ?? 0).toISOString()).toBe("2026-01-01T18:15:00.000Z");
    expect(ticks.filter(({ isStrong }) => isStrong).map(({ text }) => text)).toEqual(["2 Jan"]);
  });

  it("are there for a price that changed an hour ago, also where there is little room", () => {
    expect(texts("2026-01-01T13:20Z", "2026-01-01T14:00Z", "UTC")).toEqual([
      "13:25",
      "13:30",
      "13:35",
      "13:40",
      "13:45",
      "13:50",
      "13:55",
    ]);
    expect(texts("2025-12-31T23:20Z", "2026-01-01T01:00Z", "UTC")).toEqual([
      "23:30",
      "23:45",
      "1 Jan",
      "00:15",
      "00:30",
      "00:45",
    ]);
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 3 * 365 * 24 * 60 }), (minutes) => {
        const from = Date.parse("2026-01-01T00:23Z");
        const axis = createAxis(from, from + minutes * 60_000);
        const ticks = chooseTicks(axis, "ru", "Asia/Kathmandu");
        expect(ticks.length).toBeGreaterThanOrEqual(2);
        expect(ticks.filter(({ isMinor }) => !isMinor).length).toBeGreaterThanOrEqual(1);
        expect(ticks.length).toBeLessThan(15);
      }),
    );
  });

  it("are never so many that they run into each other", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3 * 365 * 24 }), (hours) => {
        const from = Date.parse("2026-01-01T00:20Z");
        const axis = createAxis(from, from + hours * 3_600_000);
        expect(chooseTicks(axis, "ru", "Asia/Kathmandu").length).toBeLessThan(15);
      }),
    );
  });
});
