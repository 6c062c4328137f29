import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";

/** What a server sent back, up to the end of the connection. */
export interface RawAnswer {
  status: number;
  headers: string;
  body: string;
}

/**
 * Sends bytes that no well-behaved client would, over a connection of its own. The request has to end the
 * connection: HTTP/1.0, or `Connection: close`.
 */
export async function sendRaw(app: RequestListener, lines: string[], body = ""): Promise<RawAnswer> {
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  try {
    socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`);
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk);
    return parseAnswer(Buffer.concat(chunks).toString());
  } finally {
    socket.destroy();
    server.close();
  }
}

function parseAnswer(text: string): RawAnswer {
  const [headers = "", ...rest] = text.split("\r\n\r\n");
  return { status: Number(headers.split(" ")[1]), headers, body: rest.join("\r\n\r\n") };
}

/** A body that has been sent but for its last byte. */
export interface HeldForm {
  /** Sends the last byte. */
  finish(): Promise<RawAnswer>;
}

/**
 * Sends a form, or a body of another type, and holds its last byte back. Resolves once the site reads the body: whatever it checks before that, it
 * has checked.
 */
export async function holdForm(
  app: RequestListener,
  path: string,
  headers: Record<string, string>,
  body: string,
  method = "POST",
): Promise<HeldForm> {
  let arrived: IncomingMessage | undefined;
  const server = createServer((req, res) => {
    arrived = req;
    app(req, res);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const all = {
    Host: "almanac.test",
    Connection: "close",
    "Content-Type": "application/x-www-form-urlencoded",
    "Content-Length": String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body.slice(0, -1)}`);
  await expect.poll(() => arrived?.listenerCount("data") ?? 0).toBeGreaterThan(0);
  return {
    finish: async () => {
      socket.write(body.slice(-1));
      const chunks: Buffer[] = [];
      for await (const chunk of socket) chunks.push(chunk);
      server.close();
      return parseAnswer(Buffer.concat(chunks).toString());
    },
  };
}

/** A client that reads only as much as it should. */
export interface SlowReader {
  /** The bytes that arrived so far. */
  readonly bytes: number;
  /** Reads on at full speed until the connection ends; resolves to what arrived since. */
  readOn(): Promise<Buffer>;
  /** Reads so many bytes at most, then waits for so long, and so on until the connection ends. */
  sip(bytes: number, pauseMs: number): Promise<void>;
  /** Resolves when the server has ended the connection, without reading. */
  readonly ended: Promise<unknown>;
  close(): void;
}

/** Sends text over a connection of its own to a server, and leaves what comes back unread. */
export async function openSlowReader(server: Server, text: string): Promise<SlowReader> {
  const accepted = new Promise<Socket>((resolve) => {
    server.on("connection", (ours) => {
      if (ours.remotePort === socket.localPort) resolve(ours);
    });
  });
  const socket = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1" });
  socket.on("error", () => undefined);
  socket.pause();
  socket.write(text);
  const ours = await accepted;
  let bytes = 0;
  return {
    get bytes() {
      return bytes;
    },
    // Who does not read does not learn of the end either: the server's own end of the connection tells.
    ended: new Promise((resolve) => ours.once("close", resolve)),
    close: () => socket.destroy(),
    async readOn() {
      const chunks: Buffer[] = [];
      socket.on("data", (chunk) => chunks.push(chunk)).resume();
      if (!socket.closed) await once(socket, "close");
      return Buffer.concat(chunks);
    },
    async sip(most, pauseMs) {
      while (!socket.closed) {
        const chunk: Buffer | null = socket.read(Math.min(most, socket.readableLength) || undefined);
        bytes += chunk?.length ?? 0;
        await delay(pauseMs);
      }
    },
  };
}
