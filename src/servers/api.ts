import { z } from "zod";
import { readEndpoint } from "../web/api/endpoint.ts";
import { notFound } from "../web/pages/errors.ts";
import { id, oneOf } from "../web/request/params.ts";
import { absoluteUrl, paths } from "../words/urls.ts";
import { summariseBuckets } from "./history/histories.ts";
import { RANGE_NAMES, RANGES, type RangeName } from "./history/ranges.ts";
import {
  LIVE,
  listServerStates,
  loadServerBoard,
  type Server,
  type ServerBoard,
  type ServerState,
  STATUSES,
} from "./queries.ts";

const count = z.int().min(0).nullable();
const share = z.number().min(0).max(1).nullable();
const time = z.iso.datetime().nullable();

const CURRENT_FIGURES = {
  server_id: z.string(),
  online: count.meta({ description: "null unless the server is online and tells." }),
  bots: count.meta({
    description:
      "Null if the server does not report it. Not part of `online`, unless the server’s adapter options say so.",
  }),
  queue: count.meta({ description: "Null if the server does not report it; 0 if nobody is queuing." }),
  max_online: count,
  status: z.enum(STATUSES).meta({ description: "unknown: not measured yet, or not for 15 minutes." }),
  checked_at: time.meta({ description: "When these figures were measured." }),
};

const generatedAt = time.meta({
  description: "Time of the newest record in the answer; null where there is none.",
});

const onlineOutput = z.object({
  generated_at: generatedAt,
  servers: z.array(z.object({ ...CURRENT_FIGURES, last_online_at: time }).meta({ id: "ServerState" })),
});

const dataInput = z.object({
  range: oneOf(RANGE_NAMES).optional(),
  server_id: id().optional(),
});

const column = z.array(count);
const INTERVALS = RANGE_NAMES.map((range) => RANGES[range].intervalS);

const serverWithHistory = z
  .object({
    ...CURRENT_FIGURES,
    name: z.string(),
    game: z.string().nullable(),
    address: z.string().nullable(),
    url: z.string().meta({ description: "Its page on this site." }),
    website: z.string().nullable().meta({ description: "Its own site." }),
    position: z.int().min(1).meta({ description: "The position in the default order." }),
    peak_24h: count
      .optional()
      .meta({ description: "Highest known value of `history.online`; of 24 hours only." }),
    average_24h: z
      .number()
      .nullable()
      .optional()
      .meta({ description: "Mean of the known values of `history.online`; of 24 hours only." }),
    uptime_24h: share.optional().meta({
      description:
        "Share of the buckets with a known state in which any poll found the server online; of 24 hours only.",
    }),
    peak: count.optional().meta({ description: "Highest of all counts of the range; with `range` only." }),
    average: z
      .number()
      .nullable()
      .optional()
      .meta({ description: "Mean of all counts of the range; with `range` only." }),
    uptime: share.optional().meta({
      description: "Share of the polls with a known state that found the server online; with `range` only.",
    }),
    history: z
      .object({
        online: column,
        online_min: column.optional().meta({ description: "Lowest count of the bucket; with `range` only." }),
        online_max: column
          .optional()
          .meta({ description: "Highest count of the bucket; with `range` only." }),
        queue: column,
      })
      .meta({
        description:
          "One value for each of `times`: the mean of what was measured in that bucket, rounded half up; null where " +
          "nothing was measured or the server was offline.",
      }),
  })
  .meta({ id: "ServerWithHistory" });

const dataOutput = z.object({
  generated_at: generatedAt,
  range: z.enum(RANGE_NAMES).optional().meta({ description: "As it was asked for; else missing." }),
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  interval_s: z.literal(INTERVALS).meta({ description: "300 unless a range was asked for." }),
  times: z.array(z.int()).meta({
    description: "Starts of the buckets in epoch seconds; the last bucket is the one that runs now.",
  }),
  servers: z.array(serverWithHistory),
});

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
        ...figuresOf(server),
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
  return { ...figuresOf(server), name, game, address, url, website, position };
}

function summaryOfDay({ history }: Server) {
  const { peak, average, uptime } = summariseBuckets(history);
  return { peak_24h: peak, average_24h: average, uptime_24h: uptime };
}

function figuresOf({ id, online, bots, queue, max_online, status, checked_at }: ServerState) {
  return { server_id: id, online, queue, max_online, status, checked_at: isoTime(checked_at), bots };
}

function isoTime(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}
