/** How uPlot draws a server's history: the lines and the scales. */
import uPlot from "uplot";
import type { ChartFigures } from "../../../src/servers/chart-data.ts";
import { colour, drawMaximum, shadeOutages } from "./chart-canvas.ts";
import { formatOf } from "./chart-words.ts";
import { words } from "./language.ts";

const { number } = words;

const DAY_S = 86_400;

/** The columns that uPlot draws: the middles of the buckets, then a column for each line. */
export function columnsOf({
  from,
  interval,
  online,
  lowest,
  highest,
  queue,
}: ChartFigures): [number[], ...(number | null)[][]] {
  const times = online.map((_, place) => from + (place + 0.5) * interval);
  return [times, online, ...(highest && lowest ? [highest, lowest] : []), ...(queue ? [queue] : [])];
}

/**
 * Options for `new uPlot` in the size of `place`. Colours are functions that read the style sheets, so that a redraw
 * follows the colour scheme. `byDay`: the buckets are days of UTC, which are not converted.
 */
export function optionsOf(
  figures: ChartFigures,
  byDay: boolean,
  place: HTMLElement,
  onCursor: (index?: number | null) => void,
): uPlot.Options {
  const { from, interval, online, highest, top, lines } = figures;
  const end = from + online.length * interval;
  const line = (name: string, more: uPlot.Series = {}): uPlot.Series => ({
    stroke: () => colour(name),
    width: 2,
    points: { show: false, size: 5, filter: lonePoints },
    ...more,
  });
  const edge = { stroke: "transparent", width: 0, points: { show: false } };
  const area = () => colour("--chart-online", 0.18);
  return {
    width: place.clientWidth,
    height: place.clientHeight,
    legend: { show: false },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), byDay ? "Etc/UTC" : window.viewerTimes.zone),
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
      // The band's edges are not drawn as lines.
      points: { size: (_plot, index) => (highest && (index === 2 || index === 3) ? 0 : 7) },
    },
    hooks: {
      drawClear: [(plot) => shadeOutages(plot, figures)],
      draw: [(plot) => drawMaximum(plot, figures)],
      setCursor: [(plot) => onCursor(plot.cursor.idx)],
    },
  };
}

/** A count between two gaps is a dot, as it has no neighbour for a line. */
function lonePoints(plot: uPlot, index: number): number[] | null {
  const counts = [...(plot.data[index] ?? [])];
  const isKnown = (place: number) => typeof counts[place] === "number";
  const lone = counts.flatMap((_, place) =>
    isKnown(place) && !isKnown(place - 1) && !isKnown(place + 1) ? [place] : [],
  );
  return lone.length > 0 ? lone : null;
}

function timeAxis(byDay: boolean): uPlot.Axis {
  const clock = formatOf(byDay, { hour: "2-digit", minute: "2-digit" });
  const day = formatOf(byDay, { day: "numeric", month: "short" });
  const month = formatOf(byDay, { month: "short" });
  const text = (seconds: number, step: number) => {
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

function countAxis(lines: number[]): uPlot.Axis {
  return {
    ...axisColours(),
    splits: () => lines,
    values: (_plot, counts) => counts.map(number),
    size: 12 + 8 * number(lines.at(-1) ?? 0).length,
  };
}

function axisColours(): uPlot.Axis {
  const line = { stroke: () => colour("--chart-line"), width: 1 };
  const font = `12px ${getComputedStyle(document.body).fontFamily}`;
  return { stroke: () => colour("--chart-text"), font, grid: line, ticks: { show: false } };
}
