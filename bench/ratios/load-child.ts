/**
 * The load generator: HTTP/1.1 over plain sockets, one request per connection at a time. autocannon rounds latencies
 * to whole milliseconds, and most of these answers take a fraction of one.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { LoadOrder, LoadResult } from "./load.ts";

/** Never repeats within a run of the bench. */
let uniqueNumber = 0;
const LAST_CHUNK = Buffer.from("\r\n0\r\n\r\n");
let stopped = false;

process.on("message", async (message: LoadOrder | "stop") => {
  if (message === "stop") {
    stopped = true;
    return;
  }
  stopped = false;
  const reply = await run(message).catch((error: Error) => ({ error: error.message }));
  process.send?.(reply);
});
process.on("disconnect", () => process.exit());

async function run(order: LoadOrder): Promise<LoadResult> {
  const clients = await Promise.all(Array.from({ length: order.connections }, () => Client.open(order)));
  // A server takes new connections one by one, between requests: none is counted before all of them are taken.
  await Promise.all(clients.map((client) => client.get(order.paths[0] ?? "/")));
  const latencies: number[] = [];
  let bytes = 0;
  const marks = new MarkCount(order.marks ?? []);
  const start = performance.now();
  const deadline = start + (order.seconds ?? Number.POSITIVE_INFINITY) * 1000;
  const { from = 0 } = order;
  let next = 0;
  const work = async (client: Client) => {
    let seen = 0;
    while (performance.now() < deadline && !stopped) {
      const number = next++;
      const due = await whenDue(order, start, number);
      const body = await client.get(order.paths[(from + number) % order.paths.length] ?? "/");
      latencies.push(performance.now() - due);
      bytes += body.length;
      seen = marks.count(body, seen);
    }
  };
  await Promise.all(clients.map(work));
  const seconds = (performance.now() - start) / 1000;
  for (const client of clients) client.close();
  return { ...summarise(latencies, seconds), bytesEach: bytes / latencies.length, marked: marks };
}

/**
 * Resolves to the start of a request's latency; waits for it if the order has a rate. A delayed request counts from
 * when it was due; otherwise a server that stands still would get only one.
 */
async function whenDue({ rate }: LoadOrder, start: number, number: number): Promise<number> {
  if (rate === undefined) return performance.now();
  const due = start + (number * 1000) / rate;
  const early = due - performance.now();
  if (early <= 0) return due;
  await delay(early);
  return performance.now();
}

function summarise(latencies: number[], seconds: number): Omit<LoadResult, "marked" | "bytesEach"> {
  const sorted = Float64Array.from(latencies).sort();
  const percentile = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return {
    requests: sorted.length,
    perSecond: sorted.length / seconds,
    p50: percentile(0.5),
    p95: percentile(0.95),
    p99: percentile(0.99),
    slowest: sorted.at(-1) ?? 0,
  };
}

/** Which of several texts the answers hold. */
class MarkCount {
  readonly alone: number[];
  mixed = 0;
  backwards = 0;
  readonly #marks: readonly string[];

  constructor(marks: readonly string[]) {
    this.#marks = marks;
    this.alone = marks.map(() => 0);
  }

  /** Counts one answer; `seen` is the latest mark that this connection had before, and what is returned is it now. */
  count(body: Buffer, seen: number): number {
    if (this.#marks.length === 0) return seen;
    const found = this.#marks.flatMap((mark, index) => (body.includes(mark) ? [index] : []));
    const [first] = found;
    if (first === undefined) return seen;
    if (found.length > 1) this.mixed++;
    else this.alone[first] = (this.alone[first] ?? 0) + 1;
    if (first < seen) this.backwards++;
    return Math.max(first, seen);
  }
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
  readonly #order: LoadOrder;
  #received: Buffer[] = [];
  #size = 0;
  #answer: Head | undefined;
  #settle: { resolve(body: Buffer): void; reject(error: Error): void } | undefined;

  static async open(order: LoadOrder): Promise<Client> {
    const socket = connect({ port: order.port, host: "127.0.0.1", noDelay: true });
    await once(socket, "connect");
    return new Client(socket, order);
  }

  constructor(socket: Socket, order: LoadOrder) {
    this.#socket = socket;
    this.#order = order;
    const headers = { ...order.headers, ...(order.cookie !== "" && { Cookie: order.cookie }) };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#head = ` HTTP/1.1\r\nHost: 127.0.0.1:${order.port}\r\n${lines.join("")}\r\n`;
    socket.on("data", (chunk) => this.#take(chunk));
    socket.on("error", (error) => this.#settle?.reject(error));
    socket.on("close", () => this.#settle?.reject(new Error("the server closed the connection")));
  }

  /** The body of the answer. @throws Error when its status is not the expected one */
  get(path: string): Promise<Buffer> {
    const address = this.#order.unique ? `${path}&n=${uniqueNumber++}` : path;
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#socket.write(`GET ${address}${this.#head}`, "latin1");
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
    const { text, size, length } = this.#answer;
    const received = Buffer.concat(this.#received).subarray(size);
    [this.#received, this.#size, this.#answer] = [[], 0, undefined];
    const body = length === "chunked" ? joinChunks(received) : received;
    if (text.startsWith(`HTTP/1.1 ${this.#order.status ?? 200} `)) this.#settle?.resolve(body);
    else this.#settle?.reject(new Error(`${text.split("\r\n", 1)[0]}: ${body.toString().slice(0, 200)}`));
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

/** RFC 9112, section 7.1 */
function joinChunks(received: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = received.indexOf("\r\n", at);
    const size = Number.parseInt(received.toString("latin1", at, lineEnd), 16);
    if (lineEnd < 0 || Number.isNaN(size)) throw new Error("the answer's chunks cannot be read");
    if (size === 0) return Buffer.concat(chunks);
    chunks.push(received.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 4 + size;
  }
}
