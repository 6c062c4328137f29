import { setTimeout as delay } from "node:timers/promises";
import { pino } from "pino";
import request from "supertest";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createApp } from "../../src/app.ts";
import { createDb, createPgPool, type DbOptions, openConnection } from "../../src/db/connect.ts";
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
    expect(proxy.open).toBe(6);
    expect(await ask(4)).toEqual([200, 200, 200, 200]);

    proxy.fallSilent();
    const silentAt = performance.now();
    // Fewer than there are connections: the others are found out without anybody waiting for them.
    // One that had only asked for the versions of the data goes on with a connection that works.
    for (const status of await ask(2)) expect([200, 503]).toContain(status);
    await expect.poll(askOnce, { timeout: BACK_WITHIN_MS }).toBe(200);
    expect(await ask(6)).toEqual(Array(6).fill(200));
    expect(performance.now() - silentAt).toBeLessThan(BACK_WITHIN_MS);
  });
});

/** Each waits for seconds, and for nothing that another does. */
it("tells silence from work, whoever waits", { timeout: 60_000 }, async () => {
  await Promise.all([
    costsATransactionItsLocks(),
    endsWhatListensBesideThePool(),
    isFoundOutInTheMiddleOfAnAnswer(),
    failsQueriesWhileNobodyIsLetIn(),
    leavesALongQueryAlone(),
    leavesThoseBehindAPoolerAlone(),
  ]);
});

async function costsATransactionItsLocks() {
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
}

async function endsWhatListensBesideThePool() {
  const proxy = await startSilentProxy(database.url);
  const db = open(proxy.url);
  const pool = createPgPool(db, { max: 2 });
  onTestFinished(() => pool.end());
  const [listening, lock] = [await pool.connect(), await openConnection(db)];
  await listening.query("listen news");
  const ended = Promise.all(
    [listening, lock].map((connection) => new Promise((resolve) => connection.once("end", resolve))),
  );
  await db.raw("select 1");
  proxy.fallSilent();
  expect(isDatabaseAway(await failureOf(db.raw("select 1")))).toBe(true);
  await ended;
  listening.release(true);
  expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
}

async function isFoundOutInTheMiddleOfAnAnswer() {
  const proxy = await startSilentProxy(database.url);
  const db = open(proxy.url);
  const big = "select repeat('x', 10000) from (select pg_sleep(1)) pause, generate_series(1, 5000)";
  const asked = failureOf(db.raw(big));
  await expect
    .poll(() => database.db("pg_stat_activity").where({ wait_event: "PgSleep", query: big }))
    .toHaveLength(1);
  proxy.fallSilent();
  expect(isDatabaseAway(await asked)).toBe(true);
}

async function failsQueriesWhileNobodyIsLetIn() {
  const proxy = await startSilentProxy(database.url);
  const db = open(proxy.url, { unreachableMs: 4_000, connectTimeoutMs: 1_000 });
  await db.raw("select 1");
  proxy.fallSilent({ newOnesToo: true });
  expect(isDatabaseAway(await failureOf(db.raw("select 1")))).toBe(true);
  expect(isDatabaseAway(await failureOf(db.raw("select 1")))).toBe(true);
  proxy.speak();
  expect((await db.raw("select 1 as one")).rows).toEqual([{ one: 1 }]);
}

async function leavesALongQueryAlone() {
  const { rows } = await openPool(database.url).raw("select pg_sleep(4), 1 as one");
  expect(rows[0].one).toBe(1);
}

/** Nobody can tell there whether the server is at work. */
async function leavesThoseBehindAPoolerAlone() {
  const proxy = await startSilentProxy(database.url, { asPooler: true });
  const db = open(proxy.url);
  await db.raw("select 1");
  proxy.fallSilent();
  const asked = db.raw("select 1").then(
    () => "answered",
    () => "given up",
  );
  expect(await Promise.race([asked, delay(4_000, "waits")])).toBe("waits");
  proxy.close();
  expect(await asked).toBe("given up");
}
