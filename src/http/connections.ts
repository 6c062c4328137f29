import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Logger } from "pino";

/** What clients may take of this process by being slow. Times are in milliseconds. */
export interface ConnectionLimits {
  /** Who takes nothing of an answer for so long has gone away without saying so. */
  readonly stallMs: number;
  /** Bytes a second that a client takes at the least, after `graceMs`: a phone with hardly any signal takes more. */
  readonly bytesPerSecond: number;
  readonly graceMs: number;
  /** Bytes of answers that wait to be read, of all connections together. */
  readonly unreadBytes: number;
  /** Requests of one connection that are under way at once. Browsers send one after the other. */
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

/** One line of the log tells of all connections that were ended in so many milliseconds. */
const TOLD_EVERY_MS = 60_000;

/** Of two connections that stopped within a few seconds the size alone decides which one is the greater burden. */
const STALLED_AT_LEAST_MS = 10_000;

interface Connection {
  readonly socket: Socket;
  /** Requests that are not answered to the end. */
  readonly open: Set<ServerResponse>;
  /** Since when there has been something to read, without a pause. */
  reading: { readonly since: number; readonly from: number; taken: number; movedAt: number } | undefined;
}

/**
 * Ends the connections of clients that do not read what they asked for, or so slowly that they keep it in memory:
 * Node itself waits for them without an end. Where all that is unread is too much, the connection goes first that has
 * most of it and for the longest time. Answers have to be written with regard to backpressure all the same: what a
 * handler holds back counts for nothing here.
 */
export function guardConnections(server: Server, log: Logger, limits: Partial<ConnectionLimits> = {}): void {
  new ConnectionGuard(log, { ...LIMITS, ...limits }).watch(server);
}

class ConnectionGuard {
  readonly #limits: ConnectionLimits;
  readonly #log: Logger;
  /** The oldest first. */
  readonly #connections = new Map<Socket, Connection>();
  readonly #ended = { count: 0, toldAt: Number.NEGATIVE_INFINITY };

  constructor(log: Logger, limits: ConnectionLimits) {
    this.#log = log;
    this.#limits = limits;
  }

  watch(server: Server): void {
    server.on("connection", (socket) => this.#add(socket));
    server.prependListener("request", ({ socket }, res) => this.#note(socket, res));
    // Unlike a timer of our own it knows how far the system is within a single large write.
    server.setTimeout(this.#limits.stallMs, (socket) => this.#onQuiet(socket));
    const timer = setInterval(() => this.#check(Date.now()), this.#limits.checkMs).unref();
    server.on("close", () => clearInterval(timer));
  }

  /** One more than there may be takes the place of the oldest that asks for nothing, else it is ended itself. */
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

  /** Nothing came in or went out for a while. */
  #onQuiet(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (!connection || connection.open.size === 0) socket.destroy();
    else if (unreadOf(connection) > 0) this.#end(connection, "its client reads nothing");
    // The site itself is slow, which is not the client's fault.
    else socket.setTimeout(this.#limits.stallMs);
  }

  #check(now: number): void {
    let total = 0;
    for (const connection of this.#connections.values()) {
      const unread = unreadOf(connection);
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
      unreadOf(connection) * (STALLED_AT_LEAST_MS + now - (connection.reading?.movedAt ?? now));
    const worstFirst = [...this.#connections.values()].sort((one, other) => burden(other) - burden(one));
    let rest = total;
    for (const connection of worstFirst) {
      if (rest <= this.#limits.unreadBytes) return;
      rest -= unreadOf(connection);
      this.#end(connection, "too much waits to be read");
    }
  }

  #end(connection: Connection, why: string): void {
    const { socket } = connection;
    const unread = unreadOf(connection);
    this.#connections.delete(socket);
    this.#ended.count += 1;
    if (Date.now() - this.#ended.toldAt >= TOLD_EVERY_MS) {
      const latest = { why, unread, ip: socket.remoteAddress };
      this.#log.warn({ ended: this.#ended.count, latest }, "connections of slow clients were ended");
      Object.assign(this.#ended, { count: 0, toldAt: Date.now() });
    }
    socket.destroy();
  }
}

/** Bytes that are written and not handed to the system yet, those of answers that wait for an earlier one included. */
function unreadOf(connection: Connection): number {
  const { socket, open } = connection;
  const inSocket = socket.writableLength;
  const waiting = [...open].reduce(
    (sum, res) => sum + res.writableLength - (res.socket === socket ? inSocket : 0),
    0,
  );
  return inSocket + waiting;
}
