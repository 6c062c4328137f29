import type { ChartData } from "./chart-data.ts";
import type { LocaleWords } from "./locale-words.ts";
import { findSpans, type Period, periodOf } from "./spans.ts";

/** Listing every outage of a year would be too long to listen to. */
const NAMED = 3;

/** What the chart shows, in words, as HTML: texts of ours, figures and times. The exact figures are in the table below it. */
export function describe(data: Omit<ChartData, "name">, words: LocaleWords): string {
  const { range, times, intervalS, history, outages } = data;
  const { t } = words;
  if (history.up.every((up) => up === null)) return t("servers.chart.nothing");
  const gaps = findSpans(history.up, (up) => up === null).map((span) => periodOf(span, times, intervalS));
  const list = (periods: Period[]) => ({ periods: periodsText(periods, range !== "24h", words) });
  return [
    between(history.onlineMin, history.onlineMax, words),
    ...(outages.length === 0 ? [] : [t("servers.chart.outages", list(outages))]),
    ...(gaps.length === 0 ? [] : [t("servers.chart.gaps", list(gaps))]),
  ].join(" ");
}

function between(lows: (number | null)[], highs: (number | null)[], { t, number }: LocaleWords): string {
  const lowest = lows.filter((count) => count !== null);
  const highest = highs.filter((count) => count !== null);
  if (highest.length === 0) return t("servers.chart.no_counts");
  const [least, most] = [Math.min(...lowest), Math.max(...highest)];
  const values = { count: most, figure: number(most) };
  if (least === most) return t("servers.chart.always", values);
  return t("servers.chart.between", { ...values, least: number(least) });
}

function periodsText(all: Period[], withDays: boolean, { t, number, periodTag }: LocaleWords): string {
  const named = all.slice(-NAMED).map((period) => periodTag(period, withDays));
  const periods = named.join(", ");
  const count = all.length - named.length;
  return count === 0 ? periods : t("servers.chart.before", { count, figure: number(count), periods });
}
