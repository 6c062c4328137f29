import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

/**
 * How a list of servers behaves: `healthy` · `gzip` the same, compressed · `silent` accepts and never answers ·
 * `late` after 400 ms · `error` status 500 · `html` an error page with status 200 · `invalid` half of the JSON ·
 * `object` an error message where the list was · `duplicate` every element twice · `endless` a body without an end ·
 * `drip` a byte every 50 ms · `bomb` 1 GB of spaces in 1 MB of gzip · `large` 6 MB · `reset` cuts the connection ·
 * `redirect` once to the list · `redirectLoop` to itself · `redirectAway` to a file · `redirectTo` to `location`.
 */
export type JsonMood =
  | "healthy"
  | "gzip"
  | "silent"
  | "late"
  | "error"
  | "html"
  | "invalid"
  | "object"
  | "duplicate"
  | "endless"
  | "drip"
  | "bomb"
  | "large"
  | "reset"
  | "upgrade"
  | "redirect"
  | "redirectLoop"
  | "redirectAway"
  | "redirectTo";

export interface JsonPeerOptions {
  mood?: JsonMood;
  /** What it answers: `{ response: servers }`, as TruckersMP's list of servers does. */
  servers?: unknown;
  /** Where to of `redirectTo`. */
  location?: string;
  /** The address that it answers at: 127.0.0.1 unless told. */
  host?: string;
}

export interface JsonPeer {
  readonly url: string;
  readonly requests: number;
  /** Connections that are open now. */
  connections(): Promise<number>;
  /** The headers of the last request. */
  readonly headers: Record<string, unknown>;
  setMood(mood: JsonMood): void;
  setServers(servers: unknown): void;
  stop(): Promise<void>;
}

const LATE_MS = 400;
const DRIP_MS = 50;

/** A web server that publishes servers' figures as JSON. */
export async function startJsonPeer(options: JsonPeerOptions = {}): Promise<JsonPeer> {
  const { host = "127.0.0.1", location = "/" } = options;
  const state: { mood: JsonMood; servers: unknown } = { mood: "healthy", servers: [], ...options };
  let requests = 0;
  let headers: Record<string, unknown> = {};
  const server = createServer((request, response) => {
    requests += 1;
    headers = request.headers;
    response.on("error", () => undefined);
    if (state.mood === "redirectTo") response.writeHead(302, { location }).end();
    else if (request.url === "/moved") sendJson(response, state.servers);
    else answer(response, state.mood, state.servers);
  });
  server.listen(0, host);
  await once(server, "listening");
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}/servers`,
    get requests() {
      return requests;
    },
    get headers() {
      return headers;
    },
    connections: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      }),
    setMood: (mood) => {
      state.mood = mood;
    },
    setServers: (servers) => {
      state.servers = servers;
    },
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** Another protocol, which nobody asked for. */
export const SWITCHES = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n";

function answer(response: ServerResponse, mood: JsonMood, servers: unknown): void {
  const text = JSON.stringify({ response: servers });
  if (mood === "healthy") sendJson(response, servers);
  else if (mood === "gzip") response.setHeader("content-encoding", "gzip").end(gzipSync(text));
  else if (mood === "late") setTimeout(() => sendJson(response, servers), LATE_MS).unref();
  else if (mood === "error") response.writeHead(500).end(text);
  else if (mood === "html") response.setHeader("content-type", "text/html").end("<html>Maintenance</html>");
  else if (mood === "invalid") response.end(text.slice(0, text.length / 2));
  else if (mood === "object") sendJson(response, { error: true, message: "rate limit" });
  else if (mood === "duplicate") sendJson(response, [servers, servers].flat());
  else if (mood === "large") response.end(`[${" ".repeat(6 * 1024 * 1024)}]`);
  else if (mood === "reset") response.destroy();
  else if (mood === "upgrade") response.socket?.end(SWITCHES);
  else if (mood === "endless") keepWriting(response, " ".repeat(64 * 1024));
  else if (mood === "drip") drip(response);
  else if (mood === "bomb") response.setHeader("content-encoding", "gzip").end(bomb());
  else if (mood === "redirect") response.writeHead(302, { location: "/moved" }).end("see there");
  else if (mood === "redirectLoop") response.writeHead(302, { location: "/servers" }).end();
  else if (mood === "redirectAway") response.writeHead(302, { location: "file:///etc/passwd" }).end();
}

function sendJson(response: ServerResponse, servers: unknown): void {
  response.setHeader("content-type", "application/json").end(JSON.stringify({ response: servers }));
}

function keepWriting(response: ServerResponse, text: string): void {
  response.write(text, (error) => {
    if (!error && !response.destroyed) setImmediate(() => keepWriting(response, text));
  });
}

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write(" "), DRIP_MS).unref();
  response.on("close", () => clearInterval(timer));
}

/** gzip may be of several members, which unpack one after another. */
function bomb(): Buffer {
  const tenMegabytes = gzipSync(Buffer.alloc(10 * 1024 * 1024, " "), { level: 9 });
  return Buffer.concat(Array.from({ length: 100 }, () => tenMegabytes));
}
