import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { type ConnectionLimits, guardConnections } from "../../src/web/server/connections.ts";
import { listen } from "../../src/web/server/listen.ts";
import { openSlowReader, type SlowReader } from "../helpers/raw-http.ts";

const MEGABYTE = 1024 * 1024;
/** More than the system takes of a connection whose client does not read. */
const LARGE = 24 * MEGABYTE;
const MINUTE = 60_000;

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
});

/** Nothing is too slow here unless a test says so. */
const PATIENT = { stallMs: MINUTE, graceMs: MINUTE, checkMs: 20 };

/** A guarded server that answers `/<megabytes>` at once with so much, and `/never` never; and what it logs. */
async function serve(limits: Partial<ConnectionLimits>, answer: RequestListener = answerAtOnce) {
  const lines: string[] = [];
  const log = pino(
    { level: "warn" },
    new Writable({ write: (line, _encoding, done) => done(void lines.push(String(line))) }),
  );
  const server = createServer(answer);
  guardConnections(server, log, { ...PATIENT, ...limits });
  await listenFor(server);
  return { server, lines };
}

async function listenFor(server: Server): Promise<void> {
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
}

const answerAtOnce: RequestListener = (req, res) => {
  if (req.url === "/never") return;
  res.end(Buffer.alloc(Number(req.url?.slice(1)) * MEGABYTE, "x"));
};

const GET = (path: string, headers = "") => `GET ${path} HTTP/1.1\r\nHost: almanac.test\r\n${headers}\r\n`;
const LAST = "Connection: close\r\n";

async function isOpen({ ended }: SlowReader): Promise<boolean> {
  return (await Promise.race([ended, delay(300, "open")])) === "open";
}

describe("a client that reads nothing", () => {
  it("loses its connection after a while, in the midst of a large answer", async () => {
    const { server, lines } = await serve({ stallMs: 200 });
    const reader = await openSlowReader(server, GET("/24"));
    await reader.ended;
    expect((await reader.readOn()).length).toBeLessThan(LARGE);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { ended: 1, latest: { why: "its client reads nothing", ip: "127.0.0.1" } },
    ]);
  });
});

describe("a client that waits for an answer", () => {
  it("keeps its connection for as long as the site takes", async () => {
    const { server } = await serve({ stallMs: 50 });
    expect(await isOpen(await openSlowReader(server, GET("/never")))).toBe(true);
  });

  it("loses it when it has asked for nothing", async () => {
    const { server } = await serve({ stallMs: 50 });
    await (await openSlowReader(server, "")).ended;
  });
});

describe("a client that reads slowly", () => {
  it("gets all of a large answer as long as it goes on reading", async () => {
    const { server } = await serve({ stallMs: 2_000, graceMs: 100, bytesPerSecond: 1_000_000 });
    const reader = await openSlowReader(server, GET("/24", LAST));
    // 64 KB each 5 ms are some 10 MB a second.
    await reader.sip(64 * 1024, 5);
    expect(reader.bytes).toBeGreaterThan(LARGE);
  });

  it("loses it where an endless answer is sipped", async () => {
    const { server } = await serve({ graceMs: 200, bytesPerSecond: 400_000_000 }, (_req, res) => {
      const piece = Buffer.alloc(64 * 1024);
      const writeOn = () => {
        while (res.write(piece));
      };
      res.on("drain", writeOn);
      writeOn();
    });
    await (await openSlowReader(server, GET("/"))).sip(64 * 1024, 5);
  });
});

describe("what all clients together leave unread", () => {
  it("is bounded: who holds most is ended, and the others get their answers whole", async () => {
    const { server } = await serve({ unreadBytes: 60 * MEGABYTE });
    const [small, large] = [
      await openSlowReader(server, GET("/24", LAST)),
      await openSlowReader(server, GET("/72", LAST)),
    ];
    await large.ended;
    expect(await isOpen(small)).toBe(true);
    expect((await small.readOn()).length).toBeGreaterThan(LARGE);
  });
});

describe("a connection", () => {
  it("is ended when it has more requests under way than any browser", async () => {
    const { server } = await serve({ pipelined: 4 });
    await (await openSlowReader(server, GET("/never").repeat(5))).ended;
    const modest = await openSlowReader(server, GET("/0").repeat(3) + GET("/0", LAST));
    expect(String(await modest.readOn()).match(/HTTP\/1.1 200/g)).toHaveLength(4);
  });

  it("that asks for nothing makes way for a new one when there are too many", async () => {
    const { server } = await serve({ connections: 2 });
    const asked = once(server, "request");
    const busy = await openSlowReader(server, GET("/never"));
    await asked;
    const idle = await openSlowReader(server, "");
    const newcomer = await openSlowReader(server, GET("/0", LAST));
    await idle.ended;
    expect(String(await newcomer.readOn())).toContain("200 OK");
    expect(await isOpen(busy)).toBe(true);
  });
});

describe("a request that is sent slowly", () => {
  it("is given up", async () => {
    const { server } = await listen(
      { port: 0, host: "127.0.0.1" },
      { times: { headersTimeout: 100, requestTimeout: 200, connectionsCheckingInterval: 50 } },
    );
    servers.push(server);
    const reader = await openSlowReader(server, "GET / HTTP/1.1\r\nHost: alm");
    await reader.ended;
    expect(String(await reader.readOn())).toContain("408");
  });
});
