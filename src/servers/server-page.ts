import { textLanguage } from "../records/text-language.ts";
import type { Locale } from "../web/request/locale.ts";
import { languageName } from "../words/i18n/languages.ts";
import { shownDescription } from "../words/i18n/shown-description.ts";
import { renderProse } from "../words/text/prose.ts";
import { withQuery } from "../words/urls.ts";
import { drawChart } from "./chart.ts";
import { type ChartData, chartJson, hasBand } from "./chart-data.ts";
import type { Outage } from "./history/outages.ts";
import type { HourOfPolls } from "./history/queries.ts";
import { type History, RANGE_NAMES, type RangeName } from "./history/ranges.ts";
import { connectLink, webLink } from "./links.ts";
import { createWords, type LocaleWords } from "./locale-words.ts";
import type { Server, ServerState } from "./queries.ts";
import type { Period } from "./spans.ts";
import type { Standings } from "./standing.ts";
import { drawUptimeBar } from "./uptime-bar.ts";
import { computeWeek, type HourOfCounts, hourLabel, roomText, type Week, type WeekFigures } from "./week.ts";

/** How long buckets of five minutes are kept; older outages are exact to the hour (see selectFailures). */
const EXACT_MS = 13 * 86_400_000;
/** The page lists this many outages, because an unstable server has hundreds a day. */
const LISTED = 50;

interface OutageList {
  /** The newest first. */
  rows: { from: Date; to: Date | null; length: string }[];
  /** How many earlier ones are left out. */
  earlier: number;
  /** Whether some are so old that only hours are stored. */
  areOld: boolean;
}

interface ServerHistory {
  server: Server;
  range: RangeName;
  times: number[];
  intervalS: number;
  outages: Outage[];
  hours: HourOfPolls[];
  standings: Standings;
}

/** The data of a server's page, for its view. */
export function describeServer(
  { server, range, times, intervalS, outages, hours, standings }: ServerHistory,
  locale: Locale,
) {
  const { t, paths } = locale;
  const words = createWords(locale);
  const { history } = server;
  const known = endUnknown(outages, server);
  const description = shownDescription(server, locale.language);
  const chartData: ChartData = {
    name: server.name,
    range,
    times,
    intervalS,
    history,
    maxOnline: server.figures.max_online,
    outages: outagePeriods(known, server.checked_at),
  };
  const measured = history.up.some((up) => up !== null);
  return {
    server,
    description: renderProse(description.text),
    descriptionLang: description.lang ?? textLanguage(server),
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
    standing: describeStanding(standings, server.number, words),
    outages: listOutages(known, server.checked_at, words),
    heatMap: createHeatMap(hours, server.figures.max_online, words),
    connect: connectLink(server),
    website: webLink(server.url),
    csv: withQuery(`${paths.server(server.id)}/history.csv`, { range }),
    rangeUrl: (choice: RangeName) =>
      withQuery(paths.server(server.id), { range: choice === "24h" ? undefined : choice }),
  };
}

/** An outage continues only while the server is known to be offline; otherwise it ends with the last measurement. */
function endUnknown(outages: Outage[], { status, checked_at }: Server): Outage[] {
  if (status === "offline") return outages;
  return outages.map(({ from, to }) => ({ from, to: to ?? checked_at ?? from }));
}

/** A server's game and language, in the viewer's language: `SA-MP · Polish`. */
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

/** A standing for the view; undefined for a server that was never measured in its days. */
function describeStanding({ times, ranked, ofServer }: Standings, number: number, words: LocaleWords) {
  const { days, uptime, peak, average, rank } = ofServer(number);
  if (uptime === null) return undefined;
  return { uptime, peak, average, rank, ranked, uptimeChart: drawUptimeBar({ days, uptime }, times, words) };
}

/** How many days "Best times to join" looks back: four of each weekday. */
export const HEAT_MAP_DAYS = 28;

interface HeatMap {
  /**
   * Times are in the viewer's zone. If that is unknown, they are in UTC, which the script converts to the browser's
   * zone.
   */
  week: Week;
  /** Column headings. */
  hours: string[];
  room: string;
  /** The figures as JSON, for that script. */
  json: string;
}

/**
 * The mean fill of each hour of the week: the share of the maximum, or the count without a maximum.
 * @returns undefined without any known count
 */
export function createHeatMap(
  hours: HourOfPolls[],
  maxOnline: number | null,
  words: LocaleWords,
): HeatMap | undefined {
  const counted = hours
    .filter(({ onlineCount }) => onlineCount > 0)
    .map(({ start, onlineCount, onlineSum }): HourOfCounts => [start, onlineCount, onlineSum]);
  if (counted.length === 0) return undefined;
  const week = computeWeek(counted, maxOnline, words.zone, words);
  const figures: WeekFigures = { maximum: maxOnline, hours: counted };
  const labels = Array.from({ length: 24 }, (_, hour) => hourLabel(hour, week.minute));
  return { week, hours: labels, room: roomText(week, words), json: JSON.stringify(figures) };
}

/** Why a bucket has no figures; `measured` if it has. */
type BucketState = "measured" | "offline" | "not_measured";

/** A bucket of the history, or a run of buckets without figures for the same reason. */
interface FigureRow {
  from: Date;
  to: Date;
  state: BucketState;
  online: number | null;
  lowest: number | null;
  highest: number | null;
  queue: number | null;
  up: number | null;
}

/** The exact figures of every bucket; adjacent buckets without figures share a row. */
function tableOfFigures(times: number[], intervalS: number, history: History): FigureRow[] {
  const rows: FigureRow[] = [];
  times.forEach((time, place) => {
    const state = classifyBucket(history.up[place] ?? null, history.online[place] ?? null);
    const to = new Date((time + intervalS) * 1000);
    const last = rows.at(-1);
    if (last && state !== "measured" && last.state === state) {
      last.to = to;
      return;
    }
    rows.push({
      from: new Date(time * 1000),
      to,
      state,
      online: history.online[place] ?? null,
      lowest: history.onlineMin[place] ?? null,
      highest: history.onlineMax[place] ?? null,
      queue: history.queue[place] ?? null,
      up: history.up[place] ?? null,
    });
  });
  return rows;
}

function classifyBucket(up: number | null, online: number | null): BucketState {
  if (online !== null) return "measured";
  if (up === null) return "not_measured";
  return up === 0 ? "offline" : "measured";
}

/** A range's outages as its page lists them. An ongoing one has lasted at least until the last poll. */
export function listOutages(outages: Outage[], checkedAt: Date | null, words: LocaleWords): OutageList {
  const newest = outages.slice(-LISTED).reverse();
  return {
    rows: newest.map(({ from, to }) => ({
      from,
      to,
      length: lengthText((to ?? checkedAt ?? from).getTime() - from.getTime(), words),
    })),
    earlier: outages.length - newest.length,
    areOld: newest.some(({ from }) => Date.now() - from.getTime() > EXACT_MS),
  };
}

/** The same for the chart, in epoch seconds. */
export function outagePeriods(outages: Outage[], checkedAt: Date | null): Period[] {
  const seconds = (time: Date) => Math.round(time.getTime() / 1000);
  return outages.map(({ from, to }) => ({ from: seconds(from), to: seconds(to ?? checkedAt ?? from) }));
}

/** A duration in its two largest units: `3 h 20 min`. */
export function lengthText(ms: number, { t, number }: LocaleWords): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return t("servers.length.less");
  const [days, hours, rest] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24, minutes % 60];
  const parts = [
    days > 0 && t("servers.length.days", { figure: number(days) }),
    hours > 0 && t("servers.length.hours", { figure: number(hours) }),
    days === 0 && rest > 0 && t("servers.length.minutes", { figure: number(rest) }),
  ];
  return parts.filter(Boolean).join(" ");
}
