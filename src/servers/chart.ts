import ejs from "ejs";
import { drawTicks, drawTimeAxis, FRAME, fixed, type TimeAxis } from "../words/charts/time-axis.ts";
import { type ChartData, computeScale, hasBand } from "./chart-data.ts";
import type { History, RangeName } from "./history/ranges.ts";
import type { LocaleWords } from "./locale-words.ts";
import { computePeriod, findSpans, type Period, type Span } from "./spans.ts";

/** The description names this many outages at most, because screen readers read all of it. */
const NAMED = 3;

/** Charts of longer buckets draw outages at their true width. */
const LONGEST_WIDENED_S = 1800;
/**
 * The minimum width of an outage, in units of the drawing. Narrower ones are filled, because hatching would not show.
 */
const LEAST_WIDTH = 2;
const LEAST_HATCHED = 4;
/** Less than this is written as 0. */
const THINNEST = 0.05;

/** The hatching of outages, which charts.css uses: recognizable without colour. */
const HATCH =
  '<defs><pattern id="chart-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">' +
  '<rect class="chart-hatch-ground" width="6" height="6"/><line class="chart-hatch-line" x1="0" x2="0" y1="0" y2="6"/>' +
  "</pattern></defs>";

/**
 * A server's history as SVG. Mean online is a line, over the band from lowest to highest if buckets are longer than
 * five minutes. The queue is a second line, outages are shaded spans, the maximum is a dashed line. Gaps stay empty.
 * Colours and sizes come from charts.css by class. All text from outside is escaped.
 */
export function drawChart(data: ChartData, words: LocaleWords): string {
  const { name, range, times, history, maxOnline } = data;
  const { t } = words;
  const scale = computeScale(data);
  const y = (count: number) => FRAME.base - (count / scale.top) * (FRAME.base - FRAME.top);
  const x = timeAxis(data);
  const stepX = FRAME.width / times.length;
  const title = t("servers.chart.title", { name, range: t(`servers.range.${range}.within`) });
  return [
    `<svg class="chart" viewBox="0 0 ${FRAME.width} ${FRAME.height}" role="img" aria-labelledby="chart-title chart-summary">`,
    `<title id="chart-title">${ejs.escapeXML(title)}</title>`,
    `<desc id="chart-summary">${describe(data, words)}</desc>`,
    HATCH,
    ...drawOutages(data, x, words),
    drawTimes(data, words),
    ...scale.lines.map((count) => drawGridLine(count, y(count), words)),
    ...(hasBand(range) ? drawBand(history, stepX, y) : drawArea(history.online, stepX, y)),
    ...drawLine(history.online, "online", stepX, y),
    ...drawLine(history.queue, "queue", stepX, y),
    ...drawMaximum(maxOnline, scale.top, y, words),
    "</svg>",
  ].join("");
}

function timeAxis({ times, intervalS }: ChartData): (time: number) => number {
  const from = times[0] ?? 0;
  return (time) => ((time - from) / (times.length * intervalS)) * FRAME.width;
}

/**
 * Outages have a least width, or a minute in a day would be too thin to see. In a month or a year that width would be
 * hours, and a server with a few bad minutes a day would look always offline. There, outages have their true width.
 */
function drawOutages(
  { range, intervalS, outages }: ChartData,
  x: (time: number) => number,
  { t, periodTag }: LocaleWords,
): string[] {
  const least = intervalS > LONGEST_WIDENED_S ? 0 : LEAST_WIDTH;
  return outages.flatMap((outage) => {
    const left = Math.max(0, x(outage.from));
    const width = Math.max(least, Math.min(FRAME.width, x(outage.to)) - left);
    if (left >= FRAME.width || x(outage.to) <= 0 || width < THINNEST) return [];
    // Browsers convert the times in a title or description to the viewer's zone, because they parse them as HTML.
    const title = `<title>${t("servers.chart.offline", { period: periodTag(outage, hasBand(range)) })}</title>`;
    const short = width < LEAST_HATCHED ? " is-short" : "";
    return [
      `<rect class="chart-outage${short}" x="${fixed(left)}" y="${FRAME.top}" width="${fixed(width)}" height="${FRAME.base - FRAME.top}">${title}</rect>`,
    ];
  });
}

/** Each run of known counts is a path. A run of one is a dot, because a line needs two points. */
function drawLine(
  counts: (number | null)[],
  kind: "online" | "queue",
  stepX: number,
  y: (count: number) => number,
): string[] {
  return findSpans(counts, isKnown).map((span) => {
    const points = computePoints(counts, span, stepX, y);
    const [x, level] = (points[0] ?? "").split(" ");
    if (points.length === 1) return `<circle class="chart-dot is-${kind}" cx="${x}" cy="${level}" r="2.5"/>`;
    return `<path class="chart-${kind}" d="M${points.join("L")}"/>`;
  });
}

/** The area under each run of the line. */
function drawArea(counts: (number | null)[], stepX: number, y: (count: number) => number): string[] {
  const spans = findSpans(counts, isKnown).filter(({ start, end }) => end - start > 1);
  return spans.map((span) => {
    const points = computePoints(counts, span, stepX, y);
    const [left, right] = [fixed((span.start + 0.5) * stepX), fixed((span.end - 0.5) * stepX)];
    return `<path class="chart-area" d="M${left} ${FRAME.base}L${points.join("L")}L${right} ${FRAME.base}Z"/>`;
  });
}

/** Runs along the highest counts and back along the lowest. A run of one is as wide as its bucket. */
function drawBand({ onlineMin, onlineMax }: History, stepX: number, y: (count: number) => number): string[] {
  return findSpans(onlineMax, isKnown).map((span) => {
    const [upper, lower] = [onlineMax, onlineMin].map((counts) => computePoints(counts, span, stepX, y));
    if (span.end - span.start > 1 && upper && lower) {
      return `<path class="chart-area" d="M${[...upper, ...lower.reverse()].join("L")}Z"/>`;
    }
    const [high, low] = [y(onlineMax[span.start] ?? 0), y(onlineMin[span.start] ?? 0)];
    return `<rect class="chart-area" x="${fixed(span.start * stepX)}" y="${fixed(high)}" width="${fixed(stepX)}" height="${fixed(low - high)}"/>`;
  });
}

function computePoints(
  counts: (number | null)[],
  { start, end }: Span,
  stepX: number,
  y: (count: number) => number,
): string[] {
  const known = counts.slice(start, end);
  return known.map((count, index) => `${fixed((start + index + 0.5) * stepX)} ${fixed(y(count ?? 0))}`);
}

function isKnown(count: number | null): boolean {
  return count !== null;
}

function drawGridLine(count: number, y: number, { number }: LocaleWords): string {
  const line = `<line class="chart-grid" x1="0" x2="${FRAME.width}" y1="${fixed(y)}" y2="${fixed(y)}"/>`;
  return `${line}<text class="chart-count" x="2" y="${fixed(y - 4)}">${number(count)}</text>`;
}

function drawMaximum(
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

/** What the axis of a range marks. Years consist of UTC days. */
const AXES = {
  "24h": { unit: "hour", every: 3 },
  "7d": { unit: "day", every: 1 },
  "30d": { unit: "day", every: 5 },
  "1y": { unit: "month", every: 1 },
} as const satisfies Record<RangeName, Pick<TimeAxis, "unit" | "every">>;

/** Vertical lines with the times of a range below them, in the viewer's time zone. */
function drawTimes({ range, times, intervalS }: ChartData, { locale, zone }: LocaleWords): string {
  const from = (times[0] ?? 0) * 1000;
  const axis = { from, to: from + times.length * intervalS * 1000, ...AXES[range] };
  return range === "1y" ? `<g>${drawTicks(axis, locale, "UTC")}</g>` : drawTimeAxis(axis, locale, zone);
}

/** Describes the chart in words, as HTML. The table below it has the exact figures. */
export function describe(data: Omit<ChartData, "name">, words: LocaleWords): string {
  const { range, times, intervalS, history, outages } = data;
  const { t } = words;
  if (history.up.every((up) => up === null)) return t("servers.chart.nothing");
  const gaps = findSpans(history.up, (up) => up === null).map((span) =>
    computePeriod(span, times, intervalS),
  );
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
