import { setTimeout as delay } from "node:timers/promises";
import { pino } from "pino";
import request from "supertest";
import { expect, it, onTestFinished } from "vitest";
import { createUser } from "../../src/accounts/queries.ts";
import { createApp } from "../../src/app.ts";
import { ChangeFeed } from "../../src/db/change-feed.ts";
import { createDb } from "../../src/db/connect.ts";
import { isDatabaseAway } from "../../src/db/failures.ts";
import { buildAssets } from "../../src/web/assets/build.ts";
import { TEST_CONFIG } from "../helpers/app.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { openTransaction, useTestDatabase } from "../helpers/database.ts";
import { type SilentProxy, startSilentProxy } from "../helpers/peers/silent-proxy.ts";
import { createTestSearch } from "../helpers/search.ts";
import { startSite } from "../helpers/sites.ts";

/** On an idle machine two seconds. A request that waits for the database instead gives up after half a minute. */
const ANSWER_WITHIN_MS = 10_000;

const database = useTestDatabase();
let asked = 0;

/** A page that nobody asked for before, since others are answered from memory; 404 while the database answers. */
const coldPage = () => `/items/none-${++asked}`;

async function ask(site: string, path: string, init: RequestInit = {}) {
  const answer = await fetch(site + path, { redirect: "manual", ...init });
  await answer.text();
  return { status: answer.status, retryAfter: answer.headers.get("retry-after") };
}

const logIn = (): RequestInit => ({
  method: "POST",
  headers: { "Sec-Fetch-Site": "same-origin" },
  body: new URLSearchParams({ name: "nobody", password: "not the password" }),
});

/** Many at once, more than the pool has connections; each must be refused in time. */
async function expectRefusals(site: string): Promise<void> {
  const limit = () => ({ signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
  const pages = Array.from({ length: 15 }, () => ask(site, coldPage(), limit()));
  const answers = await Promise.all([...pages, ask(site, "/login", { ...logIn(), ...limit() })]);
  for (const { status, retryAfter } of answers) expect([status, Number(retryAfter) > 0]).toEqual([503, true]);
  expect((await ask(site, "/healthz", limit())).status).toBe(200);
  // It goes by what was found when the database was last asked, a moment ago.
  await expect.poll(async () => (await ask(site, "/readyz")).status).toBe(503);
}

it("refuses requests in time while the database is down, and answers soon after it is back", {
  timeout: 240_000,
}, async () => {
  const proxy = await startSilentProxy(database.url);
  const own = { DATABASE_URL: proxy.url, WORKER: "0", LOG_LEVEL: "error" };
  const { url: site } = await startSite(own);
  await refusesWhileAway(site, proxy);
  await refusesBehindSlowQueries(site);
  await knowsReadersWhileAway(site, proxy);
});

async function refusesWhileAway(site: string, proxy: SilentProxy): Promise<void> {
  const ways: [string, (proxy: SilentProxy) => void][] = [
    ["connections are refused", () => proxy.refuse()],
    ["packets vanish", () => proxy.fallSilent({ newOnesToo: true })],
    ["packets vanish, of connections that are there", () => proxy.fallSilent()],
  ];
  for (const [way, leave] of ways) {
    await Promise.all(Array.from({ length: 4 }, () => ask(site, coldPage())));
    leave(proxy);
    if (way.endsWith("there")) {
      // New connections work; a query over an old one may fail, in time.
      const first = await ask(site, coldPage(), { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
      expect([404, 503]).toContain(first.status);
    } else {
      await expectRefusals(site);
      // Known by now: nobody waits for a limit any more.
      await expectRefusals(site);
    }
    proxy.speak();
    await expect.poll(async () => (await ask(site, coldPage())).status).toBe(404);
    const after = await Promise.all(Array.from({ length: 4 }, () => ask(site, coldPage())));
    expect([way, ...new Set(after.map(({ status }) => status))]).toEqual([way, 404]);
  }
}

it("serves a cached response where a new one fails before the database is known to be down", async () => {
  const proxy = await startSilentProxy(database.url);
  const db = createDb({ url: proxy.url });
  onTestFinished(() => db.destroy());
  const search = createTestSearch({ db, url: database.url });
  onTestFinished(() => search.close());
  const log = pino({ level: "silent" });
  const feed = new ChangeFeed({ db, log, maxAgeMs: 60_000 });
  const app = createApp({ assets: await buildAssets(), config: TEST_CONFIG, db, log, search, feed });
  const ways: [path: string, other: string, outdate: () => Promise<void>][] = [
    // Its figures are read again after a second.
    ["/servers", "/servers?q=b", () => delay(1_000)],
    [
      "/items.rss",
      "/items.rss?category=b",
      async () => {
        await insertRecords(database.db, "items", [{ id: "newer" }]);
        await feed.confirm();
      },
    ],
  ];
  for (const [path, other, outdate] of ways) {
    const known = await request(app).get(path).expect(200);
    await request(app).get(path).expect(200);
    await outdate();
    proxy.refuse();
    const older = await request(app).get(path).expect(200);
    const type = known.headers["content-type"];
    expect(older.headers).toMatchObject({ age: expect.stringMatching(/^\d+$/), "content-type": type });
    expect(older.text.length).toBeGreaterThanOrEqual(known.text.length);
    await request(app).get(other).expect(503);
    proxy.speak();
    await expect.poll(async () => (await request(app).get(path)).headers.age).toBeUndefined();
  }
});

/** Pages come from memory, also after a write that failed. */
async function knowsReadersWhileAway(site: string, proxy: SilentProxy): Promise<void> {
  const stays = await logInAs(site, "Stays_Here");
  const leaves = await logInAs(site, "Left_Before");
  for (const { get } of [stays, leaves, stays, leaves, stays, leaves])
    expect((await get("/items")).status).toBe(200);
  expect((await leaves.post("/logout", {})).status).toBe(303);
  proxy.refuse();
  const fromMemory = async () => (await stays.get("/items")).headers.has("age");
  await expect.poll(fromMemory).toBe(true);
  const favorite = { kind: "item", entity_id: "none", wanted: "yes" };
  expect((await stays.post("/api/entity_favorites/toggle", favorite)).status).toBe(503);
  const page = await stays.get("/items");
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining(stays.name)]);
  expect(await (await leaves.get("/items")).text()).not.toContain(leaves.name);
}

async function logInAs(site: string, name: string) {
  const password = `the password of ${name}`;
  await createUser(database.db, { name, password });
  let cookie = "";
  const get = (path: string) => fetch(site + path, { headers: { Cookie: cookie } });
  const post = (path: string, fields: Record<string, string>) =>
    fetch(site + path, {
      method: "POST",
      redirect: "manual",
      headers: { "Sec-Fetch-Site": "same-origin", Cookie: cookie },
      body: new URLSearchParams(fields),
    });
  const answer = await post("/login", { name, password });
  cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  return { name, get, post };
}

/** They have every connection. */
async function refusesBehindSlowQueries(site: string): Promise<void> {
  expect((await ask(site, coldPage())).status).toBe(404);
  const held = await openTransaction(database.db);
  await held.raw("lock table items in access exclusive mode");
  const slow = Array.from({ length: 30 }, () =>
    ask(site, coldPage(), { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }),
  );
  for (const { status } of await Promise.all(slow)) expect(status).toBe(503);
  await held.rollback();
  expect((await ask(site, coldPage())).status).toBe(404);
}

it("closes a connection whose result comes too late", async () => {
  const db = createDb({ url: database.url, poolMax: 1, pipeline: true, limitMs: 300 });
  onTestFinished(() => db.destroy());
  await database.db.raw("create table toggles as select 0 as count");
  const transaction = db.transaction(async (trx) => {
    await trx("toggles").increment("count");
    await trx.raw("select pg_sleep(1), 'late'");
  });
  // Waits for the only connection, and must not be given the one that was closed.
  const next = db.raw("select 'own' as answer");
  expect(await transaction.catch(isDatabaseAway)).toBe(true);
  expect((await next).rows).toEqual([{ answer: "own" }]);
  await delay(1_000);
  expect((await db.raw("select count from toggles")).rows).toEqual([{ count: 0 }]);
});

it("sends no query while the database is known to be down, and none over older connections", async () => {
  const healthProbe = { isDown: true, lastDownAt: performance.now() };
  const db = createDb({ url: database.url, healthProbe });
  onTestFinished(() => db.destroy());
  await expect(db.raw("select 1")).rejects.toThrow("the database is away");
  await expect(db.transaction(async () => undefined)).rejects.toThrow("the database is away");
  healthProbe.isDown = false;
  const process = async () => (await db.raw("select pg_backend_pid() as pid")).rows[0].pid;
  const first = await process();
  expect(await process()).toBe(first);
  healthProbe.lastDownAt = performance.now();
  expect(await process()).not.toBe(first);
});
