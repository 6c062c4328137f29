import { paths, withQuery } from "../urls.ts";
import { type ChartData, drawChart, hasBand } from "./chart.ts";
import { chartJson } from "./chart-data.ts";
import { RANGE_WORDS } from "./chart-words.ts";
import { tableOfFigures } from "./figures-table.ts";
import { heatMapOf } from "./heat-map.ts";
import type { Outage } from "./history/outages.ts";
import { RANGE_NAMES, type RangeName } from "./history/ranges.ts";
import { connectLink, webLink } from "./links.ts";
import { listOutages, outagePeriods } from "./outage-list.ts";
import type { Server } from "./queries.ts";

/** What a server's page is made of. */
interface ServerHistory {
  server: Server;
  range: RangeName;
  times: number[];
  intervalS: number;
  outages: Outage[];
  hours: Parameters<typeof heatMapOf>[0];
}

/** Everything that a server's page shows, as plain data for its view. */
export function describeServer({ server, range, times, intervalS, outages, hours }: ServerHistory) {
  const { history } = server;
  const chartData: ChartData = {
    name: server.name,
    range,
    times,
    intervalS,
    history,
    maxOnline: server.figures.max_online,
    outages: outagePeriods(outages, server.checked_at),
  };
  const measured = history.up.some((up) => up !== null);
  return {
    server,
    range,
    ranges: RANGE_NAMES.map((name) => ({ name, choice: name === "1y" ? "1 year" : RANGE_WORDS[name] })),
    words: RANGE_WORDS[range],
    from: new Date((times[0] ?? 0) * 1000),
    to: new Date(((times.at(-1) ?? 0) + intervalS) * 1000),
    chart: measured ? drawChart(chartData) : undefined,
    chartJson: measured ? chartJson(chartData) : undefined,
    hasBand: hasBand(range),
    hasQueue: history.queue.some((count) => count !== null),
    /** Whole days are days of UTC wherever the viewer is: their times are not turned into another zone. */
    byDay: range === "1y",
    figures: measured ? tableOfFigures(times, intervalS, history) : [],
    outages: listOutages(outages, server.checked_at),
    heatMap: heatMapOf(hours, server.figures.max_online),
    connect: connectLink(server),
    website: webLink(server.url),
    csv: withQuery(`${paths.server(server.id)}/history.csv`, { range }),
    rangeUrl: (choice: RangeName) =>
      withQuery(paths.server(server.id), { range: choice === "24h" ? undefined : choice }),
  };
}
