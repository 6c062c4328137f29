/** How uPlot draws a server's history: the lines and the scales. */
import { colour, drawMaximum, shadeOutages } from "./servers-chart-canvas.js";
import { words } from "./servers-language.ts";

const { zone } = window.viewerTimes;
const { number, locale } = words;

const DAY_S = 86_400;

/** The columns that uPlot draws: the middles of the buckets, then a column for each line. */
export function columnsOf({ from, interval, online, lowest, highest, queue }) {
  const times = online.map((_, place) => from + (place + 0.5) * interval);
  return [times, online, ...(highest ? [highest, lowest] : []), ...(queue ? [queue] : [])];
}

/**
 * Options for `new uPlot`, as large as `place`. Colours are functions that ask the page's style sheets, so that a redraw
 * follows a change of the colour scheme. `byDay`: the buckets are days of UTC, which no time zone moves.
 */
export function optionsOf(figures, { place, byDay, uPlot, onCursor }) {
  const { from, interval, online, highest, top, lines } = figures;
  const end = from + online.length * interval;
  const line = (name, more = {}) => ({
    stroke: () => colour(name),
    width: 2,
    spanGaps: false,
    points: { show: false, size: 5, filter: lonePoints },
    ...more,
  });
  const edge = { stroke: "transparent", width: 0, spanGaps: false, points: { show: false } };
  const area = () => colour("--chart-online", 0.18);
  return {
    width: place.clientWidth,
    height: place.clientHeight,
    legend: { show: false },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), byDay ? "Etc/UTC" : zone),
    scales: { x: { range: () => [from, end] }, y: { range: () => [0, top] } },
    series: [
      {},
      line("--chart-online", highest ? {} : { fill: area }),
      ...(highest ? [edge, edge] : []),
      ...(figures.queue ? [line("--chart-queue", { dash: [5, 3] })] : []),
    ],
    bands: highest ? [{ series: [2, 3], fill: area }] : [],
    axes: [timeAxis(byDay), countAxis(lines)],
    cursor: {
      y: false,
      drag: { x: false, y: false },
      points: { size: (_plot, index) => dotSize(highest, index) },
    },
    hooks: {
      drawClear: [(plot) => shadeOutages(plot, figures)],
      draw: [(plot) => drawMaximum(plot, figures)],
      setCursor: [(plot) => onCursor(plot.cursor.idx)],
    },
  };
}

/** The edges of the band are no lines of their own. */
function dotSize(hasBand, index) {
  return hasBand && (index === 2 || index === 3) ? 0 : 7;
}

/** A count between two gaps has no neighbour to draw a line to: it is a dot. */
function lonePoints(plot, index) {
  const counts = plot.data[index];
  const isKnown = (place) => typeof counts[place] === "number";
  const lone = counts.flatMap((_, place) =>
    isKnown(place) && !isKnown(place - 1) && !isKnown(place + 1) ? [place] : [],
  );
  return lone.length > 0 ? lone : null;
}

function timeAxis(byDay) {
  const timeZone = byDay ? "UTC" : zone;
  const format = (options) => new Intl.DateTimeFormat(locale, { ...options, timeZone });
  const [clock, day, month] = [
    format({ hour: "2-digit", minute: "2-digit" }),
    format({ day: "numeric", month: "short" }),
    format({ month: "short" }),
  ];
  const text = (seconds, step) => {
    const date = new Date(seconds * 1000);
    if (step >= 28 * DAY_S) return month.format(date);
    const time = clock.format(date);
    return step >= DAY_S || time === "00:00" ? day.format(date) : time;
  };
  return {
    ...axisColours(),
    values: (_plot, times, _axis, _space, step) => times.map((time) => text(time, step)),
    space: 60,
    size: 28,
  };
}

function countAxis(lines) {
  return {
    ...axisColours(),
    splits: () => lines,
    values: (_plot, counts) => counts.map(number),
    size: 12 + 8 * number(lines.at(-1)).length,
  };
}

function axisColours() {
  const line = { stroke: () => colour("--chart-line"), width: 1 };
  const font = `12px ${getComputedStyle(document.body).fontFamily}`;
  return { stroke: () => colour("--chart-text"), font, grid: line, ticks: { show: false } };
}
