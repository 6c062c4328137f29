import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, type Server, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import fc from "fast-check";
import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { problemHandler } from "../../src/web/pages/errors.ts";
import { createSessions } from "../../src/web/session/session.ts";
import { paths } from "../../src/words/urls.ts";
import { TEST_CONFIG, useTestApp } from "../helpers/app.ts";
import { sendRaw } from "../helpers/raw-http.ts";
import { routePathsOf, routesOf } from "../helpers/routes.ts";

const site = useTestApp();

/**
 * Bytes that are no text, half a character, a NUL, a slash spelt too long, a lone surrogate; and what is long or blank.
 * Node itself refuses more than 16 KiB of them all.
 */
const ODD = ["%ff", "%00", "%", "%E0%A4%A", "%C0%AF", "%ED%A0%80", "%zz", "..%2f..", "a".repeat(1_500), ""];
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const TYPES = [
  "application/x-www-form-urlencoded",
  "application/json",
  "text/plain",
  "application/json; charset=%ff",
];

const keepAlive = new Agent({ keepAlive: true, maxSockets: 4 });
let server: Server;
let routes: string[];
let cookie: string;

beforeAll(async () => {
  server = createServer(site.app).listen(0, "127.0.0.1");
  await once(server, "listening");
  routes = routePathsOf(site.app.express);
  ({ cookie } = await site.logIn(await site.createUser({ role: "operator" })));
});

afterAll(() => {
  keepAlive.destroy();
  server?.close();
});

interface Asked {
  method: string;
  target: string;
  headers?: Record<string, string | undefined>;
  body?: string;
}

interface Answered {
  status: number;
  headers: IncomingMessage["headers"];
  body: string;
}

/** Sends a target unchanged: a client that takes a URL would normalise it first. */
function ask({ method, target, headers = {}, body }: Asked): Promise<Answered> {
  const { port } = server.address() as AddressInfo;
  // Node tells no length of the body of a DELETE by itself, and the next request of the connection would be garbage.
  const length = body === undefined ? undefined : String(Buffer.byteLength(body));
  const all = Object.entries({ ...headers, "content-length": length });
  const told = Object.fromEntries(all.filter(([, value]) => value !== undefined));
  return new Promise((resolve, reject) => {
    send({ port, host: "127.0.0.1", method, path: target, headers: told, agent: keepAlive })
      .on("error", reject)
      .on("response", async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
      })
      .end(body);
  });
}

/** No fault of the site's, with the headers of every answer, and in one of the two forms that a refusal has. */
async function expectProper(asked: Asked): Promise<void> {
  const { status, headers, body } = await ask(asked);
  const what = `${asked.method} ${asked.target.slice(0, 200)}: ${status}`;
  expect(status, what).toBeLessThan(500);
  expect(headers["x-content-type-options"], what).toBe("nosniff");
  expect(headers["referrer-policy"], what).toMatch(/^(strict-origin|no-referrer)/);
  expect(headers["content-security-policy"], what).toContain("script-src 'self'");
  expect(headers["x-request-id"], what).toMatch(/^[\w-]{36}$/);
  if (status < 400) return;
  expect(headers["content-type"], what).toMatch(/^(text\/html|application\/problem\+json)/);
  if (asked.method === "HEAD") return;
  if (String(headers["content-type"]).startsWith("text/html")) {
    expect(body, what).toMatch(/^<!doctype html>[\s\S]*<html lang="\w[\s\S]*<h1[\s\S]*<\/html>\s*$/i);
  } else expect(JSON.parse(body), what).toMatchObject({ status, title: expect.any(String) });
}

/** A route as a target, something odd standing where it takes a parameter, or at its end. */
function targetOf(route: string, odd: string): string {
  const filled = route.replace(/[:*]\w+/g, odd);
  return filled === route ? `${route}/${odd}` : filled;
}

describe("every route", () => {
  it("is found by this test", () => {
    const known = [paths.home(), paths.entry("items", "").concat(":id"), paths.unsubscribe(":token")];
    expect(routes).toEqual(
      expect.arrayContaining(known.map((path) => (path === "/" ? "" : path)).filter(Boolean)),
    );
    expect(routes).toEqual(
      expect.arrayContaining([paths.searchApi(), paths.toggleServerFavorite(), paths.profile()]),
    );
    expect(routes.length).toBeGreaterThan(60);
  });

  it("answers another method with those it takes", async () => {
    const sorted = (methods: Iterable<string>) =>
      [...methods].filter((method) => !["head", "options", "_all"].includes(method)).sort();
    // A record of the API asks for a key first: exchange/record-write.
    const isAsked = (path: string) => !/^\/api\/[^/]+\/:id(\/measurements)?$/.test(path);
    for (const [path, methods] of routesOf(site.app.express)) {
      if (methods.size === 0 || !isAsked(path)) continue;
      const target = path.replace(":kind", "items").replaceAll(/:\w+/g, "0");
      const { status, headers } = await ask({ method: "PATCH", target, headers: { cookie } });
      const allowed = String(headers.allow).toLowerCase().split(", ");
      expect([path, status, sorted(allowed)]).toEqual([path, 405, sorted(methods)]);
    }
  });

  it.each(["GET", "POST"])("answers %s with bytes in its path that are no text", async (method) => {
    const odd = ["%ff", "%00", "a".repeat(6_000)];
    // At the end of a route without parameters, each of them asks for the same: a page that is not there.
    const asked = routes.flatMap((route, index) =>
      (/[:*]/.test(route) ? odd : [odd[index % odd.length] ?? ""]).map(
        (text): Asked => ({
          method,
          target: targetOf(route, text),
          headers: text === "%00" ? { cookie } : {},
        }),
      ),
    );
    await Promise.all(asked.map(expectProper));
  });

  it("answers whatever is odd about a request", async () => {
    const odd = fc.oneof(
      fc.constantFrom(...ODD),
      fc.stringMatching(/^[%\w&=;,.~:@!$'()*+[\]{}|^`"<>\\/-]{0,40}$/),
    );
    const query = fc.array(
      fc.tuple(
        fc.constantFrom(..."q id page sort next api_key favorite %ff a.%ff __proto__".split(" ")),
        odd,
      ),
      { maxLength: 4 },
    );
    const asked = fc.record({
      method: fc.constantFrom(...METHODS),
      before: fc.constantFrom(
        ..."   /ru /en /RU /%72u http://evil.example http://%ff / //evil.example".split(" "),
      ),
      route: fc.constantFrom(...routes),
      odd,
      query,
      logged: fc.boolean(),
      cookies: fc.option(odd),
      language: fc.option(odd),
      type: fc.option(fc.constantFrom(...TYPES)),
      body: odd,
      key: fc.option(odd),
    });
    await fc.assert(
      fc.asyncProperty(
        asked,
        async ({ method, before, route, odd, query, logged, cookies, language, type, body, key }) => {
          const parameters = query.map((pair) => pair.join("=")).join("&");
          const jar = [
            ...(logged ? [cookie] : []),
            ...(cookies === null ? [] : [`almanac.sid=${clean(cookies)}`]),
          ];
          // A request that logs a user out does not read the next one.
          if (logged && route === paths.logout()) return;
          await expectProper({
            method,
            target: clean(`${before}${targetOf(route, odd)}${parameters === "" ? "" : `?${parameters}`}`),
            headers: {
              cookie: jar.length > 0 ? jar.join("; ") : undefined,
              "accept-language": language === null ? undefined : clean(language),
              "content-type": type ?? undefined,
              "x-api-key": key === null ? undefined : clean(key),
            },
            body: method === "GET" || method === "HEAD" || type === null ? undefined : clean(body),
          });
        },
      ),
      { numRuns: 80 },
    );
  });
});

/** Without what node's own client refuses to send. */
function clean(text: string): string {
  return text.replace(/[^\x21-\x7e]/g, "_").replace(/^$/, "/");
}

const askLine = (line: string) =>
  sendRaw(site.app, [`${line} HTTP/1.1`, "Host: almanac.test", "Connection: close"]);

describe("a request for no path", () => {
  it("OPTIONS * lists what the whole server can do", async () => {
    const { status, headers } = await askLine("OPTIONS *");
    expect(status).toBe(204);
    expect(headers).toMatch(/^allow: GET, HEAD, OPTIONS, POST\r?$/im);
  });

  it.each(["GET", "POST", "DELETE"])("%s * is bad input, and the site lives on", async (method) => {
    const { status, headers } = await askLine(`${method} *`);
    expect(status).toBe(400);
    expect(headers).toContain("application/problem+json");
    await request(site.app).get("/").expect(200);
  });
});

describe("a session", () => {
  it("is there for whatever handler comes after it, or an error is", async () => {
    const { baseUrl, sessionSecret: secret } = TEST_CONFIG;
    const times = { days: 1, idleDays: 1 };
    const findFavorites = async () => new Map();
    const sessions = createSessions({ db: site.db, baseUrl, secret, ...times, findFavorites });
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
    const { status, body } = await askLine("GET http://evil.example/nicknames");
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
    const { status } = await askLine(`GET ${path}`);
    expect(status).toBe(404);
  });
});
