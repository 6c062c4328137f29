import type { Locale } from "../http/locale.ts";
import { languageName } from "../i18n/languages.ts";
import { withQuery } from "../urls.ts";
import { drawChart } from "./chart.ts";
import { type ChartData, chartJson, hasBand } from "./chart-data.ts";
import { tableOfFigures } from "./figures-table.ts";
import { heatMapOf } from "./heat-map.ts";
import type { Outage } from "./history/outages.ts";
import { RANGE_NAMES, type RangeName } from "./history/ranges.ts";
import { connectLink, webLink } from "./links.ts";
import { wordsOf } from "./locale-words.ts";
import { listOutages, outagePeriods } from "./outage-list.ts";
import type { Server, ServerState } from "./queries.ts";

interface ServerHistory {
  server: Server;
  range: RangeName;
  times: number[];
  intervalS: number;
  outages: Outage[];
  hours: Parameters<typeof heatMapOf>[0];
}

/** The data of a server's page, for its view. */
export function describeServer(
  { server, range, times, intervalS, outages, hours }: ServerHistory,
  locale: Locale,
) {
  const { t, paths } = locale;
  const words = wordsOf(locale);
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
    kind: kindOf(server, locale),
    range,
    ranges: RANGE_NAMES.map((name) => ({ name, choice: t(`servers.range.${name}.choice`) })),
    rangeText: {
      heading: t(`servers.range.${range}.heading`),
      within: t(`servers.range.${range}.within`),
      nothing: t(`servers.range.${range}.nothing`),
    },
    lastFigures: lastFigures(server, locale),
    chart: measured ? drawChart(chartData, words) : undefined,
    chartJson: measured ? chartJson(chartData) : undefined,
    hasBand: hasBand(range),
    hasQueue: history.queue.some((count) => count !== null),
    /** Days are days of UTC for every viewer, so their times are not converted. */
    byDay: range === "1y",
    figures: measured ? tableOfFigures(times, intervalS, history) : [],
    outages: listOutages(outages, server.checked_at, words),
    heatMap: heatMapOf(hours, server.figures.max_online, words),
    connect: connectLink(server),
    website: webLink(server.url),
    csv: withQuery(`${paths.server(server.id)}/history.csv`, { range }),
    rangeUrl: (choice: RangeName) =>
      withQuery(paths.server(server.id), { range: choice === "24h" ? undefined : choice }),
  };
}

/** A server's game and language, in the reader's language: `SA-MP · Polish`. */
export function kindOf(
  { game, language }: Pick<Server, "game" | "language">,
  { language: reader }: Pick<Locale, "language">,
): string {
  return [game, language === null ? null : languageName(language, reader)].filter(Boolean).join(" · ");
}

/** The last figures of a server that is not online, if known: `120 of 200 online, 3 in the queue`. */
export function lastFigures(
  { status, figures, last_online_at }: ServerState,
  { t, format }: Locale,
): string | undefined {
  const { online, queue, max_online: maximum } = figures;
  if (status === "online" || last_online_at === null || online === null) return undefined;
  const figure = format.number(online);
  const players =
    maximum === null
      ? t("servers.server.last_online_count", { figure })
      : t("servers.server.last_online_of", { figure, maximum: format.number(maximum) });
  if (queue === null) return players;
  return `${players}, ${t("servers.server.last_queue", { figure: format.number(queue) })}`;
}
