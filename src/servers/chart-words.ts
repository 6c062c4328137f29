import { grouped } from "../../public/js/servers-words.js";
import type { ChartData } from "./chart.ts";
import type { RangeName } from "./history/ranges.ts";
import { findSpans, type Period, periodOf, periodText } from "./spans.ts";

/** `in the last …` */
export const RANGE_WORDS: Record<RangeName, string> = {
  "24h": "24 hours",
  "7d": "7 days",
  "30d": "30 days",
  "1y": "year",
};

/** A text that lists every outage of a year is one that nobody hears to its end. */
const NAMED = 3;

/** What the chart shows, in words; the exact figures are in the table below it. */
export function describe({ range, times, intervalS, history, outages }: Omit<ChartData, "name">): string {
  if (history.up.every((up) => up === null)) return "Nothing was measured.";
  const gaps = findSpans(history.up, (up) => up === null).map((span) => periodOf(span, times, intervalS));
  const withDays = range !== "24h";
  return [
    between(history.onlineMin, history.onlineMax),
    ...sentence("Offline", outages, withDays),
    ...sentence("Not measured", gaps, withDays),
  ].join(" ");
}

function between(lows: (number | null)[], highs: (number | null)[]): string {
  const lowest = lows.filter((count) => count !== null);
  const highest = highs.filter((count) => count !== null);
  if (highest.length === 0) return "No online counts are known.";
  const [least, most] = [Math.min(...lowest), Math.max(...highest)];
  if (least === most) return `Whenever it was online, ${grouped(most)} players were.`;
  return `Between ${grouped(least)} and ${grouped(most)} players were online.`;
}

function sentence(what: string, periods: Period[], withDays: boolean): string[] {
  if (periods.length === 0) return [];
  const named = periods.slice(-NAMED).map((period) => periodText(period, withDays));
  const earlier = periods.length - named.length;
  const more = earlier === 0 ? "" : ` and ${earlier === 1 ? "once" : `${earlier} times`} before`;
  return [`${what}: ${named.join(", ")}${more}.`];
}
