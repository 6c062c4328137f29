import { describe, expect, it } from "vitest";
import { createHeatMap } from "../../src/servers/server-page.ts";
import {
  type HourOfCounts,
  hourLabel,
  roomText as roomTextIn,
  type Week,
  computeWeek as weekIn,
} from "../../src/servers/week.ts";
import { wordsIn } from "../helpers/words.ts";

const [english, russian] = [wordsIn("en"), wordsIn("ru")];

const HOUR_S = 3600;
const weekOf = (hours: HourOfCounts[], maximum: number | null, zone: string) =>
  weekIn(hours, maximum, zone, english);
const roomText = (week: Week) => roomTextIn(week, english);
/** A Monday, midnight of UTC, in winter. */
const MONDAY = Date.UTC(2026, 10, 16) / 1000;

function at(day: number, hour: number, count: number, sum: number): HourOfCounts {
  return [MONDAY + (day * 24 + hour) * HOUR_S, count, sum];
}

/** The cells that have a value, as `Mon 14: 50`. */
function told({ days }: Week): string[] {
  return days.flatMap(({ name, cells }) =>
    cells.flatMap(({ value }, hour) => (value === null ? [] : [`${name} ${hour}: ${value}`])),
  );
}

describe("the hours of a week", () => {
  it("are shares of the maximum, from all counts of that hour in all weeks", () => {
    const week = weekOf([at(0, 14, 10, 100), at(7, 14, 30, 1500), at(6, 23, 1, 100)], 100, "UTC");
    expect(told(week)).toEqual(["Mon 14: 40", "Sun 23: 100"]);
    expect(week).toMatchObject({ minute: 0, shares: true });
    expect(week.days[0]?.cells[14]).toEqual({ value: 40, level: 2, text: "40" });
    expect(week.days[6]?.cells[23]).toEqual({ value: 100, level: 5, text: "100" });
    expect(week.days[0]?.cells[15]).toEqual({ value: null, level: null, text: "–" });
  });

  it("are counts where there is no maximum, shaded by the highest", () => {
    const week = weekOf([at(0, 1, 2, 60), at(0, 2, 2, 10)], null, "UTC");
    expect(told(week)).toEqual(["Mon 1: 30", "Mon 2: 5"]);
    expect(week.shares).toBe(false);
    expect([1, 2].map((hour) => week.days[0]?.cells[hour]?.level)).toEqual([5, 1]);
    expect(weekOf([at(0, 1, 2, 0)], 0, "UTC").days[0]?.cells[1]).toMatchObject({ value: 0, level: 0 });
  });

  it("are counts where one is over the maximum, which was another then", () => {
    const week = weekOf([at(0, 1, 1, 40), at(0, 2, 1, 120)], 100, "UTC");
    expect(week.shares).toBe(false);
    expect(told(week)).toEqual(["Mon 1: 40", "Mon 2: 120"]);
    expect(week.days[0]?.cells[1]?.level).toBe(2);
  });

  it("are neither full nor empty by rounding", () => {
    expect(told(weekOf([at(0, 1, 1000, 996), at(0, 2, 1000, 4), at(0, 3, 100, 57)], 1, "UTC"))).toEqual([
      "Mon 1: 99",
      "Mon 2: 1",
      "Mon 3: 57",
    ]);
  });

  it("are those of another zone, where a day may be another", () => {
    const hours = [at(0, 23, 1, 10), at(1, 0, 1, 20)];
    expect(told(weekOf(hours, null, "America/New_York"))).toEqual(["Mon 18: 10", "Mon 19: 20"]);
    expect(told(weekOf(hours, null, "Asia/Tokyo"))).toEqual(["Tue 8: 10", "Tue 9: 20"]);
  });

  it("begin at half past in a zone of half hours, and say so", () => {
    const week = weekOf([at(0, 9, 1, 10), at(6, 20, 1, 20)], null, "Asia/Kolkata");
    expect(told(week)).toEqual(["Mon 1: 20", "Mon 14: 10"]);
    expect(week.minute).toBe(30);
    expect([hourLabel(14, week.minute), hourLabel(3, 0), hourLabel(3, null)]).toEqual(["14:30", "03", "03"]);
    expect(weekOf([at(0, 9, 1, 10)], null, "Asia/Kathmandu").minute).toBe(45);
  });

  it("follow the clocks: the hour that is repeated has two, the one that is skipped none", () => {
    const day = (date: number) =>
      Array.from({ length: 24 }, (_, hour): HourOfCounts => [date / 1000 + hour * HOUR_S, 1, hour]);
    // In Berlin, 25 October 2026 has 02:00 twice (00:00 and 01:00 of UTC) and 29 March has none.
    const autumn = weekOf(day(Date.UTC(2026, 9, 25)), null, "Europe/Berlin");
    expect(autumn.days[6]?.cells.slice(1, 4).map(({ value }) => value)).toEqual([null, 1, 2]);
    expect(
      weekOf(
        [
          [Date.UTC(2026, 9, 25, 0) / 1000, 1, 10],
          [Date.UTC(2026, 9, 25, 1) / 1000, 3, 10],
        ],
        null,
        "Europe/Berlin",
      ).days[6]?.cells[2]?.value,
    ).toBe(5);
    const spring = weekOf(day(Date.UTC(2026, 2, 29)), null, "Europe/Berlin");
    expect(spring.days[6]?.cells.slice(1, 5).map(({ value }) => value)).toEqual([0, null, 1, 2]);
  });

  it("claim no minute for all where a zone's changed by half an hour", () => {
    const before = Date.UTC(2026, 9, 3, 0) / 1000;
    const after = Date.UTC(2026, 9, 5, 0) / 1000;
    expect(
      weekOf(
        [
          [before, 1, 1],
          [after, 1, 1],
        ],
        null,
        "Australia/Lord_Howe",
      ).minute,
    ).toBeNull();
  });
});

describe("when there is room", () => {
  const week = Array.from({ length: 48 }, (_, hour) =>
    at(Math.floor(hour / 24), hour % 24, 1, hour === 28 ? 0 : 50 + hour),
  );

  it("is put into words once a day's worth of hours is known", () => {
    expect(roomText(weekOf(week, 200, "UTC"))).toBe(
      "Emptiest: Tue 04:00 (0% full). Fullest: Tue 23:00 (49% full).",
    );
    expect(roomText(weekOf(week, null, "Asia/Kolkata"))).toBe(
      "Emptiest: Tue 09:30 (0 online). Fullest: Wed 04:30 (97 online).",
    );
    expect(roomText(weekOf(week.slice(0, 23), 200, "UTC"))).toBe("");
    expect(roomTextIn(weekIn(week, 200, "UTC", russian), russian)).toBe(
      "Меньше всего игроков: вт 04:00 (занято 0\u00a0%). Больше всего: вт 23:00 (занято 49\u00a0%).",
    );
  });
});

describe("the heat map", () => {
  const hour = (start: number, onlineCount: number, onlineSum: number) => ({ start, onlineCount, onlineSum });

  it("is missing where nothing was counted", () => {
    expect(createHeatMap([hour(MONDAY, 0, 0)], 100, english)).toBeUndefined();
    expect(createHeatMap([], null, english)).toBeUndefined();
  });
});
