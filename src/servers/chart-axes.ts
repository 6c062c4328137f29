import ejs from "ejs";
import { FRAME, fixed } from "../words/charts/axes.ts";
import { drawTicks, drawTimeAxis, type TimeAxis } from "../words/charts/time-axis.ts";
import type { ChartData } from "./chart-data.ts";
import type { RangeName } from "./history/ranges.ts";
import type { LocaleWords } from "./locale-words.ts";

export function drawGridLine(count: number, y: number, { number }: LocaleWords): string {
  const line = `<line class="chart-grid" x1="0" x2="${FRAME.width}" y1="${fixed(y)}" y2="${fixed(y)}"/>`;
  return `${line}<text class="chart-count" x="2" y="${fixed(y - 4)}">${number(count)}</text>`;
}

export function drawMaximum(
  maxOnline: number | null,
  top: number,
  y: (count: number) => number,
  { t, number }: LocaleWords,
): string[] {
  if (maxOnline === null || maxOnline > top) return [];
  const at = fixed(y(maxOnline));
  const label = t("script.servers.chart.maximum", { figure: number(maxOnline) });
  return [
    `<line class="chart-maximum" x1="0" x2="${FRAME.width}" y1="${at}" y2="${at}"/>`,
    `<text class="chart-maximum-label" x="${FRAME.width - 2}" y="${fixed(y(maxOnline) - 8)}" text-anchor="end">` +
      `${ejs.escapeXML(label)}</text>`,
  ];
}

/** What the axis of a range marks. Years are made of days of UTC. */
const AXES = {
  "24h": { unit: "hour", every: 3 },
  "7d": { unit: "day", every: 1 },
  "30d": { unit: "day", every: 5 },
  "1y": { unit: "month", every: 1 },
} as const satisfies Record<RangeName, Pick<TimeAxis, "unit" | "every">>;

/** Vertical lines with the times of a range below them, by the clocks of the reader's zone. */
export function drawTimes({ range, times, intervalS }: ChartData, { locale, zone }: LocaleWords): string {
  const from = (times[0] ?? 0) * 1000;
  const axis = { from, to: from + times.length * intervalS * 1000, ...AXES[range] };
  return range === "1y" ? `<g>${drawTicks(axis, locale, "UTC")}</g>` : drawTimeAxis(axis, locale, zone);
}
