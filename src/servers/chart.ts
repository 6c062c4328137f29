import ejs from "ejs";
import { BUCKETS, type History } from "./history.ts";
import { clock, findSpans, type Span, spanText } from "./spans.ts";

const WIDTH = 720;
const TOP = 20;
const BASE = 270;
const HEIGHT = 306;
const STEP_X = WIDTH / BUCKETS;

/** Labels nearer to an edge than this would be cut off. */
const EDGE = 36;

const DAY_S = 86_400;
const LABEL_S = 3 * 3600;

export interface ChartData {
  name: string;
  /** Starts of the buckets, in epoch seconds. */
  times: number[];
  history: History;
  maxOnline: number | null;
}

/**
 * A server's 24 hours as SVG: online as a line over an area, queue as a second line, outages as shaded spans, the
 * maximum as a dashed line. What nobody measured stays empty: no line is drawn across it. Colours and sizes come from
 * charts.css by class. All text from outside is escaped.
 */
export function drawChart({ name, times, history, maxOnline }: ChartData): string {
  const scale = chooseScale(highest(history), maxOnline);
  const y = (count: number) => BASE - (count / scale.top) * (BASE - TOP);
  const title = `Players on ${name} in the last 24 hours`;
  return [
    `<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="chart-title chart-summary">`,
    `<title id="chart-title">${ejs.escapeXML(title)}</title>`,
    `<desc id="chart-summary">${ejs.escapeXML(describe(times, history))}</desc>`,
    ...drawOutages(times, history),
    ...drawHours(times),
    ...scale.lines.map((count) => drawGridLine(count, y(count))),
    ...drawSeries(history.online, y, "online"),
    ...drawSeries(history.queue, y, "queue"),
    ...drawMaximum(maxOnline, scale.top, y),
    "</svg>",
  ].join("");
}

/** A row's 24 hours of online counts, without axes; the figures stand beside it. Gaps and outages as in the chart. */
export function drawSparkline(history: History): string {
  const height = 32;
  const top = highest(history.online);
  const y = (count: number) => Math.round(height - 2 - (count / Math.max(1, top)) * (height - 4));
  const line = findSpans(history.online, isKnown)
    .map((span) =>
      drawRelative(
        history.online.slice(span.start, span.end).map((count) => y(count ?? 0)),
        span,
      ),
    )
    .join("");
  const outages = findSpans(history.up, (up) => up === false).map(
    ({ start, end }) => `<rect class="chart-outage" x="${start}" width="${end - start}" height="${height}"/>`,
  );
  const known = history.online.some(isKnown);
  const label = known ? `Last 24 hours: at most ${top} online` : "Last 24 hours: no counts known";
  return (
    `<svg class="sparkline" viewBox="0 0 ${BUCKETS} ${height}" preserveAspectRatio="none" role="img" ` +
    `aria-label="${label}">${outages.join("")}` +
    `<path class="chart-online" vector-effect="non-scaling-stroke" d="${line}"/></svg>`
  );
}

/** What the chart shows, in words; the exact figures are in the table below it. */
export function describe(times: number[], history: History): string {
  if (history.up.every((up) => up === null)) return "Nothing was measured.";
  const counts = history.online.filter((count) => count !== null);
  const sentences = [
    counts.length === 0
      ? "No online counts are known."
      : `Between ${Math.min(...counts)} and ${Math.max(...counts)} players were online.`,
    ...sentence(
      "Offline",
      findSpans(history.up, (up) => up === false),
      times,
    ),
    ...sentence(
      "Not measured",
      findSpans(history.up, (up) => up === null),
      times,
    ),
  ];
  return sentences.join(" ");
}

function sentence(what: string, spans: Span[], times: number[]): string[] {
  return spans.length === 0 ? [] : [`${what}: ${spans.map((span) => spanText(span, times)).join(", ")}.`];
}

function isKnown(count: number | null): boolean {
  return count !== null;
}

function highest(source: History | (number | null)[]): number {
  const counts = Array.isArray(source) ? source : [...source.online, ...source.queue];
  return counts.reduce<number>((top, count) => Math.max(top, count ?? 0), 0);
}

/**
 * The vertical scale: it begins at 0 and ends at a round number above everything that is drawn. The maximum takes
 * part only where the server comes near it; else it would press the line to the ground.
 */
function chooseScale(peak: number, maxOnline: number | null): { top: number; lines: number[] } {
  const needed = Math.max(4, peak, maxOnline !== null && maxOnline <= peak * 2 ? maxOnline : 0);
  const magnitude = 10 ** Math.floor(Math.log10(needed / 4));
  const step = [1, 2, 5, 10].map((factor) => factor * magnitude).find((size) => size * 4 >= needed) ?? needed;
  const count = Math.ceil(needed / step);
  return { top: count * step, lines: Array.from({ length: count + 1 }, (_, index) => index * step) };
}

function drawOutages(times: number[], history: History): string[] {
  return findSpans(history.up, (up) => up === false).map((span) => {
    const x = fixed(span.start * STEP_X);
    const width = fixed((span.end - span.start) * STEP_X);
    const title = `<title>Offline ${spanText(span, times)}</title>`;
    return `<rect class="chart-outage" x="${x}" y="${TOP}" width="${width}" height="${BASE - TOP}">${title}</rect>`;
  });
}

/** A label every three hours of UTC; narrow screens hide those marked minor. Midnight shows its date. */
function drawHours(times: number[]): string[] {
  return times.flatMap((time, place) => {
    const x = place * STEP_X;
    if (time % LABEL_S !== 0 || x < EDGE || x > WIDTH - EDGE) return [];
    const midnight = time % DAY_S === 0;
    const minor = time % (2 * LABEL_S) === 0 ? "" : " is-minor";
    const text = midnight ? day(time) : clock(time);
    return [
      `<line class="chart-hour${minor}${midnight ? " is-midnight" : ""}" x1="${fixed(x)}" x2="${fixed(x)}" y1="${TOP}" y2="${BASE}"/>` +
        `<text class="chart-hour-label${minor}" x="${fixed(x)}" y="${HEIGHT - 10}" text-anchor="middle">${text}</text>`,
    ];
  });
}

function drawGridLine(count: number, y: number): string {
  const line = `<line class="chart-grid" x1="0" x2="${WIDTH}" y1="${fixed(y)}" y2="${fixed(y)}"/>`;
  return `${line}<text class="chart-count" x="2" y="${fixed(y - 4)}">${grouped(count)}</text>`;
}

function drawMaximum(maxOnline: number | null, top: number, y: (count: number) => number): string[] {
  if (maxOnline === null || maxOnline > top) return [];
  const at = fixed(y(maxOnline));
  return [
    `<line class="chart-maximum" x1="0" x2="${WIDTH}" y1="${at}" y2="${at}"/>`,
    `<text class="chart-maximum-label" x="${WIDTH - 2}" y="${fixed(y(maxOnline) - 5)}" text-anchor="end">` +
      `maximum ${grouped(maxOnline)}</text>`,
  ];
}

/** Each run of known counts is a path of its own; a run of one is a dot, since a line needs two points. */
function drawSeries(
  counts: (number | null)[],
  y: (count: number) => number,
  kind: "online" | "queue",
): string[] {
  return findSpans(counts, isKnown).flatMap(({ start, end }) => {
    const points = counts
      .slice(start, end)
      .map((count, index) => `${fixed((start + index + 0.5) * STEP_X)} ${fixed(y(count ?? 0))}`);
    if (points.length === 1) {
      const [x, level] = (points[0] ?? "").split(" ");
      return [`<circle class="chart-dot is-${kind}" cx="${x}" cy="${level}" r="2.5"/>`];
    }
    const line = `<path class="chart-${kind}" d="M${points.join("L")}"/>`;
    if (kind === "queue") return [line];
    const [left, right] = [fixed((start + 0.5) * STEP_X), fixed((end - 0.5) * STEP_X)];
    return [`<path class="chart-area" d="M${left} ${BASE}L${points.join("L")}L${right} ${BASE}Z"/>`, line];
  });
}

/** Steps relative to the point before: a third of the bytes, on a page with hundreds of these. */
function drawRelative(levels: number[], { start }: Span): string {
  const steps = levels.slice(1).map((level, index) => `1 ${level - (levels[index] ?? 0)}`);
  return `M${start}.5 ${levels[0]}${steps.length === 0 ? "h.5" : `l${steps.join(" ")}`}`;
}

function fixed(value: number): string {
  return String(Math.round(value * 10) / 10);
}

const numbers = new Intl.NumberFormat("en-GB");
const days = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

function grouped(count: number): string {
  return numbers.format(count);
}

function day(seconds: number): string {
  return days.format(new Date(seconds * 1000));
}
