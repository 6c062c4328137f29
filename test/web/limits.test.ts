import { pino } from "pino";
import request, { type Response } from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { createKey, revokeKey } from "../../src/accounts/keys/queries.ts";
import type { SiteListener } from "../../src/app.ts";
import { ChangeFeed } from "../../src/db/change-feed.ts";
import { TEST_CONFIG, useTestApp } from "../helpers/app.ts";
import { sendRaw } from "../helpers/raw-http.ts";
import { createTestSearch } from "../helpers/search.ts";

const LIMITS = { key: 5, address: 3, session: 4, pages: 30, windowS: 60 };
/** Up to a window and the slack of processes; how much is left depends on the machine. */
const SECONDS = /^(?:[1-9]|[1-5]\d|6[01])$/;
const site = useTestApp({ limits: LIMITS, trustProxy: 1 });

let visitors = 0;
/** An address of its own for each test, as the proxy in front would say it. */
const newAddress = () => `203.0.113.${++visitors}`;
const from = (address: string, path: string, app = site.app) =>
  request(app).get(path).set("X-Forwarded-For", address).set("User-Agent", "a program");

/** `r` and `t` of RateLimit, and the names, `q` and `w` of its policy. */
function limitOf({ headers }: Response) {
  const [, name, r, t] = /^"(\w+)";r=(\d+);t=(\d+)$/.exec(headers.ratelimit ?? "") ?? [];
  const [, policy, q, w] = /^"(\w+)";q=(\d+);w=(\d+)$/.exec(headers["ratelimit-policy"] ?? "") ?? [];
  expect(policy).toBe(name);
  return { name, r: Number(r), t: Number(t), q: Number(q), w: Number(w) };
}

async function newKey() {
  const { id } = await site.createUser();
  return String(await createKey(site.db, id, { name: "limited", expiry: "never" }));
}

describe("calls of the API from one address", () => {
  it("count down, and are then refused until the window is over", async () => {
    const address = newAddress();
    const answers = [];
    for (let call = 0; call < 5; call += 1) answers.push(await from(address, "/api/search?q=a"));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
    expect(answers.map((answer) => limitOf(answer).r)).toEqual([2, 1, 0, 0, 0]);
    for (const answer of answers) expect(limitOf(answer)).toMatchObject({ name: "address", q: 3, w: 60 });
    // The window begins with the first call and does not begin again.
    const ends = answers.map((answer) => limitOf(answer).t);
    expect(ends).toEqual(ends.toSorted((a, b) => b - a));
    expect(ends[0]).toBeLessThanOrEqual(60);
  });

  it("are refused with a problem that says when to come back, and that other origins may read", async () => {
    const address = newAddress();
    for (let call = 0; call < 3; call += 1) await from(address, "/api/search?q=a").expect(200);
    const { headers, body } = await from(address, "/api/search?q=a").set("Accept-Language", "ru").expect(429);
    expect(headers["content-type"]).toBe("application/problem+json; charset=utf-8");
    expect(headers["retry-after"]).toMatch(SECONDS);
    expect(headers).toMatchObject({
      "cache-control": "no-store",
      "content-language": "ru",
      "access-control-allow-origin": "*",
      "x-content-type-options": "nosniff",
    });
    for (const name of ["RateLimit", "RateLimit-Policy", "Retry-After"])
      expect(headers["access-control-expose-headers"]?.split(", ")).toContain(name);
    expect(body).toEqual({
      type: "http://almanac.test/docs/errors#too-many-requests",
      title: "Слишком много запросов",
      status: 429,
      detail: expect.stringMatching(/^Исчерпан лимит: 3 запросов за 60 с\. Повторите через \d+ с\.$/),
      "violated-policies": ["address"],
    });
    const { headers: open } = await from(newAddress(), "/api/search?q=a");
    expect(open["access-control-expose-headers"]).toContain("RateLimit-Policy");
  });

  it("count by /64 for IPv6, and by each address for IPv4", async () => {
    for (const host of ["1", "ffff:1", "2:3:4"])
      await from(`2001:db8:0:7::${host}`, "/api/search?q=a").expect(200);
    await from("2001:db8:0:7:8::9", "/api/search?q=a").expect(429);
    await from("2001:db8:0:8::1", "/api/search?q=a").expect(200);
  });

  it("count by the address that the trusted proxy says, whatever the client pretends", async () => {
    const address = newAddress();
    for (const [nth, status] of [200, 200, 200, 429].entries())
      await from(`198.51.100.${nth}, ${address}`, "/api/search?q=a").expect(status);
  });

  it("count also where the target is a whole URL", async () => {
    const address = newAddress();
    const head = ["GET http://almanac.test/api/search?q=a HTTP/1.1", "Host: almanac.test"];
    const lines = [...head, `X-Forwarded-For: ${address}`, "Connection: close"];
    for (const status of [200, 200, 200, 429])
      expect(await sendRaw(site.app, lines)).toMatchObject({ status });
  });

  it("count OPTIONS as any other method, with a key or without", async () => {
    const address = newAddress();
    const ask = (path: string) => request(site.app).options(path).set("X-Forwarded-For", address);
    expect(limitOf(await ask("/api/search").expect(204))).toMatchObject({ name: "address", r: 2 });
    await ask("/api/items/none").expect(204);
    await ask("/api/no/such/path").expect(404);
    await ask("/api/search").expect(429);
    expect(limitOf(await ask(`/api/search?api_key=${await newKey()}`).expect(204)).name).toBe("key");
  });

  it("count a browser's preflights, which have no key, with the pages", async () => {
    const address = newAddress();
    const ask = () =>
      request(site.app)
        .options("/api/search")
        .set("X-Forwarded-For", address)
        .set("Access-Control-Request-Method", "GET");
    for (let call = 1; call <= 30; call += 1)
      expect(limitOf(await ask().expect(204))).toMatchObject({ name: "site", r: 30 - call });
    await ask().expect(429);
    await request(site.app).options("/items").set("X-Forwarded-For", address).expect(429);
    expect(limitOf(await from(address, "/api/search?q=a")).r).toBe(2);
  });
});

describe("calls with a key", () => {
  it("count by the key's owner, from whatever address, and leave the address alone", async () => {
    const [key, other] = [await newKey(), await newKey()];
    const ask = (sent: string, address = newAddress()) =>
      from(address, "/api/search?q=a").set("X-API-Key", sent);
    for (let call = 0; call < 5; call += 1) expect(limitOf(await ask(key).expect(200)).name).toBe("key");
    expect((await ask(key).expect(429)).body["violated-policies"]).toEqual(["key"]);
    await ask(other).expect(200);
  });

  it("have one budget for all keys of a user, which every answer tells", async () => {
    const { id } = await site.createUser();
    const keys = [];
    for (let nth = 0; nth < 7; nth += 1)
      keys.push(String(await createKey(site.db, id, { name: `key ${nth}`, expiry: "never" })));
    const ask = (key = "") => from(newAddress(), "/api/search?q=a").set("X-API-Key", key);
    for (const [nth, key] of keys.slice(0, 5).entries())
      expect(limitOf(await ask(key).expect(200))).toMatchObject({ name: "key", q: 5, r: 4 - nth });
    expect(limitOf(await ask(keys[5]).expect(429))).toMatchObject({ name: "key", r: 0 });
    // Another key, even a new one, is no other budget, and one that is revoked gives nothing back.
    await revokeKey(site.db, id, (await site.db("api_keys").where({ user_id: id }).first("id")).id);
    await ask(keys[6]).expect(429);
    await ask(String(await createKey(site.db, id, { name: "new", expiry: "never" }))).expect(429);
  });

  it("are the same key in the header, in the query, and in a query that is encoded", async () => {
    const key = await newKey();
    const address = newAddress();
    for (const query of [
      `api_key=${key}`,
      `api%5Fkey=${key}`,
      `q=b&api_key=${key}`,
      `api_key=%61${key.slice(1)}`,
    ])
      expect(limitOf(await from(address, `/api/search?q=a&${query}`)).name).toBe("key");
    expect(limitOf(await from(address, "/api/search?q=a").set("X-API-Key", key)).r).toBe(0);
    await from(address, `/api/search?q=a&api_key=${key}`).expect(429);
  });

  it("count by address where the key is wrong: guessing costs the guesser", async () => {
    const address = newAddress();
    for (const status of [401, 401, 401, 429])
      await from(address, "/api/search?q=a").set("X-API-Key", "alm_wrong").expect(status);
  });
});

describe("dear calls", () => {
  it("cost as much as the document says, never more than there is", async () => {
    const key = await newKey();
    const ask = (path: string) => from(newAddress(), path).set("X-API-Key", key);
    const { body } = await from(newAddress(), "/api/openapi.json");
    expect([body.paths["/api/data"].get["x-cost"], body.paths["/api/items"].get["x-cost"]]).toEqual([5, 5]);
    expect(limitOf(await ask("/api/data").expect(200)).r).toBe(0);
    const other = await newKey();
    await from(newAddress(), "/api/online").set("X-API-Key", other).expect(200);
    const refused = await from(newAddress(), "/api/items/?x").set("X-API-Key", other).expect(429);
    expect(limitOf(refused).r).toBe(4);
    expect(limitOf(await from(newAddress(), "/api/online").set("X-API-Key", other).expect(200)).r).toBe(3);
  });
});

describe("what the site's own pages ask", () => {
  const withSession = async (address: string) => {
    const { headers } = await from(address, "/session").expect(200);
    const cookie = String(headers["set-cookie"]?.[0]).split(";")[0] ?? "";
    return (path = "/api/online") => from(address, path).set("Cookie", cookie);
  };

  it("counts by session, and not by address", async () => {
    const address = newAddress();
    const ask = await withSession(address);
    for (const r of [3, 2, 1, 0])
      expect(limitOf(await ask().expect(200))).toMatchObject({ name: "session", r });
    await ask().expect(429);
    await from(address, "/api/search?q=a").expect(200);
  });

  it("is limited for an address over all of its sessions, and each costs as much as ten pages", async () => {
    const address = newAddress();
    const ask = await withSession(address);
    for (let page = 0; page < 17; page += 1) await from(address, "/healthz?x").expect(200);
    for (let page = 0; page < 17; page += 1) await from(address, "/robots.txt").expect(200);
    for (let call = 0; call < 3; call += 1) await ask().expect(200);
    const refused = await ask().expect(429);
    expect(limitOf(refused).name).toBe("site");
    await from(address, "/session").expect(429);
  });

  it("counts with the pages where a browser has no session, and by user for who is logged in", async () => {
    const address = newAddress();
    const own = () => from(address, "/api/search/all?q=a").set("Sec-Fetch-Site", "same-origin");
    for (let call = 0; call < 5; call += 1) expect(limitOf(await own().expect(200)).name).toBe("site");
    const { agent } = await site.logIn();
    await agent.get("/").set("X-Forwarded-For", address).expect(200);
    const mine = await agent.get("/api/online").set("X-Forwarded-For", address).expect(200);
    expect(limitOf(mine)).toMatchObject({ name: "user", q: 4 });
  });

  it("is no way out for another site, nor is a cookie that was made up", async () => {
    const address = newAddress();
    const ask = () => from(address, "/api/search?q=a").set("Cookie", "almanac.sid=anonymous.99999999999.x");
    for (const status of [200, 200, 200, 429]) await ask().set("Sec-Fetch-Site", "cross-site").expect(status);
  });
});

describe("pages and feeds", () => {
  it("have a far wider limit, no header that says so, and a page when it is reached", async () => {
    const address = newAddress();
    for (let page = 0; page < 30; page += 1) {
      const { headers } = await from(address, page % 2 === 0 ? "/items.rss" : "/docs/errors").expect(200);
      expect(headers).not.toHaveProperty("ratelimit");
      expect(headers).not.toHaveProperty("ratelimit-policy");
    }
    const { text, headers } = await from(address, "/ru/items").expect(429);
    expect(headers["retry-after"]).toMatch(SECONDS);
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(text).toContain('<html lang="ru"');
    expect(text).toContain("слишком много страниц");
    for (const path of ["/items.rss", "/ru/items.atom", "/sitemap.xml", "/robots.txt"])
      await from(address, path)
        .expect(429)
        .expect("Content-Type", /^application\/problem\+json/);
    await from(address, "/healthz").expect(200);
    await from(address, "/assets/none.css").expect(404);
    await from(newAddress(), "/items.rss").expect(200);
  });
});

describe("limits that are off", () => {
  it("count nothing and set no header", async () => {
    const open = await site.another({ limits: { ...TEST_CONFIG.limits, address: 0, key: 2 } });
    for (let call = 0; call < 5; call += 1) {
      const { headers } = await request(open).get("/api/search?q=a").expect(200);
      expect(headers).not.toHaveProperty("ratelimit");
    }
  });
});

describe("an answer from memory", () => {
  let app: SiteListener;
  let handled = 0;
  beforeAll(async () => {
    const search = createTestSearch(site, { checkEachSearch: false });
    await search.refresh();
    const feed = new ChangeFeed({ db: site.db, log: pino({ level: "silent" }), maxAgeMs: 60_000 });
    const limits = { key: 9, address: 9, session: 9, pages: 9, windowS: 60 };
    app = await site.another({ limits }, { search, feed });
    const { handle } = app.express as unknown as { handle: (...parts: unknown[]) => unknown };
    Object.assign(app.express, {
      handle(this: unknown, ...parts: unknown[]) {
        handled += 1;
        return handle.apply(this, parts);
      },
    });
    return () => search.close();
  });

  it("has this caller's remaining calls in its headers, on 304 too", async () => {
    const [one, other] = [newAddress(), newAddress()];
    const answers = [];
    for (let call = 0; call < 3; call += 1) answers.push(await from(one, "/api/search?q=ak", app));
    expect(handled).toBe(2);
    answers.push(await from(other, "/api/search?q=ak", app));
    const { etag } = answers[0]?.headers ?? {};
    answers.push(await from(other, "/api/search?q=ak", app).set("If-None-Match", String(etag)));
    expect(handled).toBe(2);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 304]);
    expect(answers.map((answer) => limitOf(answer))).toMatchObject(
      [8, 7, 6, 8, 7].map((r) => ({ name: "address", r, q: 9, w: 60 })),
    );
  });

  it("counts against the limit of calls and that of pages", async () => {
    const [caller, reader] = [newAddress(), newAddress()];
    for (let call = 0; call < 9; call += 1) await from(caller, "/api/search?q=ak", app).expect(200);
    const before = handled;
    await from(caller, "/api/search?q=ak", app).expect(429);
    for (let page = 0; page < 9; page += 1) {
      const { headers } = await from(reader, "/items", app).expect(200);
      expect(headers).not.toHaveProperty("ratelimit");
    }
    await from(reader, "/items", app).expect(429);
    expect(handled - before).toBeLessThanOrEqual(4);
  });
});

describe("the OpenAPI document", () => {
  it("has the refusal and the headers of every operation", async () => {
    const { body } = await from(newAddress(), "/api/openapi.json").expect(200);
    const operations = Object.values<Record<string, { responses: Record<string, { headers: object }> }>>(
      body.paths,
    ).flatMap((path) => Object.values(path));
    expect(operations.length).toBeGreaterThan(10);
    for (const { responses } of operations) {
      for (const name of ["RateLimit", "RateLimit-Policy", "Retry-After"])
        expect(responses["429"]?.headers).toHaveProperty([name]);
      const success = responses["200"] ?? responses["204"];
      expect(success?.headers).toHaveProperty(["RateLimit"]);
    }
  });
});
