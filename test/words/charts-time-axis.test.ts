import { describe, expect, it } from "vitest";
import { createAxis } from "../../src/shop/price-chart.ts";
import { chooseTicks } from "../../src/words/charts/time-axis.ts";
import { intlLocale, type Language } from "../../src/words/i18n/languages.ts";

describe("times on the axis", () => {
  const texts = (from: string, to: string, zone: string, language: Language = "en") =>
    chooseTicks(createAxis(Date.parse(from), Date.parse(to)), intlLocale(language), zone).map(
      ({ text }) => text,
    );

  it("are hours, days or months, as the span is long", () => {
    const hours = texts("2026-01-01T00:30Z", "2026-01-01T06:30Z", "UTC");
    expect(hours.join(", ")).toBe("01:00, 02:00, 03:00, 04:00, 05:00, 06:00");
    const days = texts("2026-01-01T00:30Z", "2026-01-05T06:30Z", "UTC");
    expect(days.join(", ")).toBe("2 Jan, 3 Jan, 4 Jan, 5 Jan");
    const months = texts("2025-02-10T00:00Z", "2026-01-20T00:00Z", "UTC");
    expect(months.join(", ")).toMatch(/Oct, Nov, Dec, 2026$/);
    const quarters = texts("2023-02-01T00:00Z", "2026-01-20T00:00Z", "UTC");
    expect(quarters.join(", ")).toMatch(/^Apr, Jul, Oct, 2024/);
  });

  it("name the day where one begins among hours, also where there is little room", () => {
    const axis = createAxis(Date.parse("2026-01-01T13:00Z"), Date.parse("2026-01-02T20:00Z"));
    const ticks = chooseTicks(axis, "en-GB", "UTC");
    expect(ticks.map(({ text }) => text)).toEqual(["18:00", "2 Jan", "06:00", "12:00", "18:00"]);
    expect(ticks.filter(({ isMinor }) => !isMinor).map(({ text }) => text)).toEqual(["2 Jan", "12:00"]);
  });

  it("are midnights of the zone, also when its days are not 24 hours long", () => {
    const axis = createAxis(Date.parse("2026-03-27T12:00Z"), Date.parse("2026-03-31T12:00Z"));
    const ticks = chooseTicks(axis, "en-GB", "Europe/Berlin");
    expect(ticks.map(({ time, text }) => `${text} ${new Date(time).toISOString().slice(5, 16)}`)).toEqual([
      ...["28 Mar 03-27T23:00", "29 Mar 03-28T23:00", "30 Mar 03-29T22:00", "31 Mar 03-30T22:00"],
    ]);
  });
});
