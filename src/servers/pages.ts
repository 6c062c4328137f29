import { type RequestHandler, Router } from "express";
import type { Knex } from "knex";
import { z } from "zod";
import { favoritesAmong } from "../favorites/queries.ts";
import { admitFew } from "../http/admission.ts";
import { snapshotFor } from "../http/answer-build.ts";
import type { AppContext } from "../http/context.ts";
import { notFound } from "../http/errors.ts";
import { parseInput } from "../http/input.ts";
import { type Locale, localeOf } from "../http/locale.ts";
import { renderPage } from "../http/page.ts";
import { id, oneOf, text } from "../http/params.ts";
import { languageName } from "../i18n/languages.ts";
import { absoluteUrl, paths } from "../urls.ts";
import { selectHours } from "./history/queries.ts";
import { RANGE_NAMES } from "./history/ranges.ts";
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
} from "./listing.ts";
import { ageSince, showLiveList, showLiveServer, whenLive } from "./live.ts";
import { wordsOf } from "./locale-words.ts";
import { loadOutages, loadServer, loadServerBoard, OF_THE_MOMENT, type Server } from "./queries.ts";
import { describeServer, HEAT_MAP_DAYS, kindOf } from "./server-page.ts";
import { drawSparkline } from "./sparkline.ts";
import { totalsOf, totalsText } from "./totals.ts";

const mark = oneOf(["1"]).optional();

const listInput = z.object({
  game: text(1, 300).optional(),
  language: text(1, 300).optional(),
  not_full: mark,
  not_empty: mark,
  has_queue: mark,
  favorites_first: mark,
  sort: oneOf(SORTS).default("position"),
});

const serverInput = z.object({ range: oneOf(RANGE_NAMES).default("24h") });

/** The list of servers and each server's page. */
export function serverPages({ db }: AppContext): Router {
  const router = Router({ caseSensitive: true });
  const admit = admitFew();
  router.get(paths.servers(), whenLive(showLiveList(db)), admit(showServerList(db)));
  router.get(`${paths.servers()}/:id`, whenLive(showLiveServer(db)), admit(showServer(db)));
  return router;
}

function showServerList(database: Knex): RequestHandler {
  return async (req, res) => {
    const db = await snapshotFor(req, database);
    const listing = parseInput(listInput, req);
    const board = await loadServerBoard(db);
    const ids = listing.favorites_first ? board.servers.map((server) => server.id) : [];
    const favorites = await favoritesAmong(db, req.viewer?.id, "server", ids);
    const servers = arrange(board.servers, listing, favorites);
    const locale = localeOf(req);
    const { t } = locale;
    const words = wordsOf(locale);
    const head = {
      title: t("servers.title"),
      description: t("servers.list.description"),
      scripts: ["favorites", "list", "servers"],
      styles: ["servers"],
      ...OF_THE_MOMENT,
      // A user's own order.
      ...(req.viewer && listing.favorites_first && { changesWith: undefined }),
    };
    await renderPage(req, res, "servers/list", head, {
      listing,
      isFiltered: isFiltered(listing),
      rows: servers.map((server) => ({
        server,
        sparkline: drawSparkline(server.history, words),
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
    const [outages, hours] = await Promise.all([
      loadOutages(db, server.id, from),
      selectHours(db, server.id, HEAT_MAP_DAYS),
    ]);
    const locale = localeOf(req);
    const head = {
      title: locale.t("servers.server.title", { name: server.name }),
      description: summary(server, locale),
      canonical: paths.server(server.id),
      scripts: ["favorites", "copy", "share", "servers-page", "servers-chart", "servers-heat-map"],
      styles: ["servers"],
      ...OF_THE_MOMENT,
    };
    await renderPage(req, res, "servers/server", head, {
      ...describeServer({ server, range, times, intervalS, outages, hours }, locale),
      share: { url: absoluteUrl(req.site.baseUrl, locale.paths.server(server.id)), title: server.name },
      age: ageSince(new Date(), locale),
    });
  };
}

function summary(server: Server, locale: Locale): string {
  const { name } = server;
  const kind = kindOf(server, locale);
  if (kind === "") return locale.t("servers.server.description", { name });
  return locale.t("servers.server.description_of", { name, kind });
}
