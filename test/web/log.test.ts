import { once } from "node:events";
import { connect } from "node:net";
import express, { type RequestHandler } from "express";
import { type Level, pino } from "pino";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { HttpError, problemHandler } from "../../src/web/pages/errors.ts";
import { createLog, requestLog, withoutSecrets } from "../../src/web/server/log.ts";
import { paths } from "../../src/words/urls.ts";
import { useTestDatabase } from "../helpers/database.ts";

describe("an address in the log", () => {
  it.each([
    ["/api/online?api_key=alm_secret", "/api/online?api_key=***"],
    ["/api/online?limit=1&api_key=alm_secret&q=a", "/api/online?limit=1&api_key=***&q=a"],
    ["/api/online?api%5Fkey=alm_secret", "/api/online?api%5Fkey=***"],
    ["/api/online?API_KEY=alm_secret", "/api/online?API_KEY=***"],
    ["/api/online?api_key", "/api/online?api_key=***"],
    ["/api/online?q=a?b&api_key=alm_secret", "/api/online?q=a?b&api_key=***"],
  ])("%s loses its key", (url, logged) => {
    expect(withoutSecrets(url)).toBe(logged);
  });

  it.each([
    [paths.newPassword("secret"), "/login/new-password/***"],
    [paths.confirmEmail("secret"), "/confirm-email/***"],
    [paths.unsubscribe("secret.of/parts"), "/unsubscribe/***"],
    [paths.notificationFeed("secret"), "/notifications/feed/***"],
    ["/confirm-email/secret?api_key=alm_secret&a=b", "/confirm-email/***?api_key=***&a=b"],
    ["/login/new-password/secret/", "/login/new-password/***"],
    ["http://almanac.test/notifications/feed/secret.rss", "http://almanac.test/notifications/feed/***"],
    ["//notifications/feed/secret.rss", "//notifications/feed/***"],
    ["//almanac.test/unsubscribe/secret", "//almanac.test/unsubscribe/***"],
    ["/%75nsubscribe/secret%zz", "/unsubscribe/***"],
    ["/Unsubscribe/secret", "/Unsubscribe/***"],
    ["/login?next=/unsubscribe/secret&a=b", "/login?next=/unsubscribe/***&a=b"],
    ["/login?next=%2Funsubscribe%2Fsecret", "/login?next=/unsubscribe/***"],
    ["/login?next=%2flogin%3fnext%3d%252funsubscribe%252fsecret", "/login?next=/login?next=/unsubscribe/***"],
    ["/login?next=%2Fapi%2Fonline%3Fapi_key%3Dsecret", "/login?next=/api/online?api_key=***"],
  ])("%s loses its token", (url, logged) => {
    expect(withoutSecrets(url)).toBe(logged);
  });

  it.each([
    "/api/search?q=api_key",
    "/items",
    "/items?",
    "/login/new-password/",
    "/api/search?q=a&limit=5",
    "/items/100%25?q=%D0%B0%zz&b==%3D",
    "/login?next=%2Fnotifications%2Fsettings",
    "/api/search?q=api_key=",
  ])("%s stays as it is", (url) => {
    expect(withoutSecrets(url)).toBe(url);
  });

  it("is looked through however long it is: steps by the square of it would outlast a test", () => {
    for (const part of ["/", "%25", "?a=", "&a=%2F", "/unsubscribe/"]) {
      expect(withoutSecrets(part.repeat(200_000))).not.toBe("");
    }
  });
});

/** An app with one handler, and the lines that it logs. */
function logged(level: Level, handler: RequestHandler) {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level, base: null }, { write: (line) => lines.push(JSON.parse(line)) });
  return { app: express().use("/below", requestLog(log), handler), lines };
}

const fail: RequestHandler = (req, res) => {
  req.log.error({ err: new Error("broken") }, "it broke");
  res.status(503).end();
};

describe("the log of requests", () => {
  it("has a line for each, with the request, the caller and the result", async () => {
    const { app, lines } = logged("debug", (_req, res) => void res.status(404).end());
    const { headers } = await request(app).get("/below/it?q=a&api_key=alm_secret").expect(404);
    await expect.poll(() => lines).toHaveLength(1);
    expect(lines[0]).toEqual({
      level: 20,
      time: expect.any(Number),
      req: {
        id: headers["x-request-id"],
        method: "GET",
        url: "/below/it?q=a&api_key=***",
        ip: expect.stringContaining("127.0.0.1"),
      },
      res: { status: 404 },
      responseTime: expect.any(Number),
      msg: "request completed",
    });
  });

  it("has only those that failed on this side, unless somebody wants all", async () => {
    const { app: quiet, lines: none } = logged("info", (_req, res) => void res.status(404).end());
    await request(quiet).get("/below").expect(404);
    const { app, lines } = logged("info", fail);
    const { headers } = await request(app).get("/below").expect(503);
    await expect.poll(() => lines).toHaveLength(2);
    expect(lines).toMatchObject([
      { level: 50, msg: "it broke", err: { message: "broken" } },
      { level: 50, msg: "request errored", res: { status: 503 } },
    ]);
    for (const { req } of lines) expect(req).toMatchObject({ id: headers["x-request-id"], url: "/below" });
    expect(none).toEqual([]);
  });

  it("names a client that did not wait", async () => {
    const { app, lines } = logged("debug", () => undefined);
    const server = app.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const socket = connect(typeof address === "object" && address ? address.port : 0, "127.0.0.1");
    socket.write("GET /below HTTP/1.1\r\nHost: a.test\r\n\r\n", () => socket.destroy());
    await expect.poll(() => lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ msg: "request aborted", req: { ip: "127.0.0.1" } });
    server.close();
  });

  it("names the client behind a proxy that is trusted, and the proxy where none is", async () => {
    const { app, lines } = logged("debug", (_req, res) => void res.end());
    await request(app).get("/below").set("X-Forwarded-For", "203.0.113.7").expect(200);
    await expect.poll(() => lines).toHaveLength(1);
    app.set("trust proxy", 1);
    await request(app).get("/below").set("X-Forwarded-For", "203.0.113.7").expect(200);
    await expect.poll(() => lines).toHaveLength(2);
    expect(lines[0]?.req).toMatchObject({ ip: expect.stringContaining("127.0.0.1") });
    expect(lines[1]?.req).toMatchObject({ ip: "203.0.113.7" });
  });

  it("outlives an answer that breaks", async () => {
    const { app, lines } = logged("info", (_req, res) => {
      res.end();
      res.write("after the end");
    });
    await request(app).get("/below").expect(200);
    await expect.poll(() => lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ level: 50, err: { code: "ERR_STREAM_WRITE_AFTER_END" } });
  });

  it("gives every request an id of its own", async () => {
    const { app } = logged("info", (req, res) => void res.send(req.id));
    const [one, other] = [await request(app).get("/below"), await request(app).get("/below")];
    expect(one.text).toMatch(/^[\da-f-]{36}$/);
    expect(one.headers["x-request-id"]).toBe(one.text);
    expect(other.text).not.toBe(one.text);
  });
});

const LINE = 4_000;
/** Nearly what Node takes of a request's head. */
const LONG = "x".repeat(15_000);

const database = useTestDatabase();

/** Asks an app that fails for an address, and returns the lines of its log. */
async function linesOf(fail: RequestHandler, address: string): Promise<string[]> {
  const lines: string[] = [];
  const log = createLog("info", "json", { write: (line) => void lines.push(line) });
  const app = express().use(requestLog(log), fail, problemHandler("http://almanac.test"));
  await request(app).get(address);
  await expect.poll(() => lines.length).toBeGreaterThanOrEqual(2);
  return lines;
}

const failWith =
  (error: () => Error): RequestHandler =>
  (_req, _res, next) =>
    next(error());

describe("a line of the log", () => {
  it.each([
    ["503", () => new HttpError("unavailable", "Too much.")],
    ["500", () => new Error(`cannot do ${LONG.repeat(10)}`)],
    [
      "500 of several causes",
      () =>
        new AggregateError(
          [1, 2].map(() => new Error(LONG)),
          LONG,
          { cause: new Error(LONG) },
        ),
    ],
  ])("is of bounded length for an address of 15 KB that is answered %s", async (_name, error) => {
    const lines = await linesOf(failWith(error), `/items?q=${LONG}`);
    for (const line of lines) {
      expect(line.length).toBeLessThanOrEqual(LINE);
      expect(JSON.parse(line)).toMatchObject({
        level: 50,
        req: { id: expect.stringMatching(/^[\w-]{36}$/) },
      });
    }
    expect(lines.map((line) => JSON.parse(line).req.url.slice(0, 12))).toEqual([
      "/items?q=xxx",
      "/items?q=xxx",
    ]);
  });

  it("tells no secret that it hides where it is short", async () => {
    const addresses = [
      `/items?q=${LONG}&api_key=alm_secret`,
      `/items?api_key=alm_secret${LONG}`,
      `/unsubscribe/alm_secret${LONG}`,
      `/login?next=${encodeURIComponent(`/notifications/feed/alm_secret${LONG}.rss`)}`,
    ];
    for (const address of addresses) {
      const lines = await linesOf(
        failWith(() => new Error("no")),
        address,
      );
      expect(lines.join("")).not.toContain("alm_secret");
    }
  });

  it("is left as it is where it is not too long", () => {
    const lines: string[] = [];
    const log = createLog("info", "json", { write: (line) => void lines.push(line) });
    log.warn({ text: LONG.slice(0, 3_000) }, "long enough");
    log.info("short");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { text: LONG.slice(0, 3_000), msg: "long enough" },
      { msg: "short" },
    ]);
  });

  it("has its level, time and message whatever else it holds", () => {
    const lines: string[] = [];
    const log = createLog("info", "json", { write: (line) => void lines.push(line) });
    const nested = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [n, Array(40).fill(LONG.slice(0, 100))]),
    );
    log.warn({ nested }, "too much");
    expect(lines[0]?.length).toBeLessThanOrEqual(LINE);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      level: 40,
      time: expect.any(Number),
      msg: "too much",
    });
  });

  it("names a query that failed without what somebody typed", async () => {
    const failing: RequestHandler = async () => {
      await database.db.raw("select 1 / 0 where ?::text <> ''", ["typed by somebody"]);
    };
    const [line = ""] = await linesOf(failing, "/");
    expect(JSON.parse(line).err.message).toBe("select 1 / 0 where $1::text <> '' - division by zero");
    expect(line).not.toContain("typed by somebody");
  });
});

describe("a line of the log for people", () => {
  function written(log: (to: ReturnType<typeof createLog>) => void): string[] {
    const lines: string[] = [];
    log(createLog("debug", "text", { write: (line) => void lines.push(line) }));
    return lines.map((line) => line.replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ /, ""));
  }

  it("has the time, the message, the reason and what belongs to it, and neither JSON nor a stack", () => {
    const lines = written((log) => {
      log.info("polling the servers");
      log.warn({ err: new Error("no answer"), loop: "look for discounts" }, "a background run failed");
      log.info({ security: "login.failed", ip: "203.0.113.8", user_id: 7 });
      log.warn({ missing: ["a", "b"], ms: 5 }, "texts are missing");
    });
    expect(lines).toEqual([
      "polling the servers\n",
      "warning: a background run failed: no answer (loop=look for discounts)\n",
      "security: login.failed (ip=203.0.113.8, user_id=7)\n",
      'warning: texts are missing (missing=["a","b"], ms=5)\n',
    ]);
  });

  it("names the place of a bug in the code", () => {
    const [line = ""] = written((log) => log.error({ err: new Error("oh") }, "request errored"));
    expect(line).toMatch(/^error: request errored: oh\n {4}at .*log\.test\.ts/);
    expect(line.split("\n").length).toBeLessThan(12);
  });

  it("stays one line of bounded length whatever somebody sent", () => {
    const [line = ""] = written((log) =>
      log.warn({ name: `a\nfatal: b\r\u001b[31m\u2028c ${LONG}` }, "refused"),
    );
    expect(line).toMatch(/^warning: refused \(name=a fatal: b \[31m c x+…\n$/);
    expect(line.length).toBeLessThan(4_200);
  });
});
