import { z } from "zod";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { INTERVAL_S } from "./history.ts";
import { listServerStates, loadServerBoard, type Server, type ServerState } from "./queries.ts";
import { dataOutput, onlineOutput } from "./schemas.ts";

const showOnline = endpoint({
  method: "GET",
  path: "/api/online",
  operationId: "listOnline",
  summary: "Current online and queue count of every server.",
  access: "session-or-key",
  input: z.object({}),
  output: onlineOutput,
  handle: async (_input, { db }) => {
    const { generatedAt, servers } = await listServerStates(db);
    return {
      generated_at: isoTime(generatedAt),
      servers: servers.map((server) => ({
        ...currentFigures(server),
        last_online_at: isoTime(server.last_online_at),
      })),
    };
  },
});

const showData = endpoint({
  method: "GET",
  path: "/api/data",
  operationId: "listServers",
  summary: "Every server with its online history of the last 24 hours.",
  access: "session-or-key",
  input: z.object({}),
  output: dataOutput,
  handle: async (_input, { db }) => {
    const { generatedAt, times, servers } = await loadServerBoard(db);
    const [first = 0, last = 0] = [times[0], times.at(-1)];
    return {
      generated_at: isoTime(generatedAt),
      from: new Date(first * 1000).toISOString(),
      to: new Date((last + INTERVAL_S) * 1000).toISOString(),
      interval_s: INTERVAL_S as typeof INTERVAL_S,
      times,
      servers: servers.map(withHistory),
    };
  },
});

/** The endpoints of the server list. */
export const serverEndpoints: Endpoint[] = [showOnline, showData];

function withHistory(server: Server) {
  const { name, game, address, url, position, history } = server;
  return {
    ...currentFigures(server),
    name,
    game,
    address,
    url,
    position,
    peak_24h: server.peak,
    average_24h: server.average,
    uptime_24h: server.uptime,
    history: { online: history.online, queue: history.queue },
  };
}

function currentFigures(server: ServerState) {
  const { id, online, queue, max_online, status } = server;
  return { server_id: id, online, queue, max_online, status, checked_at: isoTime(server.checked_at) };
}

function isoTime(time: Date | null): string | null {
  return time === null ? null : time.toISOString();
}
