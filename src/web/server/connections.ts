import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Logger } from "pino";

/** Limits for slow clients. Times are in milliseconds. */
export interface ConnectionLimits {
  /** A client that reads nothing for this long is gone. */
  readonly stallMs: number;
  /** Bytes a second that a client must read after `graceMs`: a phone with a weak signal reads more. */
  readonly bytesPerSecond: number;
  readonly graceMs: number;
  /** The maximum number of unread bytes in the responses of all connections together. */
  readonly unreadBytes: number;
  /** The maximum number of open requests of one connection. Browsers send one at a time. */
  readonly pipelined: number;
  readonly connections: number;
  readonly checkMs: number;
}

const LIMITS: ConnectionLimits = {
  stallMs: 30_000,
  bytesPerSecond: 2_000,
  graceMs: 30_000,
  unreadBytes: 64 * 1024 * 1024,
  pipelined: 32,
  connections: 4_000,
  checkMs: 500,
};

/** The log gets at most one line for ended connections in this time. */
const LOG_EVERY_MS = 60_000;

/** Added to the time that a connection has stalled, so that at first mainly size decides which one to end. */
const STALLED_AT_LEAST_MS = 10_000;

interface Connection {
  readonly socket: Socket;
  /** Requests without a complete response. */
  readonly open: Set<ServerResponse>;
  /** Set while there are bytes to read. */
  reading: { readonly since: number; readonly from: number; taken: number; movedAt: number } | undefined;
}

/**
 * Ends the connections of clients that do not read their responses, or too slowly, because Node would wait for ever. If
 * too much is unread in total, the largest and longest-stalled connection ends first. Handlers still have to respect
 * backpressure, because bytes that they hold back do not count here.
 */
export function guardConnections(server: Server, log: Logger, limits: Partial<ConnectionLimits> = {}): void {
  new ConnectionGuard(log, { ...LIMITS, ...limits }).watch(server);
}

class ConnectionGuard {
  readonly #limits: ConnectionLimits;
  readonly #log: Logger;
  /** Oldest first. */
  readonly #connections = new Map<Socket, Connection>();
  readonly #ended = { count: 0, loggedAt: Number.NEGATIVE_INFINITY };

  constructor(log: Logger, limits: ConnectionLimits) {
    this.#log = log;
    this.#limits = limits;
  }

  watch(server: Server): void {
    server.on("connection", (socket) => this.#add(socket));
    server.prependListener("request", ({ socket }, res) => this.#note(socket, res));
    // Unlike a timer of the site's own, this detects progress within a single large write.
    server.setTimeout(this.#limits.stallMs, (socket) => this.#onQuiet(socket));
    const timer = setInterval(() => this.#check(Date.now()), this.#limits.checkMs).unref();
    server.on("close", () => clearInterval(timer));
  }

  /** Above the limit, ends the oldest idle connection, or else the new one. */
  #add(socket: Socket): void {
    const connection = { socket, open: new Set<ServerResponse>(), reading: undefined };
    if (this.#connections.size >= this.#limits.connections) {
      const idle = [...this.#connections.values()].find(({ open }) => open.size === 0);
      this.#end(idle ?? connection, "there are too many connections");
    }
    if (socket.destroyed) return;
    this.#connections.set(socket, connection);
    socket.on("close", () => this.#connections.delete(socket));
  }

  #note(socket: Socket, res: ServerResponse): void {
    const connection = this.#connections.get(socket);
    if (!connection) return;
    connection.open.add(res);
    res.on("close", () => connection.open.delete(res));
    if (connection.open.size > this.#limits.pipelined) this.#end(connection, "it asked for too much at once");
  }

  /** Called after a while without traffic. */
  #onQuiet(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (!connection || connection.open.size === 0) socket.destroy();
    else if (countUnread(connection) > 0) this.#end(connection, "its client reads nothing");
    // The site is slow here, not the client.
    else socket.setTimeout(this.#limits.stallMs);
  }

  #check(now: number): void {
    let total = 0;
    for (const connection of this.#connections.values()) {
      const unread = countUnread(connection);
      total += unread;
      if (unread === 0) connection.reading = undefined;
      else if (this.#isTooSlow(connection, unread, now)) {
        this.#end(connection, "its client reads too slowly");
        total -= unread;
      }
    }
    if (total > this.#limits.unreadBytes) this.#makeRoom(total, now);
  }

  #isTooSlow(connection: Connection, unread: number, now: number): boolean {
    const { socket } = connection;
    const taken = socket.bytesWritten - socket.writableLength;
    connection.reading ??= { since: now, from: taken, taken, movedAt: now };
    const { reading } = connection;
    if (taken !== reading.taken) Object.assign(reading, { taken, movedAt: now });
    const bytes = taken - reading.from + unread;
    return now - reading.since > this.#limits.graceMs + (bytes / this.#limits.bytesPerSecond) * 1000;
  }

  #makeRoom(total: number, now: number): void {
    const burden = (connection: Connection) =>
      countUnread(connection) * (STALLED_AT_LEAST_MS + now - (connection.reading?.movedAt ?? now));
    const worstFirst = [...this.#connections.values()].sort((one, other) => burden(other) - burden(one));
    let rest = total;
    for (const connection of worstFirst) {
      if (rest <= this.#limits.unreadBytes) return;
      rest -= countUnread(connection);
      this.#end(connection, "too much waits to be read");
    }
  }

  #end(connection: Connection, why: string): void {
    const { socket } = connection;
    const unread = countUnread(connection);
    this.#connections.delete(socket);
    this.#ended.count += 1;
    if (Date.now() - this.#ended.loggedAt >= LOG_EVERY_MS) {
      const latest = { why, unread, ip: socket.remoteAddress };
      this.#log.warn({ ended: this.#ended.count, latest }, "connections of slow clients were ended");
      Object.assign(this.#ended, { count: 0, loggedAt: Date.now() });
    }
    socket.destroy();
  }
}

/** Bytes not passed to the system yet, including responses that wait for an earlier one. */
function countUnread(connection: Connection): number {
  const { socket, open } = connection;
  const inSocket = socket.writableLength;
  const waiting = [...open].reduce(
    (sum, res) => sum + res.writableLength - (res.socket === socket ? inSocket : 0),
    0,
  );
  return inSocket + waiting;
}
