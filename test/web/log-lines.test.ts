import express, { type RequestHandler } from "express";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { HttpError, problemHandler } from "../../src/web/pages/errors.ts";
import { createLog, requestLog } from "../../src/web/server/log.ts";
import { useTestDatabase } from "../helpers/database.ts";

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
    expect(line).toMatch(/^error: request errored: oh\n {4}at .*log-lines\.test\.ts/);
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
