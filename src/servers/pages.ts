import { type RequestHandler, Router } from "express";
import { z } from "zod";
import type { Db } from "../db/connect.ts";
import { favoriteServers, isServerFavorite } from "../favorites/queries.ts";
import type { AppContext } from "../http/context.ts";
import { notFound } from "../http/errors.ts";
import { parseInput } from "../http/input.ts";
import { renderPage } from "../http/page.ts";
import { id, oneOf, text } from "../http/params.ts";
import { paths, withQuery } from "../urls.ts";
import { drawChart, drawSparkline } from "./chart.ts";
import { INTERVAL_S } from "./history.ts";
import { minuteLabels, tableOfHours } from "./hours.ts";
import { safeLink } from "./links.ts";
import { arrange, choices, type Listing, nextSort, SORTS, totalsOf } from "./listing.ts";
import { loadServer, loadServerBoard, type Server } from "./queries.ts";

const listInput = z.object({
  game: text(1, 300).optional(),
  language: text(1, 300).optional(),
  sort: oneOf(SORTS).default("position"),
});

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
    const servers = arrange(board.servers, listing);
    const favorites = await favoriteServers(
      db,
      req.viewer?.id,
      servers.map((server) => server.id),
    );
    const head = {
      title: "Servers",
      description: "Game servers with their online counts, queues and the last 24 hours.",
      scripts: ["favorites"],
    };
    await renderPage(req, res, "servers/list", head, {
      listing,
      rows: servers.map((server) => ({
        server,
        sparkline: drawSparkline(server.history),
        favorite: favorites.has(server.id),
      })),
      totals: totalsOf(board.servers),
      generatedAt: board.generatedAt,
      games: choices(board.servers, "game"),
      languages: choices(board.servers, "language"),
      listUrl: (changes: Partial<Listing>) => listUrl({ ...listing, ...changes }),
      nextSort,
    });
  };
}

/** The address of one view of the list; what is as it would be anyway stays out of it. */
function listUrl({ game, language, sort }: Listing): string {
  return withQuery(paths.servers(), { game, language, sort: sort === "position" ? undefined : sort });
}

function showServer(db: Db): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const serverId = id().safeParse(req.params.id);
    if (!serverId.success) throw notFound("server");
    const { times, server } = await loadServer(db, serverId.data);
    if (!server) throw notFound("server");
    const head = {
      title: `${server.name} · Servers`,
      description: summary(server),
      canonical: paths.server(server.id),
      scripts: ["favorites"],
    };
    await renderPage(req, res, "servers/server", head, {
      server,
      link: safeLink(server.url),
      favorite: await isServerFavorite(db, req.viewer?.id, server.id),
      chart: wasMeasured(server) ? drawChart({ ...server, times, maxOnline: server.max_online }) : undefined,
      minutes: minuteLabels(INTERVAL_S),
      tables: tablesOf(server, times),
      from: new Date((times[0] ?? 0) * 1000),
      to: new Date(((times.at(-1) ?? 0) + INTERVAL_S) * 1000),
    });
  };
}

function wasMeasured({ history }: Server): boolean {
  return history.up.some((up) => up !== null);
}

/** The chart's figures; queues only where the server told any. */
function tablesOf({ history }: Server, times: number[]) {
  const { online, queue, up } = history;
  const tables = [{ name: "Online", hours: tableOfHours(times, online, up, INTERVAL_S) }];
  if (queue.some((count) => count !== null)) {
    tables.push({ name: "Queue", hours: tableOfHours(times, queue, up, INTERVAL_S) });
  }
  return tables;
}

function summary({ name, game, language }: Server): string {
  const kind = [game, "server", language === null ? null : `(${language})`].filter(Boolean).join(" ");
  return `${name}: ${kind}, its players, queue and the last 24 hours.`;
}
