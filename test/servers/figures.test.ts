import { describe, expect, it } from "vitest";
import { listOutages, outagePeriods } from "../../src/servers/server-page.ts";
import { findSpans, type Period } from "../../src/servers/spans.ts";
import { writeTimes } from "../../src/web/request/time-texts.ts";
import { wordsIn } from "../helpers/words.ts";

const english = wordsIn("en");
const periodTextIn = ({ from, to }: Period, withDays: boolean, locale: string, zone = "UTC") =>
  writeTimes(locale, zone).periodText(new Date(from * 1000), new Date(to * 1000), withDays);
const periodText = (period: Period, withDays: boolean) => periodTextIn(period, withDays, "en-GB");

const START = Date.UTC(2026, 10, 21, 13, 0) / 1000;
const time = (minutes: number) => new Date((START + minutes * 60) * 1000);

describe("the outages of a page", () => {
  const outages = Array.from({ length: 60 }, (_, index) => ({
    from: time(index * 10),
    to: time(index * 10 + 5),
  }));

  it("are the newest fifty, newest first, and the number of the others", () => {
    const { rows, earlier } = listOutages(outages, null, english);
    expect(rows).toHaveLength(50);
    expect(rows[0]).toEqual({ from: time(590), to: time(595), length: "5\u00a0min" });
    expect(earlier).toBe(10);
  });

  it("lasted until the last poll while they go on", () => {
    const open = [{ from: time(0), to: null }];
    expect(listOutages(open, time(90), english).rows[0]).toEqual({
      from: time(0),
      to: null,
      length: "1\u00a0h 30\u00a0min",
    });
    expect(outagePeriods(open, time(90))).toEqual([{ from: START, to: START + 5400 }]);
  });
});

describe("spans", () => {
  it("are the longest runs", () => {
    expect(findSpans([1, 1, 0, 1], (entry) => entry === 1)).toEqual([
      { start: 0, end: 2 },
      { start: 3, end: 4 },
    ]);
    expect(findSpans([], () => true)).toEqual([]);
  });

  it("follow the clock, with days if they need them", () => {
    expect(periodText({ from: START, to: START + 300 }, false)).toBe("13:00–13:05 UTC");
    expect(periodText({ from: START, to: START + 300 }, true)).toBe("21 Nov 13:00–13:05 UTC");
    expect(periodText({ from: START, to: START + 86_400 }, true)).toBe("21 Nov 13:00 – 22 Nov 13:00 UTC");
    expect(periodText({ from: START, to: START + 86_100 }, false)).toBe("21 Nov 13:00 – 22 Nov 12:55 UTC");
    expect(periodText({ from: START + 39_000, to: START + 40_200 }, false)).toBe("23:50–00:10 UTC");
    expect(periodText({ from: START - 330 * 86_400, to: START }, true)).toBe(
      "26 Dec 2025 13:00 – 21 Nov 2026 13:00 UTC",
    );
    expect(periodTextIn({ from: START, to: START + 300 }, true, "ru")).toBe("21 нояб. 13:00–13:05 UTC");
  });

  it("are by the clocks of a zone, and name both offsets where these change in between", () => {
    const moscow = (period: Period, withDays: boolean) =>
      periodTextIn(period, withDays, "en-GB", "Europe/Moscow");
    expect(moscow({ from: START, to: START + 300 }, false)).toBe("16:00–16:05 UTC+3");
    // One day in UTC, two in Moscow.
    expect(moscow({ from: START + 7 * 3600, to: START + 9 * 3600 }, true)).toBe(
      "21 Nov 23:00 – 22 Nov 01:00 UTC+3",
    );
    const change = Date.parse("2026-03-29T01:00Z") / 1000;
    expect(periodTextIn({ from: change - 3600, to: change + 3600 }, false, "en-GB", "Europe/Berlin")).toBe(
      "01:00 UTC+1–04:00 UTC+2",
    );
  });
});
