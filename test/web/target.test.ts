import express from "express";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { problemHandler } from "../../src/web/pages/errors.ts";
import { createSessions } from "../../src/web/session/session.ts";
import { TEST_CONFIG, useTestApp } from "../helpers/app.ts";
import { sendRaw } from "../helpers/raw-http.ts";

const site = useTestApp();

const ask = (line: string) =>
  sendRaw(site.app, [`${line} HTTP/1.1`, "Host: almanac.test", "Connection: close"]);

describe("a request for no path", () => {
  it("OPTIONS * lists what the whole server can do", async () => {
    const { status, headers } = await ask("OPTIONS *");
    expect(status).toBe(204);
    expect(headers).toMatch(/^allow: GET, HEAD, OPTIONS, POST\r?$/im);
  });

  it.each(["GET", "POST", "DELETE"])("%s * is bad input, and the site lives on", async (method) => {
    const { status, headers } = await ask(`${method} *`);
    expect(status).toBe(400);
    expect(headers).toContain("application/problem+json");
    await request(site.app).get("/").expect(200);
  });
});

describe("a session", () => {
  it("is there for whatever handler comes after it, or an error is", async () => {
    const { baseUrl, sessionSecret: secret } = TEST_CONFIG;
    const sessions = createSessions({
      db: site.db,
      baseUrl,
      secret,
      days: 1,
      idleDays: 1,
      findFavorites: async () => new Map(),
    });
    const app = express();
    app.use(sessions.load, (req, res) => void res.send(typeof req.session.userId));
    app.use(problemHandler(baseUrl));
    await request(app).get("/").expect(200, "undefined");
    const { status } = await sendRaw(app, ["GET * HTTP/1.1", "Host: almanac.test", "Connection: close"]);
    expect(status).toBe(400);
  });
});

describe("a request for a whole address", () => {
  it("is answered like one for its path, whatever host it names", async () => {
    const { status, body } = await ask("GET http://evil.example/nicknames");
    expect(status).toBe(200);
    expect(body).toContain('<link rel="canonical" href="http://almanac.test/nicknames">');
  });
});

describe("a path with bytes that are no text", () => {
  it.each(["/items/%zz", "/items/%ff", "/items/%C0%80", "/items/%00", "/servers/%ED%A0%80"])(
    "%s is bad input, as a page",
    async (path) => {
      const { type } = await request(site.app).get(path).expect(400);
      expect(type).toBe("text/html");
    },
  );

  it.each([
    "/assets/..%2fpackage.json",
    "/assets/%2e%2e/package.json",
    "/assets/..%5cpackage.json",
    "/assets/%00",
  ])("%s is no file", async (path) => {
    const { status } = await ask(`GET ${path}`);
    expect(status).toBe(404);
  });
});
