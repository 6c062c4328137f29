import { z } from "zod";
import { readEndpoint } from "../web/api/endpoint.ts";
import { notFound } from "../web/pages/errors.ts";
import { absoluteUrl, paths } from "../words/urls.ts";
import { summariseBuckets } from "./history/histories.ts";
import { RANGES, type RangeName } from "./history/ranges.ts";
import {
  LIVE,
  listServerStates,
  loadServerBoard,
  type Server,
  type ServerBoard,
  type ServerState,
} from "./queries.ts";
import { dataInput, dataOutput, onlineOutput } from "./schemas.ts";

const showOnline = readEndpoint({
  path: "/api/online",
  operationId: "listOnline",
  access: "session-or-key",
  input: z.object({}),
  output: onlineOutput,
  cache: LIVE,
  handle: async (_input, { snapshot }) => {
    const { generatedAt, servers } = await listServerStates(await snapshot());
    return {
      generated_at: isoTime(generatedAt),
      servers: servers.map((server) => ({
        ...currentFigures(server),
        last_online_at: isoTime(server.last_online_at),
      })),
    };
  },
});

const showData = readEndpoint({
  path: "/api/data",
  operationId: "listServers",
  access: "session-or-key",
  // The response has the history of every server, which makes it the largest of all.
  cost: 5,
  input: dataInput,
  problems: ["notFound"],
  output: dataOutput,
  cache: LIVE,
  handle: async ({ range, server_id }, { snapshot, baseUrl }) => {
    const board = await loadServerBoard(await snapshot(), range, server_id);
    if (server_id !== undefined && board.servers.length === 0) throw notFound("server");
    return range === undefined ? answerOfDay(board, baseUrl) : answerOfRange(board, range, baseUrl);
  },
});

/** The endpoints of the server list. */
export const serverEndpoints = [showOnline, showData];

/** Without a range the response has the format from before ranges, for existing scripts. */
function answerOfDay(board: ServerBoard, baseUrl: string) {
  const servers = board.servers.map((server) => ({
    ...definition(server, baseUrl),
    ...summaryOfDay(server),
    history: { online: server.history.online, queue: server.history.queue },
  }));
  return { ...grid(board, "24h"), servers };
}

function answerOfRange(board: ServerBoard, range: RangeName, baseUrl: string) {
  const servers = board.servers.map((server) => {
    const { peak, average, uptime, history } = server;
    const { online, onlineMin, onlineMax, queue } = history;
    return {
      ...definition(server, baseUrl),
      ...(range === "24h" && summaryOfDay(server)),
      peak,
      average,
      uptime,
      history: { online, online_min: onlineMin, online_max: onlineMax, queue },
    };
  });
  return { range, ...grid(board, range), servers };
}

function grid({ generatedAt, times }: ServerBoard, range: RangeName) {
  const { intervalS } = RANGES[range];
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  return {
    generated_at: isoTime(generatedAt),
    from: new Date(first * 1000).toISOString(),
    to: new Date((last + intervalS) * 1000).toISOString(),
    interval_s: intervalS,
    times,
  };
}

function definition(server: Server, baseUrl: string) {
  const { id, name, game, address, url: website, position } = server;
  const url = absoluteUrl(baseUrl, paths.server(id));
  return { ...currentFigures(server), name, game, address, url, website, position };
}

function summaryOfDay({ history }: Server) {
  const { peak, average, uptime } = summariseBuckets(history);
  return { peak_24h: peak, average_24h: average, uptime_24h: uptime };
}

function currentFigures({ id, online, bots, queue, max_online, status, checked_at }: ServerState) {
  return { server_id: id, online, queue, max_online, status, checked_at: isoTime(checked_at), bots };
}

function isoTime(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}
