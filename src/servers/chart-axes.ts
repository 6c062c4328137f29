import ejs from "ejs";
import { FRAME, fixed } from "../charts/axes.ts";
import type { RangeName } from "./history/ranges.ts";
import type { LocaleWords } from "./locale-words.ts";
import { clock, day } from "./spans.ts";

/** Labels closer to an edge would be cut off. */
const EDGE = 36;

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;

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

interface Tick {
  text: string;
  /** Left out where there is little room. */
  minor: boolean;
  /** The start of a larger unit: a day among hours. */
  strong: boolean;
}

/** Which bucket starts have a label, by range, in UTC. */
const TICKS: Record<RangeName, (time: number, locale: string) => Tick | undefined> = {
  "24h": (time, locale) => {
    if (time % (3 * HOUR_S) !== 0) return undefined;
    const strong = time % DAY_S === 0;
    return { text: strong ? day(time, locale) : clock(time), minor: time % (6 * HOUR_S) !== 0, strong };
  },
  "7d": (time, locale) => (time % DAY_S === 0 ? dayTick(time, 2, locale) : undefined),
  "30d": (time, locale) => (time % (5 * DAY_S) === 0 ? dayTick(time, 10, locale) : undefined),
  "1y": (time, locale) => {
    const date = new Date(time * 1000);
    if (date.getUTCDate() !== 1) return undefined;
    const [month, year] = [date.getUTCMonth(), date.getUTCFullYear()];
    return {
      text: month === 0 ? String(year) : monthText(date, locale),
      minor: month % 3 !== 0,
      strong: month === 0,
    };
  },
};

function dayTick(time: number, everyDays: number, locale: string): Tick {
  return { text: day(time, locale), minor: time % (everyDays * DAY_S) !== 0, strong: false };
}

/** Vertical lines with the times of a range below them. */
export function drawTimes(
  times: number[],
  range: RangeName,
  x: (time: number) => number,
  { locale }: LocaleWords,
): string[] {
  return times.flatMap((time) => {
    const tick = TICKS[range](time, locale);
    const at = fixed(x(time));
    if (!tick || x(time) < EDGE || x(time) > FRAME.width - EDGE) return [];
    const minor = tick.minor ? " is-minor" : "";
    const strong = tick.strong ? " is-midnight" : "";
    return [
      `<line class="chart-hour${minor}${strong}" x1="${at}" x2="${at}" y1="${FRAME.top}" y2="${FRAME.base}"/>` +
        `<text class="chart-hour-label${minor}" x="${at}" y="${FRAME.height - 10}" text-anchor="middle">${tick.text}</text>`,
    ];
  });
}

function monthText(date: Date, locale: string): string {
  return date.toLocaleDateString(locale, { month: "short", timeZone: "UTC" });
}
