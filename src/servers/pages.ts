import { type RequestHandler, Router } from "express";
import type { Knex } from "knex";
import { z } from "zod";
import { favoritesAmong } from "../accounts/favorites/queries.ts";
import { previewOf } from "../discovery/previews/preview.ts";
import type { Previews } from "../discovery/previews/previews.ts";
import type { LiveSearch } from "../search/live-search.ts";
import { snapshotFor } from "../web/answers/answer-scope.ts";
import { breadcrumbList } from "../web/look/structured-data.ts";
import type { BaseContext } from "../web/pages/context.ts";
import { notFound } from "../web/pages/errors.ts";
import { renderPage } from "../web/pages/page.ts";
import { parseInput } from "../web/request/input.ts";
import { type Locale, localeOf } from "../web/request/locale.ts";
import { id, oneOf, searchText, text } from "../web/request/params.ts";
import { admitFew } from "../web/server/admission.ts";
import { languageName } from "../words/i18n/languages.ts";
import { absoluteUrl, paths } from "../words/urls.ts";
import { badgeCodes } from "./badge.ts";
import { selectHours } from "./history/queries.ts";
import { RANGE_NAMES } from "./history/ranges.ts";
import {
  arrange,
  choices,
  DEFAULT_SORT,
  isFiltered,
  type Listing,
  listUrl,
  nextSort,
  SORTS,
  type Sort,
  sortValue,
} from "./listing.ts";
import { ageSince, showLiveList, showLiveServer, whenLive } from "./live.ts";
import { wordsOf } from "./locale-words.ts";
import {
  findDetails,
  loadOutages,
  loadServer,
  loadServerBoard,
  loadStandings,
  OF_THE_MOMENT,
  type Server,
} from "./queries.ts";
import { describeServer, HEAT_MAP_DAYS, kindOf } from "./server-page.ts";
import { serverCard, serverPreviewPath, showServerPreview } from "./server-preview.ts";
import { sparklineOf } from "./sparkline.ts";
import type { Standing, Standings } from "./standing.ts";
import { totalsOf, totalsText } from "./totals.ts";
import { drawUptimeStrip } from "./uptime-bar.ts";

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
  sort: oneOf(SORTS).default(DEFAULT_SORT),
});

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
    const listing = parseInput(serversInput, req);
    const found = listing.q ? await search.ids("servers", listing.q, FOUND_AT_MOST) : undefined;
    const db = await snapshotFor(req, database);
    const [board, standings] = await Promise.all([loadServerBoard(db), loadStandings(db)]);
    const ids = listing.favorites_first ? board.servers.map((server) => server.id) : [];
    const favorites = await favoritesAmong(db, req.viewer?.id, "server", ids);
    // The list has the uptime of the standing, which is more useful than that of a day.
    const standing = board.servers.map((server) => ({ ...server, ...uptimeOf(standings, server) }));
    const servers = arrange(standing, listing, { favorites, found });
    const locale = localeOf(req);
    const { t } = locale;
    const words = wordsOf(locale);
    const head = {
      title: t("servers.title"),
      description: t("servers.list.description"),
      scripts: ["accounts/favorites", "web/list", "servers/servers"],
      styles: ["servers/servers"],
      ...OF_THE_MOMENT,
      ...(found && { changesWith: [...OF_THE_MOMENT.changesWith, "search"] as const }),
      // A user's own order.
      ...(req.viewer && listing.favorites_first && { changesWith: undefined }),
    };
    await renderPage(req, res, "servers/list", head, {
      listing,
      isFiltered: isFiltered(listing),
      rows: servers.map((server) => ({
        server,
        sparkline: sparklineOf(server.history, words),
        uptimeChart: server.uptime === null ? "" : drawUptimeStrip(server, words),
      })),
      all: board.servers.length,
      totals: totalsText(totalsOf(board.servers), words),
      newest: board.generatedAt,
      games: choices(board.servers, "game").map((game) => [game, game]),
      languages: choices(board.servers, "language").map((tag) => [tag, languageName(tag, locale.language)]),
      sorts: SORTS.map((sort: Sort) => [sortValue(sort), t(`servers.sort.${sort}`)]),
      sortValue: sortValue(listing.sort),
      listUrl: (changes: Partial<Listing>) => listUrl({ ...listing, ...changes }, locale.paths),
      nextSort,
      languageName: (tag: string) => languageName(tag, locale.language),
      age: ageSince(new Date(), locale),
    });
  };
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
      preview: previewOf(
        serverCard(req.site, day.server ?? server, day, locale.language),
        serverPreviewPath(server.id),
        req.site,
      ),
      ...OF_THE_MOMENT,
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

function uptimeOf(standings: Standings, { number }: Server): Pick<Standing, "days" | "uptime"> {
  const { days, uptime } = standings.ofServer(number);
  return { days, uptime };
}

function summary(server: Server, locale: Locale): string {
  const { name } = server;
  const kind = kindOf(server, locale);
  if (kind === "") return locale.t("servers.server.description", { name });
  return locale.t("servers.server.description_of", { name, kind });
}
