/** The hours of a week as the heat map shows them: the server in UTC, the browser in the viewer's zone. */
import { roundShare } from "../words/text/share.ts";
import type { Words } from "./words.ts";

/** Weekdays as Intl names them for `clockOf`. Users see them in their language. */
const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const DAY_MS = 86_400_000;
const A_MONDAY = Date.UTC(2026, 0, 5);
const LEVELS = 6;

/** Start in epoch seconds, how many counts were measured in that hour, and their sum. */
export type HourOfCounts = [start: number, count: number, sum: number];

/** The data for the script that makes the hours local. */
export interface WeekFigures {
  /** Null if unknown. */
  maximum: number | null;
  hours: HourOfCounts[];
}

export interface WeekCell {
  /** Per cent of the maximum, or players without a maximum; null without measurements. */
  value: number | null;
  /** 0 (empty) to 5 (full). */
  level: number | null;
  text: string;
}

export interface Week {
  /** The minute when these hours begin in the zone; null if it is not the same for all. */
  minute: number | null;
  /** True if the values are per cent of the maximum. */
  shares: boolean;
  /** Monday first; 24 cells each. */
  days: { name: string; cells: WeekCell[] }[];
}

/**
 * Sorts hourly figures by weekday and hour of a time zone. Hours of UTC begin at half past in some zones: `minute` says
 * at which minute, and is null if that changed within these weeks (Lord Howe Island). An hour that a change of the
 * clocks repeats counts twice, one that it skips not at all.
 */
export function computeWeek(
  hours: HourOfCounts[],
  maximum: number | null,
  zone: string,
  { locale }: Pick<Words, "locale">,
): Week {
  const sums = DAYS.map(() => Array.from({ length: 24 }, () => ({ sum: 0, count: 0 })));
  const clock = createClock(zone);
  const minutes = new Set<number>();
  for (const [start, count, sum] of hours) {
    const { day, hour, minute } = clock(start);
    minutes.add(minute);
    const of = sums[day]?.[hour];
    if (!of) continue;
    of.sum += sum;
    of.count += count;
  }
  const means = sums.map((day) => day.map(({ sum, count }) => (count === 0 ? null : sum / count)));
  const names = new Intl.DateTimeFormat(locale, { weekday: "short", timeZone: "UTC" });
  const [minute = null, otherMinute] = minutes;
  const fullest = Math.max(1, ...means.flat().map((mean) => mean ?? 0));
  // Some servers report their number of players plus one as maximum, which does not say how full they were.
  const limit = maximum !== null && maximum >= fullest ? maximum : null;
  return {
    minute: otherMinute === undefined ? minute : null,
    shares: limit !== null,
    days: means.map((day, place) => ({
      name: names.format(A_MONDAY + place * DAY_MS),
      cells: day.map((mean) => createCell(mean, limit ?? fullest, limit)),
    })),
  };
}

/** Locates an epoch time in seconds in the week of a zone. */
function createClock(zone: string) {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  return (seconds: number) => {
    const parts = Object.fromEntries(
      format.formatToParts(seconds * 1000).map(({ type, value }) => [type, value]),
    );
    return { day: DAYS.indexOf(parts.weekday ?? ""), hour: Number(parts.hour), minute: Number(parts.minute) };
  };
}

function createCell(mean: number | null, whole: number, maximum: number | null): WeekCell {
  if (mean === null) return { value: null, level: null, text: "–" };
  const share = mean / whole;
  const value = maximum ? Math.round(roundShare(share, 0) * 100) : Math.round(mean);
  return { value, level: Math.min(LEVELS - 1, Math.floor(share * LEVELS)), text: String(value) };
}

/** `20`, or `20:30` if hours begin at half past. */
export function hourLabel(hour: number, minute: number | null): string {
  const two = (number: number) => String(number).padStart(2, "0");
  return minute ? `${two(hour)}:${two(minute)}` : two(hour);
}

/** The fullest and the emptiest time in words; blank while less than a day's worth of hours is known. */
export function roomText({ days, minute, shares }: Week, { t, number }: Words): string {
  const known = days.flatMap(({ name, cells }) =>
    cells.flatMap(({ value }, hour) =>
      value === null ? [] : [{ value, when: `${name} ${hourLabel(hour, minute).padEnd(5, ":00")}` }],
    ),
  );
  const ordered = known.sort((a, b) => a.value - b.value);
  const [emptiest, fullest] = [ordered[0], ordered.at(-1)];
  if (known.length < 24 || !emptiest || !fullest) return "";
  const figure = ({ value }: { value: number }) =>
    shares
      ? t("script.servers.week.full", { figure: number(value) })
      : t("script.servers.week.online", { figure: number(value) });
  return t("script.servers.week.room", {
    emptiest: emptiest.when,
    least: figure(emptiest),
    fullest: fullest.when,
    most: figure(fullest),
  });
}
