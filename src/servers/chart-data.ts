import { type ChartData, hasBand, scaleOf } from "./chart.ts";

/**
 * The chart's figures as JSON, for the script that draws them anew: it stands in an attribute of the page, where it is
 * escaped like any text. The grid is regular, so that its first time and its interval say all the others.
 */
export function chartJson(data: ChartData): string {
  const { range, times, intervalS, history, maxOnline, outages } = data;
  const { online, onlineMin, onlineMax, queue, up } = history;
  return JSON.stringify({
    from: times[0] ?? 0,
    interval: intervalS,
    online,
    queue: queue.some((count) => count !== null) ? queue : null,
    ...(hasBand(range) && { lowest: onlineMin, highest: onlineMax }),
    up: up.map((share) => (share === null ? null : Math.round(share * 1000) / 1000)),
    maximum: maxOnline,
    ...scaleOf(data),
    outages: outages.map(({ from, to }) => [from, to]),
  });
}
