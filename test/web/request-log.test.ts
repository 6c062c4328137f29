import { once } from "node:events";
import { connect } from "node:net";
import express, { type RequestHandler } from "express";
import { type Level, pino } from "pino";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { requestLog } from "../../src/web/server/log.ts";

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
});
