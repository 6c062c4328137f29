/** What lies under and over the lines of a server's chart, drawn on uPlot's canvas in the page's colours. */
import type uPlot from "uplot";
import type { ChartFigures } from "../../../src/servers/chart-data.ts";
import { words } from "./language.ts";

/** Charts of longer buckets draw outages at their true width, as the server does. */
const LONGEST_WIDENED_S = 1800;
/** Size of the hatching, in CSS pixels. */
const TILE = 8;
/** Least widths of outages and of hatched ones, in CSS pixels; narrower ones are filled. */
const LEAST_WIDTH = 2;
const LEAST_HATCHED = 4;

/** Resolves an element's colour to one that a canvas takes. */
const probe = document.createElement("span");
probe.hidden = true;
// The system's own colours, where the reader has chosen such, stand in the style sheets by name.
probe.style.forcedColorAdjust = "none";
document.body.append(probe);

/** A colour of the style sheets by its name, as it is now; `alpha` from 0 to 1. */
export function colour(name: string, alpha = 1): string {
  probe.style.color = `var(${name})`;
  const resolved = getComputedStyle(probe).color;
  return alpha === 1 ? resolved : resolved.replace(/^rgba?\(([^,]+,[^,]+,[^,)]+).*$/, `rgba($1, ${alpha})`);
}

/** Below the lines, over the whole height; a short one of a long range is still wide enough to be seen. */
export function shadeOutages(plot: uPlot, { from, interval, online, outages }: ChartFigures) {
  const { ctx, bbox } = plot;
  const end = from + online.length * interval;
  const least = interval > LONGEST_WIDENED_S ? 0 : LEAST_WIDTH * devicePixelRatio;
  const [hatched, filled] = [[colour("--chart-outage", 0.2), hatching(ctx)], [colour("--chart-outage", 0.7)]];
  ctx.save();
  for (const [start, stop] of outages) {
    if (stop <= from || start >= end) continue;
    const left = plot.valToPos(Math.max(from, start), "x", true);
    const right = plot.valToPos(Math.min(end, stop), "x", true);
    const width = Math.max(least, right - left);
    for (const fill of width < LEAST_HATCHED * devicePixelRatio ? filled : hatched) {
      ctx.fillStyle = fill;
      ctx.fillRect(left, bbox.top, width, bbox.height);
    }
  }
  ctx.restore();
}

/** Slanted lines make outages recognizable without colour. */
function hatching(ctx: CanvasRenderingContext2D): CanvasPattern {
  const tile = document.createElement("canvas");
  const size = Math.round(TILE * devicePixelRatio);
  tile.width = tile.height = size;
  const pen = tile.getContext("2d") as CanvasRenderingContext2D;
  pen.strokeStyle = colour("--chart-outage");
  pen.lineWidth = devicePixelRatio;
  // The same line once more past either corner, so that tiles join without a notch.
  for (const shift of [-size, 0, size]) {
    pen.moveTo(shift, size);
    pen.lineTo(shift + size, 0);
  }
  pen.stroke();
  return ctx.createPattern(tile, "repeat") as CanvasPattern;
}

/** A dashed line at the most that the server takes, with its number. */
export function drawMaximum(plot: uPlot, { maximum, top }: ChartFigures) {
  if (maximum === null || maximum > top) return;
  const { ctx, bbox } = plot;
  const y = plot.valToPos(maximum, "y", true);
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colour("--chart-text");
  ctx.setLineDash([8, 5].map((length) => length * devicePixelRatio));
  ctx.lineWidth = devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.font = `${12 * devicePixelRatio}px ${getComputedStyle(document.body).fontFamily}`;
  ctx.textAlign = "right";
  ctx.textBaseline = "alphabetic";
  ctx.setLineDash([]);
  ctx.lineWidth = 3 * devicePixelRatio;
  ctx.strokeStyle = colour("--chart-ground");
  const text = words.t("script.servers.chart.maximum", { figure: words.number(maximum) });
  const label = [text, bbox.left + bbox.width, y - 7 * devicePixelRatio] as const;
  ctx.strokeText(...label);
  ctx.fillText(...label);
  ctx.restore();
}
