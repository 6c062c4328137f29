import { pino } from "pino";
import request from "supertest";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createApp } from "../../src/app.ts";
import { createDb, type DbOptions } from "../../src/db/connect.ts";
import { isDatabaseAway } from "../../src/db/failures.ts";
import { type Assets, buildAssets } from "../../src/web/assets/build.ts";
import { TEST_CONFIG } from "../helpers/app.ts";
import { openPool, useTestDatabase } from "../helpers/database.ts";
import { startSilentProxy } from "../helpers/peers/silent-proxy.ts";
import { createTestSearch } from "../helpers/search.ts";

/** What an outage may last after new connections work. */
const BACK_WITHIN_MS = 10_000;

const database = useTestDatabase();
let assets: Assets;
beforeAll(async () => {
  assets = await buildAssets();
});

function open(url: string, options: Partial<DbOptions> = {}) {
  const db = createDb({ url, ...options });
  onTestFinished(() => db.destroy());
  return db;
}

const failureOf = (work: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(work).then(
    () => expect.fail("it should have failed"),
    (error: unknown) => error,
  );

describe("a database whose packets vanish while new connections work", () => {
  it("costs the requests under way a 503 at most, and the site is back within 10 s", {
    timeout: 60_000,
  }, async () => {
    const proxy = await startSilentProxy(database.url);
    const db = open(proxy.url, { poolMax: 6, unreachableMs: 5_000 });
    const search = createTestSearch({ db, url: proxy.url });
    const app = createApp({ assets, config: TEST_CONFIG, db, log: pino({ level: "silent" }), search });
    let asked = 0;
    // Addresses that nobody asked for before: others would be answered from memory.
    const askOnce = async () => (await request(app).get(`/donate?page=${++asked}`)).status;
    const ask = (count: number) => Promise.all(Array.from({ length: count }, askOnce));
    // Every connection of the pool is there and has worked.
    await Promise.all(Array.from({ length: 6 }, () => db.raw("select pg_sleep(0.2)")));
    expect(await ask(4)).toEqual([200, 200, 200, 200]);
    expect(proxy.open).toBe(6);

    proxy.fallSilent();
    const silentAt = performance.now();
    // Fewer than there are connections: the others are found out without anybody waiting for them.
    // One that had only asked for the versions of the data goes on with a connection that works.
    for (const status of await ask(2)) expect([200, 503]).toContain(status);
    await expect.poll(askOnce, { timeout: BACK_WITHIN_MS }).toBe(200);
    expect(await ask(6)).toEqual(Array(6).fill(200));
    expect(performance.now() - silentAt).toBeLessThan(BACK_WITHIN_MS);
  });

  it("costs a transaction its work and not its locks for ever", async () => {
    const proxy = await startSilentProxy(database.url);
    const db = open(proxy.url);
    await database.db.raw("create table counters as select 1 as id, 0 as count");
    const transaction = await db.transaction();
    await transaction("counters").update({ count: 1 });
    proxy.fallSilent();
    expect(isDatabaseAway(await failureOf(transaction("counters").update({ count: 2 })))).toBe(true);
    await transaction.rollback().catch(() => undefined);
    await db("counters").update({ count: 3 });
    expect(await database.db("counters").pluck("count")).toEqual([3]);
  });
});

describe("a database that cannot be reached at all", () => {
  it("fails queries after some time, and works again when it can", { timeout: 60_000 }, async () => {
    const proxy = await startSilentProxy(database.url);
    const db = open(proxy.url, { unreachableMs: 4_000, connectTimeoutMs: 1_000 });
    await db.raw("select 1");
    proxy.fallSilent({ newOnesToo: true });
    expect(isDatabaseAway(await failureOf(db.raw("select 1")))).toBe(true);
    expect(isDatabaseAway(await failureOf(db.raw("select 1")))).toBe(true);
    proxy.speak();
    expect((await db.raw("select 1 as one")).rows).toEqual([{ one: 1 }]);
  });
});

describe("a query that takes long", () => {
  it("goes on", async () => {
    const db = openPool(database.url);
    const { rows } = await db.raw("select pg_sleep(4), 1 as one");
    expect(rows[0].one).toBe(1);
  });
});
