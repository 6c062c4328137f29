/**
 * The load generator: HTTP/1.1 over plain sockets, one request per connection at a time. autocannon rounds latencies
 * to whole milliseconds, and most of these answers take a fraction of one.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { percentile } from "../report.ts";
import type { LoadOrder, LoadResult } from "./load.ts";

const LAST_CHUNK = Buffer.from("\r\n0\r\n\r\n");

process.on("message", async (order: LoadOrder) => {
  process.send?.(await run(order).catch((error: Error) => ({ error: error.message })));
});
process.on("disconnect", () => process.exit());

async function run(order: LoadOrder): Promise<LoadResult> {
  const { connections, paths } = order;
  const clients = await Promise.all(Array.from({ length: connections }, () => Client.open(order)));
  // A server takes new connections one by one, between requests: none is counted before all of them are taken.
  await Promise.all(clients.map((client) => client.get(paths[0] ?? "/")));
  const latencies: number[] = [];
  let bytes = 0;
  let next = order.from;
  const start = performance.now();
  const deadline = start + order.seconds * 1000;
  const work = async (client: Client) => {
    while (performance.now() < deadline) {
      const began = performance.now();
      const size = await client.get(paths[next++ % paths.length] ?? "/");
      bytes += size;
      latencies.push(performance.now() - began);
    }
  };
  await Promise.all(clients.map(work));
  const seconds = (performance.now() - start) / 1000;
  for (const client of clients) client.close();
  const requests = latencies.length;
  const p99 = percentile(latencies, 0.99);
  return { requests, perSecond: requests / seconds, bytesEach: bytes / requests, p99 };
}

/** How the body of an answer ends: after so many bytes, or with the last chunk. */
interface Head {
  readonly text: string;
  readonly size: number;
  readonly length: number | "chunked";
}

/** A connection that is kept alive and asks one thing at a time. */
class Client {
  readonly #socket: Socket;
  readonly #head: string;
  readonly #status: string;
  #received: Buffer[] = [];
  #size = 0;
  #answer: Head | undefined;
  #settle: { resolve(bytes: number): void; reject(error: Error): void } | undefined;

  static async open(order: LoadOrder): Promise<Client> {
    const socket = connect({ port: order.port, host: "127.0.0.1", noDelay: true });
    await once(socket, "connect");
    return new Client(socket, order);
  }

  constructor(socket: Socket, { port, headers, status }: LoadOrder) {
    this.#socket = socket;
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#head = ` HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${lines.join("")}\r\n`;
    this.#status = `HTTP/1.1 ${status} `;
    socket.on("data", (chunk) => this.#take(chunk));
    socket.on("error", (error) => this.#settle?.reject(error));
    socket.on("close", () => this.#settle?.reject(new Error("the server closed the connection")));
  }

  /** The size of the body of the answer. @throws Error when its status is not the expected one */
  get(path: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#socket.write(`GET ${path}${this.#head}`, "latin1");
    });
  }

  close(): void {
    this.#settle = undefined;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#received.push(chunk);
    this.#size += chunk.length;
    this.#answer ??= readHead(Buffer.concat(this.#received));
    if (!this.#answer || !this.#isComplete(this.#answer, chunk)) return;
    const { text, size } = this.#answer;
    // The frames of chunks count as well: they are less than a thousandth.
    if (text.startsWith(this.#status)) this.#settle?.resolve(this.#size - size);
    else this.#settle?.reject(new Error(Buffer.concat(this.#received).toString().slice(0, 1_000)));
    [this.#received, this.#size, this.#answer] = [[], 0, undefined];
  }

  /** One question at a time: what ends like a last chunk is the last one. */
  #isComplete({ size, length }: Head, last: Buffer): boolean {
    if (length !== "chunked") return this.#size >= size + length;
    const tail = last.length >= LAST_CHUNK.length ? last : Buffer.concat(this.#received);
    return tail.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK);
  }
}

function readHead(received: Buffer): Head | undefined {
  const end = received.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const text = received.toString("latin1", 0, end);
  const length = /\r\ntransfer-encoding: chunked/i.test(text)
    ? "chunked"
    : Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0);
  // A 304 tells the length of what it does not send.
  return { text, size: end + 4, length: text.startsWith("HTTP/1.1 304 ") ? 0 : length };
}
