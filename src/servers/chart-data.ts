import { chooseScale, type Scale } from "../words/charts/time-axis.ts";
import { roundShare } from "../words/text/share.ts";
import type { History, RangeName } from "./history/ranges.ts";
import type { Period } from "./spans.ts";

/** The data of a server's chart, for the SVG and for the script that replaces it. */
export interface ChartData {
  name: string;
  range: RangeName;
  /** Starts of the buckets, in epoch seconds. */
  times: number[];
  intervalS: number;
  history: History;
  maxOnline: number | null;
  /** When the server was offline, in order. */
  outages: Period[];
}

/** The data for the script that replaces the SVG. Bucket `n` starts at `from + n * interval`. */
export interface ChartFigures extends Scale {
  /** In epoch seconds, like the outages. */
  from: number;
  /** In seconds. */
  interval: number;
  online: (number | null)[];
  /** Null if no queue is known at all. */
  queue: (number | null)[] | null;
  /** Only if buckets are longer than five minutes. */
  lowest?: (number | null)[];
  highest?: (number | null)[];
  up: (number | null)[];
  maximum: number | null;
  outages: [from: number, to: number][];
}

/** Five minutes hold too few counts for a band of lowest and highest. */
export function hasBand(range: RangeName): boolean {
  return range !== "24h";
}

/** The vertical scale of the SVG and the script. */
export function computeScale({ range, history, maxOnline }: ChartData): Scale {
  const { online, onlineMax, queue } = history;
  const drawn = [...online, ...queue, ...(hasBand(range) ? onlineMax : [])];
  const peak = drawn.reduce<number>((top, count) => Math.max(top, count ?? 0), 0);
  return chooseScale(peak, maxOnline);
}

/** The chart's figures as JSON, in an attribute of the page. */
export function chartJson(data: ChartData): string {
  const { range, times, intervalS, history, maxOnline, outages } = data;
  const { online, onlineMin, onlineMax, queue, up } = history;
  const figures: ChartFigures = {
    from: times[0] ?? 0,
    interval: intervalS,
    online,
    queue: queue.some((count) => count !== null) ? queue : null,
    ...(hasBand(range) && { lowest: onlineMin, highest: onlineMax }),
    up: up.map((share) => (share === null ? null : roundShare(share, 1))),
    maximum: maxOnline,
    ...computeScale(data),
    outages: outages.map(({ from, to }) => [from, to]),
  };
  return JSON.stringify(figures);
}
