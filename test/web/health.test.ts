import { once } from "node:events";
import { Agent, get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { pino } from "pino";
import request from "supertest";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createApp } from "../../src/app.ts";
import { ChangeFeed } from "../../src/db/change-feed.ts";
import { createDb } from "../../src/db/connect.ts";
import { type Assets, buildAssets } from "../../src/web/assets/build.ts";
import { drain, listen } from "../../src/web/server/listen.ts";
import { TEST_CONFIG } from "../helpers/app.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { cutOff } from "../helpers/jobs.ts";
import { startSilentProxy } from "../helpers/peers/silent-proxy.ts";
import { createTestSearch } from "../helpers/search.ts";

const database = useTestDatabase();
let assets: Assets;
beforeAll(async () => {
  assets = await buildAssets();
});

const KINDS = ["items", "vehicles", "scripts", "houses", "businesses", "servers", "shop", "pages"];
const searchOf = (isReady: boolean) => Object.fromEntries(KINDS.map((kind) => [kind, isReady]));

/** A site whose search follows nothing yet. */
function startSite({ url = database.url, poolMax = 2 } = {}) {
  const db = createDb({ url, poolMax, connectTimeoutMs: 1_000 });
  const log = pino({ level: "silent" });
  const stopping = new AbortController();
  const feedDb = createDb({ url, poolMax: 2, limitMs: 2_000 });
  const feed = new ChangeFeed({ db: feedDb, log });
  const search = createTestSearch({ db, url }, { checkEachSearch: false });
  void feed.start();
  const app = createApp({
    assets,
    config: TEST_CONFIG,
    db,
    log,
    search,
    stopping: stopping.signal,
    feed,
  });
  onTestFinished(async () => {
    await feed.stop();
    await search.close();
    await Promise.all([db.destroy(), feedDb.destroy()]);
  });
  return { app, db, search, stopping };
}

describe("/healthz", () => {
  it("answers 200 while the database is away", async () => {
    const { app } = startSite({ url: "postgres://nobody:x@127.0.0.1:1/nothing" });
    const { body, headers } = await request(app).get("/healthz").expect(200);
    expect(body).toEqual({ status: "ok" });
    expect(headers["cache-control"]).toBe("no-store");
  });
});

describe("/readyz", () => {
  it("is 503 until every kind can be searched", async () => {
    const { app, search } = startSite();
    const before = await request(app).get("/readyz").expect(503);
    expect(before.body).toEqual({
      status: "not ready",
      database: true,
      search: searchOf(false),
      stopping: false,
    });
    expect(before.headers).toMatchObject({ "retry-after": "5", "cache-control": "no-store" });
    await search.refresh();
    const after = await request(app).get("/readyz").expect(200);
    expect(after.body).toEqual({ status: "ready", database: true, search: searchOf(true), stopping: false });
  });

  it("is 503 while the database is away, and 200 again when it is back", async () => {
    const { app, search } = startSite();
    const status = async () => (await request(app).get("/readyz")).status;
    await search.refresh();
    await expect.poll(status).toBe(200);
    const { back } = await cutOff(database.url);
    try {
      await expect.poll(status).toBe(503);
      expect((await request(app).get("/readyz")).body).toMatchObject({
        database: false,
        search: searchOf(true),
      });
    } finally {
      await back();
    }
    await expect.poll(status).toBe(200);
  });

  it("needs none of the connections that requests share", async () => {
    const { app, db, search } = startSite();
    await search.refresh();
    const busy = [await db.transaction(), await db.transaction()];
    await request(app).get("/readyz").expect(200);
    for (const transaction of busy) await transaction.rollback();
  });

  it("finds out by a new connection that its own was lost without a word", async () => {
    const proxy = await startSilentProxy(database.url);
    const { app, search } = startSite({ url: proxy.url });
    await search.refresh();
    await request(app).get("/readyz").expect(200);
    proxy.fallSilent();
    await expect.poll(() => proxy.open).toBeGreaterThan(0);
    await request(app).get("/readyz").expect(200);
    proxy.fallSilent({ newOnesToo: true });
    await expect.poll(async () => (await request(app).get("/readyz")).status).toBe(503);
  });
});

describe("a process that starts", () => {
  it("is healthy and not ready, and answers all else 503", async () => {
    const { server, url } = await listen({ port: 0, host: "127.0.0.1" });
    onTestFinished(() => drain(server));
    const ask = async (path: string) => fetch(`${url}${path}`, { headers: { Connection: "close" } });
    expect((await ask("/healthz")).status).toBe(200);
    const ready = await ask("/readyz?from=here");
    expect(ready.status).toBe(503);
    expect(ready.headers.get("retry-after")).toBe("2");
    expect(await ready.json()).toEqual({ status: "not ready", starting: true });
    const page = await ask("/");
    expect([page.status, page.headers.get("refresh")]).toEqual([503, "2"]);
    const read = await ask("/api/search?q=a");
    expect([read.status, read.headers.get("refresh")]).toEqual([503, null]);
  });
});

describe("a process that leaves", () => {
  const ask = async (url: string, agent: Agent) => {
    const [answer]: IncomingMessage[] = await once(get(url, { agent }), "response");
    answer?.resume();
    return answer?.headers.connection;
  };

  it("tells its clients to come by another connection, and waits for none that is idle", async () => {
    const listener = await listen({ port: 0, host: "127.0.0.1" });
    listener.answerWith((_req, res) => void res.end("here"));
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    expect(await ask(listener.url, agent)).toBe("keep-alive");
    listener.sendAway();
    expect(await ask(listener.url, agent)).toBe("close");
    await drain(listener.server);
    await expect(fetch(listener.url)).rejects.toThrow();
  });

  it("answers on a connection that was made just before it left", async () => {
    const listener = await listen({ port: 0, host: "127.0.0.1" });
    listener.answerWith((_req, res) => void res.end("here"));
    const arrived = once(listener.server, "connection");
    const socket = connect(Number(new URL(listener.url).port), "127.0.0.1");
    await arrived;
    const drained = drain(listener.server);
    await delay(50);
    socket.write("GET / HTTP/1.1\r\nHost: site\r\nConnection: close\r\n\r\n");
    expect((await socket.setEncoding("utf8").toArray()).join("")).toContain("200 OK");
    await drained;
  });

  it("does not wait for ever for a connection that asks nothing", async () => {
    const { server, url } = await listen({ port: 0, host: "127.0.0.1" });
    const arrived = once(server, "connection");
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    await arrived;
    const closed = once(socket, "close");
    await drain(server);
    await closed;
  });

  it("ends a connection whose answer was under way when it left", async () => {
    const listener = await listen({ port: 0, host: "127.0.0.1" });
    let finish = () => undefined as unknown;
    listener.answerWith((_req, res) => {
      res.write("begun, ");
      finish = () => res.end("done");
    });
    // As a client would that sends one request after another.
    const agent = new Agent({ keepAlive: true });
    listener.server.keepAliveTimeout = 600_000;
    onTestFinished(() => agent.destroy());
    const [answer]: IncomingMessage[] = await once(get(listener.url, { agent }), "response");
    const body = answer?.setEncoding("utf8").toArray();
    listener.sendAway();
    const closed = once(answer?.socket ?? expect.fail("no answer"), "close");
    finish();
    expect((await body)?.join("")).toBe("begun, done");
    await closed;
    await drain(listener.server);
  });
});
