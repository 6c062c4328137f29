/** How uPlot draws a server's history: the lines, the scales and what lies under and over them. */
import { grouped } from "./servers-words.js";

const { zone } = window.viewerTimes;

const DAY_S = 86_400;
const NARROW = 480;

/** The columns that uPlot draws: the middles of the buckets, then a column for each line. */
export function columnsOf({ from, interval, online, lowest, highest, queue }) {
  const times = online.map((_, place) => from + (place + 0.5) * interval);
  return [times, online, ...(highest ? [highest, lowest] : []), ...(queue ? [queue] : [])];
}

/**
 * Options for `new uPlot`. Colours are functions that ask the page's style sheets, so that a redraw follows a change of
 * the colour scheme. `byDay`: the buckets are days of UTC, which no time zone moves.
 */
export function optionsOf(figures, { width, byDay, uPlot, onCursor }) {
  const { from, interval, online, highest, top, lines } = figures;
  const end = from + online.length * interval;
  const line = (name, more = {}) => ({
    stroke: () => colour(`--chart-${name}`),
    width: 2,
    spanGaps: false,
    points: { show: false, size: 5, filter: lonePoints },
    ...more,
  });
  const edge = { stroke: "transparent", width: 0, spanGaps: false, points: { show: false } };
  const area = () => `color-mix(in srgb, ${colour("--chart-online")} 18%, transparent)`;
  return {
    width,
    height: width < NARROW ? 240 : 300,
    legend: { show: false },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), byDay ? "Etc/UTC" : zone),
    scales: { x: { range: () => [from, end] }, y: { range: () => [0, top] } },
    series: [
      {},
      line("online", highest ? {} : { fill: area }),
      ...(highest ? [edge, edge] : []),
      ...(figures.queue ? [line("queue", { dash: [5, 3] })] : []),
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
  const format = (options) => new Intl.DateTimeFormat("en-GB", { ...options, timeZone });
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
    values: (_plot, counts) => counts.map(grouped),
    size: 12 + 8 * grouped(lines.at(-1)).length,
  };
}

function axisColours() {
  const line = { stroke: () => colour("--line"), width: 1 };
  const font = `12px ${getComputedStyle(document.body).fontFamily}`;
  return { stroke: () => colour("--muted"), font, grid: line, ticks: { show: false } };
}

/** Below the lines, over the whole height; a short one of a long range is still a pixel wide. */
function shadeOutages(plot, { from, interval, online, outages }) {
  const { ctx, bbox } = plot;
  const end = from + online.length * interval;
  ctx.save();
  ctx.fillStyle = colour("--chart-outage");
  ctx.globalAlpha = 0.26;
  // As the server draws them: in a month or a year an outage is as wide as it was long.
  const least = interval > 1800 ? 0 : devicePixelRatio;
  for (const [start, stop] of outages) {
    if (stop <= from || start >= end) continue;
    const left = plot.valToPos(Math.max(from, start), "x", true);
    const right = plot.valToPos(Math.min(end, stop), "x", true);
    ctx.fillRect(left, bbox.top, Math.max(least, right - left), bbox.height);
  }
  ctx.restore();
}

function drawMaximum(plot, { maximum, top }) {
  if (maximum === null || maximum > top) return;
  const { ctx, bbox } = plot;
  const y = plot.valToPos(maximum, "y", true);
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colour("--muted");
  ctx.setLineDash([8, 5].map((length) => length * devicePixelRatio));
  ctx.lineWidth = devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.font = `${12 * devicePixelRatio}px ${getComputedStyle(document.body).fontFamily}`;
  ctx.textAlign = "right";
  ctx.setLineDash([]);
  ctx.lineWidth = 3 * devicePixelRatio;
  ctx.strokeStyle = colour("--surface");
  const label = [`maximum ${grouped(maximum)}`, bbox.left + bbox.width, y - 5 * devicePixelRatio];
  ctx.strokeText(...label);
  ctx.fillText(...label);
  ctx.restore();
}

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
