import { type RequestHandler, Router } from "express";
import type { Knex } from "knex";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { favoritesAmong } from "../accounts/favorites/queries.ts";
import type { Db } from "../db/connect.ts";
import { createPreview } from "../discovery/previews/preview.ts";
import type { Previews } from "../discovery/previews/previews.ts";
import type { LiveSearch } from "../search/live-search.ts";
import { snapshotFor } from "../web/answers/answer-scope.ts";
import { sendBody } from "../web/answers/send.ts";
import { breadcrumbList } from "../web/look/structured-data.ts";
import type { BaseContext } from "../web/pages/context.ts";
import { notFound } from "../web/pages/errors.ts";
import { renderPage, renderPart, sendPart } from "../web/pages/page.ts";
import { csvLine } from "../web/request/csv.ts";
import { parseInput } from "../web/request/input.ts";
import { type Locale, localeOf } from "../web/request/locale.ts";
import { id, oneOf, searchText, text } from "../web/request/params.ts";
import { admitFew } from "../web/server/admission.ts";
import { openToAnyOrigin } from "../web/server/cross-origin.ts";
import { languageName } from "../words/i18n/languages.ts";
import { absoluteUrl, paths } from "../words/urls.ts";
import { ageText } from "./ages.ts";
import { badgeCodes } from "./badge.ts";
import { selectHours } from "./history/queries.ts";
import { type History, RANGE_NAMES } from "./history/ranges.ts";
import {
  arrange,
  choices,
  isFiltered,
  type Listing,
  listUrl,
  nextSort,
  SORTS,
  type Sort,
  sortValue,
  usualSort,
} from "./listing.ts";
import { createWords, type LocaleWords } from "./locale-words.ts";
import {
  findDetails,
  findServerState,
  LIVE,
  listServerStates,
  loadOutages,
  loadServer,
  loadServerBoard,
  loadStandings,
  type Server,
  type ServerState,
  type ServerStatus,
} from "./queries.ts";
import { describeServer, HEAT_MAP_DAYS, kindOf, lastFigures } from "./server-page.ts";
import { serverCard, serverPreviewPath, showServerPreview } from "./server-preview.ts";
import type { Standing, Standings } from "./standing.ts";
import { drawUptimeStrip, renderSparkline } from "./uptime-bar.ts";

/** More servers than any site has. */
const FOUND_AT_MOST = 1_000;

const mark = oneOf(["1"]).optional();

export const serversInput = z.object({
  q: searchText.optional(),
  game: text(1, 300).optional(),
  language: text(1, 300).optional(),
  not_full: mark,
  not_empty: mark,
  has_queue: mark,
  favorites_first: mark,
  sort: oneOf(SORTS).optional(),
});

/** The parameters of a server's page, and of its history as a file. */
export const serverInput = z.object({ range: oneOf(RANGE_NAMES).default("24h") });

/** The list of servers and each server's page. */
export function serverPages(context: BaseContext & { previews: Previews; search: LiveSearch }): Router {
  const { db, search } = context;
  const router = Router({ caseSensitive: true });
  const admit = admitFew();
  router.get(paths.servers(), whenLive(showLiveList(db)), admit(showServerList(db, search)));
  router.get(`${paths.servers()}/:id`, whenLive(showLiveServer(db)), admit(showServer(db)));
  router.get(`${paths.servers()}/:id/preview/:file`, showServerPreview(context));
  return router;
}

function showServerList(database: Knex, search: LiveSearch): RequestHandler {
  return async (req, res) => {
    const asked = parseInput(serversInput, req);
    const found = asked.q ? await search.ids("servers", asked.q, FOUND_AT_MOST) : undefined;
    const db = await snapshotFor(req, database);
    const [board, standings] = await Promise.all([loadServerBoard(db), loadStandings(db)]);
    const usual = usualSort(board.servers);
    const listing: Listing = { ...asked, sort: asked.sort ?? usual };
    const ids = listing.favorites_first ? board.servers.map((server) => server.id) : [];
    const favorites = await favoritesAmong(db, req.viewer?.id, "server", ids);
    // The list has the uptime of the standing, which is more useful than that of a day.
    const standing = board.servers.map((server) => ({ ...server, ...findUptime(standings, server) }));
    const servers = arrange(standing, listing, { favorites, found });
    const locale = localeOf(req);
    const { t } = locale;
    const words = createWords(locale);
    const head = {
      title: t("servers.title"),
      description: t("servers.list.description"),
      scripts: ["accounts/favorites", "web/list", "servers/servers"],
      styles: ["servers/servers"],
      ...LIVE,
      ...(found && { dependsOn: [...LIVE.dependsOn, "search"] as const }),
      // A list that begins with the user's favorites is theirs alone, so it is not shared.
      ...(req.viewer && listing.favorites_first && { dependsOn: undefined }),
    };
    await renderPage(req, res, "servers/list", head, {
      listing,
      isFiltered: isFiltered(listing),
      rows: servers.map((server, at) => ({
        server,
        group: listing.sort === "position" ? groupAbove(servers, at) : undefined,
        sparkline: renderSparkline(server.history, words),
        uptimeChart: server.uptime === null ? "" : drawUptimeStrip(server, words),
      })),
      all: board.servers.length,
      totals: totalsText(computeTotals(board.servers), words),
      newest: board.generatedAt,
      games: choices(board.servers, "game").map((game) => [game, game]),
      languages: choices(board.servers, "language").map((tag) => [tag, languageName(tag, locale.language)]),
      sorts: SORTS.map((sort: Sort) => [sortValue(sort, usual), t(`servers.sort.${sort}`)]),
      sortValue: sortValue(listing.sort, usual),
      listUrl: (changes: Partial<Listing>) => listUrl({ ...listing, ...changes }, usual, locale.paths),
      nextSort,
      languageName: (tag: string) => languageName(tag, locale.language),
      age: ageSince(new Date(), locale),
    });
  };
}

/** The group that begins with a server; blank for the servers without one, undefined if the group goes on. */
function groupAbove(servers: readonly Server[], at: number): string | undefined {
  const group = servers[at]?.group_name ?? "";
  const before = at === 0 ? "" : (servers[at - 1]?.group_name ?? "");
  return group === before ? undefined : group;
}

function showServer(database: Knex): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const serverId = id().safeParse(req.params.id);
    if (!serverId.success) throw notFound("server");
    const { range } = parseInput(serverInput, req);
    const db = await snapshotFor(req, database);
    const { times, intervalS, server } = await loadServer(db, serverId.data, range);
    if (!server) throw notFound("server");
    const from = new Date((times[0] ?? 0) * 1000);
    const [outages, hours, standings, day, details] = await Promise.all([
      loadOutages(db, server.id, from),
      selectHours(db, server.id, HEAT_MAP_DAYS),
      loadStandings(db),
      range === "24h" ? { times, intervalS, server } : loadServer(db, server.id),
      findDetails(db, server),
    ]);
    const locale = localeOf(req);
    const head = {
      title: locale.t("servers.server.title", { name: server.name }),
      description: summary(server, locale),
      canonical: paths.server(server.id),
      structured: [
        breadcrumbList(req.site.baseUrl, [
          [locale.t("servers.title"), locale.paths.servers()],
          [server.name, locale.paths.server(server.id)],
        ]),
      ],
      scripts: [
        "accounts/favorites",
        "web/copy",
        "web/share",
        "servers/page",
        "servers/chart",
        "servers/heat-map",
      ],
      styles: ["servers/servers"],
      preview: createPreview(
        serverCard(req.site, day.server ?? server, day, locale.language),
        serverPreviewPath(server.id),
        req.site,
      ),
      ...LIVE,
    };
    await renderPage(req, res, "servers/server", head, {
      ...describeServer({ server, range, times, intervalS, outages, hours, standings }, locale),
      details,
      share: { url: absoluteUrl(req.site.baseUrl, locale.paths.server(server.id)), title: server.name },
      badgeCodes: badgeCodes(server, locale.paths, req.site.baseUrl),
      age: ageSince(new Date(), locale),
    });
  };
}

function findUptime(standings: Standings, { number }: Server): Pick<Standing, "days" | "uptime"> {
  const { days, uptime } = standings.ofServer(number);
  return { days, uptime };
}

function summary(server: Server, locale: Locale): string {
  const { name } = server;
  const kind = kindOf(server, locale);
  if (kind === "") return locale.t("servers.server.description", { name });
  return locale.t("servers.server.description_of", { name, kind });
}

/** Runs the handler for the script of an open page, which requests `?live=1`; passes other requests on. */
function whenLive<Params>(handler: RequestHandler<Params>): RequestHandler<Params> {
  return (req, res, next) => (req.query.live === "1" ? handler(req, res, next) : next());
}

/**
 * The parts of the list that change while it is open, of all servers. They cost little more than /api/online, so open
 * tabs need no admission: no history or favorite is read, and one rendering serves many tabs.
 */
function showLiveList(db: Db): RequestHandler {
  /** Keyed by language and time zone, because 500 servers take ten times as long to render as to read. */
  const rendered = new LRUCache<string, { state: string; body: string }>({ max: 20 });
  return async (req, res) => {
    const { generatedAt, servers } = await listServerStates(db);
    const locale = localeOf(req);
    const key = `${locale.language} ${req.viewer?.timeZone ?? ""}`;
    const state = JSON.stringify(servers);
    const known = rendered.get(key);
    if (known?.state === state) return sendPart(req, res, known.body);
    const body = await renderPart(req, res, "servers/live-list", {
      servers,
      totals: totalsText(computeTotals(servers), createWords(locale)),
      newest: generatedAt,
      // The script keeps the ages in cached parts current.
      age: ageSince(new Date(), locale),
    });
    rendered.set(key, { state, body });
    return sendPart(req, res, body);
  };
}

/** The same parts of a server's page. */
function showLiveServer(db: Db): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const serverId = id().safeParse(req.params.id);
    const server = serverId.success ? await findServerState(db, serverId.data) : undefined;
    if (!server) throw notFound("server");
    const locale = localeOf(req);
    const age = ageSince(new Date(), locale);
    const data = { server, lastFigures: lastFigures(server, locale), age };
    await sendPart(req, res, await renderPart(req, res, "servers/live-server", data));
  };
}

/** Writes how long ago a time was when the page was rendered; the script updates it. */
function ageSince(now: Date, locale: Locale): (time: Date) => string {
  const words = createWords(locale);
  return (time) => ageText(now.getTime() - time.getTime(), words);
}

/** Sums over all servers, and how many servers they cover. */
interface Totals {
  servers: number;
  /** Sum of the known counts; null if none is known. */
  online: number | null;
  /** Servers whose count is part of the sum. */
  counted: number;
  /** Sum of the known queues; null if none is known. */
  queue: number | null;
  /** Servers whose queue is part of the sum. */
  queues: number;
  states: Record<ServerStatus, number>;
}

/** Sums up current figures, and counts how many are known. */
function computeTotals(servers: readonly Pick<ServerState, "status" | "online" | "queue">[]): Totals {
  const known = servers.map((server) => server.online).filter((count) => count !== null);
  const queues = servers.map((server) => server.queue).filter((count) => count !== null);
  const states = { online: 0, offline: 0, unknown: 0 };
  for (const server of servers) states[server.status] += 1;
  return {
    servers: servers.length,
    online: sum(known),
    counted: known.length,
    queue: sum(queues),
    queues: queues.length,
    states,
  };
}

/** The totals as a sentence or two. */
function totalsText(totals: Totals, words: LocaleWords): string {
  const { t, number } = words;
  const { offline, unknown } = totals.states;
  const states = [
    offline > 0 && t("servers.totals.offline", { figure: number(offline) }),
    unknown > 0 && t("servers.totals.unknown", { figure: number(unknown) }),
  ].filter(Boolean);
  const rest = states.length > 0 && t("servers.totals.unavailable", { states: states.join(", ") });
  return [playersText(totals, words), rest].filter(Boolean).join(" ");
}

function playersText(
  { servers, online, counted, queue, queues }: Totals,
  { t, number }: LocaleWords,
): string {
  if (online === null) return t("servers.totals.none");
  const parts = {
    players: t("servers.totals.players", { count: online, figure: number(online) }),
    servers: t("servers.totals.servers", {
      count: servers,
      counted: number(counted),
      figure: number(servers),
    }),
  };
  if (queue === null) return t("servers.totals.sentence", parts);
  const reported = { count: queues, queues: number(queues) };
  return t("servers.totals.sentence_with_queue", {
    ...parts,
    queue:
      queue === 0
        ? t("servers.totals.no_queue", reported)
        : t("servers.totals.queue", { ...reported, figure: number(queue) }),
  });
}

function sum(values: number[]): number | null {
  return values.length === 0 ? null : values.reduce((total, value) => total + value, 0);
}

/** A server's history as a file. */
export function historyRoutes({ db }: Pick<BaseContext, "db">): Router {
  const router = Router({ caseSensitive: true });
  const path = `${paths.servers()}/:id/history.csv`;
  router.all(path, openToAnyOrigin).get(path, downloadHistory(db));
  return router;
}

function downloadHistory(db: Db): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const serverId = id().safeParse(req.params.id);
    if (!serverId.success) throw notFound("server");
    const { range } = parseInput(serverInput, req);
    const { times, server } = await loadServer(db, serverId.data, range);
    if (!server) throw notFound("server");
    res.attachment(`${fileName(server.id)}-${range}.csv`);
    const body = historyCsv(times, server.history);
    await sendBody(req, res, { type: "text/csv", body, cacheControl: "public, no-cache", ...LIVE });
  };
}

/** An id may hold characters that file systems refuse. */
function fileName(serverId: string): string {
  return serverId.replace(/[^\p{L}\p{N}_-]+/gu, "-");
}

const HEADER = ["time", "online", "online_min", "online_max", "queue", "queue_max", "up"];

/**
 * A history as CSV (RFC 4180): a line for each bucket with its start in UTC. Unknown figures are empty, and `up` is a
 * share of 0 to 1.
 * @param times starts of the buckets, in epoch seconds
 */
function historyCsv(times: readonly number[], history: History): string {
  const { online, onlineMin, onlineMax, queue, queueMax, up } = history;
  const lines = times.map((time, place) => [
    new Date(time * 1000).toISOString(),
    ...[online, onlineMin, onlineMax, queue, queueMax].map((column) => column[place] ?? ""),
    shareText(up[place] ?? null),
  ]);
  return [HEADER, ...lines].map((cells) => csvLine(cells)).join("");
}

/** Rounds to a hundredth of a percent. */
function shareText(share: number | null): string {
  return share === null ? "" : String(Math.round(share * 10_000) / 10_000);
}
