import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from "node:http";
import { type AddressInfo, Server as NetServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { ConfigError } from "../../settings/sources.ts";
import { paths } from "../../words/urls.ts";
import { http } from "./node-http.ts";
import { answerRefusedHeads } from "./refused-heads.ts";

const DRAIN_MS = 10_000;

/** How long a new connection has for its first request when the server stops. */
const FIRST_REQUEST_MS = 1_000;

/** How long a request waits for the app on an inherited socket: longer than a restart takes. */
const START_WAIT_MS = 15_000;

/**
 * Milliseconds that a client may take for a request's head, and for all of it. Node's defaults (60 and 300 s, checked
 * every 30 s) let a slow sender keep a connection for minutes.
 */
const REQUEST_TIMES = { headersTimeout: 20_000, requestTimeout: 60_000, connectionsCheckingInterval: 5_000 };

/**
 * A server that listens and answers 503 until `answerWith` is called. On an inherited socket, requests wait for it
 * instead, as they do while no process runs.
 */
export interface Listener {
  server: Server;
  /** The address for a browser on this machine. */
  url: string;
  /** Passes requests on. */
  answerWith(answer: RequestListener): void;
  /**
   * Opens the port, if that was postponed.
   * @throws ConfigError as `listen`
   */
  open(): Promise<void>;
  /** Makes every response the last of its connection, so that clients go elsewhere before the port is closed. */
  sendAway(): void;
}

interface ListenOptions {
  readonly times?: Pick<ServerOptions, keyof typeof REQUEST_TIMES>;
  /** Postpones opening the port, which must be a certain one, to `open`. */
  readonly isLater?: boolean;
}

/** @throws ConfigError if the port is in use or may not be used */
export async function listen(
  { port, host, socket }: ListenAddress,
  { times = REQUEST_TIMES, isLater = false }: ListenOptions = {},
): Promise<Listener> {
  const ready = Promise.withResolvers<void>();
  let answer: RequestListener = socket === undefined ? answerStarting : answerOnceReady;
  let isLast = false;
  const server = http.createServer(times, (req, res) => {
    if (isLast) res.setHeader("Connection", "close");
    answer(req, res);
  });
  answerRefusedHeads(server);
  function answerOnceReady(req: IncomingMessage, res: ServerResponse): void {
    if (isHealthPath(req)) {
      answerStarting(req, res);
      return;
    }
    void Promise.race([ready.promise, delay(START_WAIT_MS, undefined, { ref: false })]).then(() => {
      if (answer === answerOnceReady) {
        answerStarting(req, res);
        return;
      }
      answer(req, res);
    });
  }
  const open = () => openPort(server, { port, host, socket });
  if (!isLater) await open();
  const opened = server.address() as AddressInfo | null;
  const url = buildUrl({
    host: (socket === undefined ? undefined : opened?.address) ?? host,
    port: opened?.port ?? port,
  });
  return {
    server,
    url,
    open,
    answerWith: (next) => {
      answer = next;
      ready.resolve();
    },
    sendAway: () => {
      isLast = true;
      // For responses that have begun without that header.
      server.keepAliveTimeout = 1;
    },
  };
}

/** Responds before the app is ready, so the problem's `type` cannot link to its documentation. */
function answerStarting(req: IncomingMessage, res: ServerResponse): void {
  if (isHealthPath(req)) {
    answerHealth(readPath(req) === paths.health(), res);
    return;
  }
  const detail = "Starting; try again in a moment.";
  const isApi = readPath(req).startsWith("/api/");
  const problem = { type: "about:blank", title: "Service Unavailable", status: 503, detail };
  res
    .writeHead(503, {
      "Retry-After": "2",
      // A browser reloads the page once the app is ready.
      ...(!isApi && { Refresh: "2" }),
      "Content-Type": isApi ? "application/problem+json" : "text/plain; charset=utf-8",
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
    })
    .end(isApi ? JSON.stringify(problem) : `${detail}\n`);
}

function isHealthPath(req: IncomingMessage): boolean {
  return [paths.health(), paths.readiness()].includes(readPath(req));
}

function readPath({ url = "" }: IncomingMessage): string {
  return url.split("?", 1)[0] ?? "";
}

/** The same response as health.ts sends later. */
function answerHealth(isHealthy: boolean, res: ServerResponse): void {
  const headers = { "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store" };
  if (isHealthy) res.writeHead(200, headers).end(JSON.stringify({ status: "ok" }));
  else {
    const state = { status: "not ready", starting: true };
    res.writeHead(503, { ...headers, "Retry-After": "2" }).end(JSON.stringify(state));
  }
}

/** Stops listening and waits for the requests under way, for at most ten seconds. Safe to call twice. */
export async function drain(server: Server): Promise<void> {
  if (!server.listening) return;
  // Not the `close` of an HTTP server: since Node 26.4 it resets connections whose first request is on its way
  // (https://github.com/nodejs/node/pull/63470).
  const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
  const timers = [
    setTimeout(() => server.closeIdleConnections(), FIRST_REQUEST_MS),
    setTimeout(() => server.closeAllConnections(), DRAIN_MS),
  ];
  await closed;
  for (const timer of timers) clearTimeout(timer);
}

/** The address to listen on, from settings named `PORT` and `HOST` after a prefix. */
export interface ListenAddress {
  readonly port: number;
  readonly host: string;
  readonly prefix?: string;
  /** The descriptor of a socket that is already listening, used instead. */
  readonly socket?: number | undefined;
}

/**
 * Resolves once a server listens.
 * @throws ConfigError if the port is in use or may not be used
 */
export async function openPort(server: Server, place: ListenAddress): Promise<void> {
  const { port, host, socket } = place;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(explain(error, place)));
    server.listen(socket === undefined ? { port, host } : { fd: socket }, resolve);
  });
}

function explain(error: NodeJS.ErrnoException, { port, host, prefix = "" }: ListenAddress): Error {
  if (error.code === "EADDRINUSE")
    return new ConfigError(`${prefix}PORT: ${port} is in use on ${host}; set another one`);
  if (error.code === "EACCES")
    return new ConfigError(`${prefix}PORT: ${port} needs rights that this user does not have`);
  if (["EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN"].includes(error.code ?? "")) {
    return new ConfigError(`${prefix}HOST: ${host} is not an address of this machine`);
  }
  return error;
}

/** The address of a listener for a browser on this machine. */
export function buildUrl({ port, host }: { port: number; host: string }): string {
  return `http://${visibleHost(host)}:${port}`;
}

function visibleHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}
