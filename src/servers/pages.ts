import { type RequestHandler, Router } from "express";
import { z } from "zod";
import { ageText, totalsOf, totalsText } from "../../public/js/servers-words.js";
import type { Db } from "../db/connect.ts";
import { favoriteServers, isServerFavorite } from "../favorites/queries.ts";
import type { AppContext } from "../http/context.ts";
import { notFound } from "../http/errors.ts";
import { parseInput } from "../http/input.ts";
import { renderPage } from "../http/page.ts";
import { id, oneOf, text } from "../http/params.ts";
import { paths } from "../urls.ts";
import { chartLibrary } from "./chart-assets.ts";
import { HEAT_MAP_DAYS } from "./heat-map.ts";
import { RANGE_NAMES } from "./history/ranges.ts";
import {
  arrange,
  choices,
  isFiltered,
  type Listing,
  listUrl,
  nextSort,
  SORT_NAMES,
  SORTS,
} from "./listing.ts";
import { loadHours, loadOutages, loadServer, loadServerBoard } from "./queries.ts";
import { describeServer } from "./server-page.ts";
import { drawSparkline } from "./sparkline.ts";

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
  router.get(paths.servers(), showServerList(db));
  router.get(`${paths.servers()}/:id`, showServer(db));
  return router;
}

function showServerList(db: Db): RequestHandler {
  return async (req, res) => {
    const listing = parseInput(listInput, req);
    const board = await loadServerBoard(db);
    const ids = board.servers.map((server) => server.id);
    const favorites = await favoriteServers(db, req.viewer?.id, ids);
    const servers = arrange(board.servers, listing, favorites);
    const head = {
      title: "Servers",
      description: "Game servers with their online counts, queues and the last 24 hours.",
      scripts: ["favorites", "servers-ages", "servers"],
      styles: ["servers"],
    };
    await renderPage(req, res, "servers/list", head, {
      listing,
      isFiltered: isFiltered(listing),
      rows: servers.map((server) => ({
        server,
        sparkline: drawSparkline(server.history),
        favorite: favorites.has(server.id),
      })),
      all: board.servers.length,
      totals: totalsText(totalsOf(board.servers)),
      generatedAt: board.generatedAt,
      games: choices(board.servers, "game"),
      languages: choices(board.servers, "language"),
      sorts: Object.entries(SORT_NAMES),
      listUrl: (changes: Partial<Listing>) => listUrl({ ...listing, ...changes }),
      nextSort,
      age: ageSince(new Date()),
    });
  };
}

function showServer(db: Db): RequestHandler<{ id: string }> {
  const library = chartLibrary();
  return async (req, res) => {
    const serverId = id().safeParse(req.params.id);
    if (!serverId.success) throw notFound("server");
    const { range } = parseInput(serverInput, req);
    const { times, intervalS, server } = await loadServer(db, serverId.data, range);
    if (!server) throw notFound("server");
    const from = new Date((times[0] ?? 0) * 1000);
    const [outages, hours, favorite] = await Promise.all([
      loadOutages(db, server.id, from),
      loadHours(db, server.id, HEAT_MAP_DAYS),
      isServerFavorite(db, req.viewer?.id, server.id),
    ]);
    const head = {
      title: `${server.name} · Servers`,
      description: summary(server),
      canonical: paths.server(server.id),
      scripts: ["favorites", "copy", "servers-ages", "servers-chart", "servers-heat-map"],
      styles: ["servers"],
    };
    await renderPage(req, res, "servers/server", head, {
      ...describeServer({ server, range, times, intervalS, outages, hours }),
      library,
      favorite,
      age: ageSince(new Date()),
    });
  };
}

/** How long ago something was when the page was made; script keeps it true. */
function ageSince(now: Date): (time: Date) => string {
  return (time) => ageText(now.getTime() - time.getTime());
}

function summary(server: { name: string; game: string | null; language: string | null }): string {
  const { name, game, language } = server;
  const kind = [game, "server", language === null ? null : `(${language})`].filter(Boolean).join(" ");
  return `${name}: ${kind}, its players, queue and history.`;
}
