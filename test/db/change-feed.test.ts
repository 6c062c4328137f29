import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { pino } from "pino";
import request from "supertest";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createApp, type SiteListener } from "../../src/app.ts";
import { ChangeFeed, readVersions, removeOldChanges } from "../../src/db/change-feed.ts";
import { createDb } from "../../src/db/connect.ts";
import { buildAssets } from "../../src/web/assets/build.ts";
import { TEST_CONFIG, useTestApp } from "../helpers/app.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { changeUnnoticed } from "../helpers/database.ts";
import { startSilentProxy } from "../helpers/peers/silent-proxy.ts";
import { createTestSearch } from "../helpers/search.ts";

const site = useTestApp();
const log = pino({ level: "silent" });

beforeEach(async () => {
  await site.db("donate_items").delete();
  await site.db("donate_items").insert({ id: "vip", name: "VIP", price: "10.00", currency: "EUR" });
});

/** The sources whose version a change raises. */
async function changedBy(change: () => PromiseLike<unknown>): Promise<string[]> {
  const before = await readVersions(site.db);
  await change();
  const { kinds, ...after } = await readVersions(site.db);
  const isOther = (source: keyof typeof after) => !isDeepStrictEqual(after[source], before[source]);
  return (Object.keys(after) as (keyof typeof after)[]).filter(isOther);
}

const discount = (starts: string, ends: string | null) =>
  site.db("discounts").insert({
    id: "sale",
    item_key: "vip",
    percent: 10,
    starts_at: site.db.raw(`now() + interval '${starts}'`),
    ends_at: ends === null ? null : site.db.raw(`now() + interval '${ends}'`),
  });

/** As if the clock had reached `at` hours before or after the start or the end. */
const passTo = (column: "starts_at" | "ends_at", at: string) =>
  changeUnnoticed(site.db, (db) =>
    db("discounts").update({ [column]: db.raw(`now() + interval '${at} hours'`) }),
  );

describe("the versions of the data", () => {
  it("tell a change of each domain, and of no other", async () => {
    const { db } = site;
    expect(await changedBy(() => db("houses").insert({ id: "h", name: "House" }))).toEqual(["catalogue"]);
    expect(await changedBy(() => db("servers").insert({ id: "s", name: "Server" }))).toEqual(["servers"]);
    expect(await changedBy(() => db("donate_items").update({ name: "Very important" }))).toEqual(["shop"]);
    expect(await changedBy(() => discount("1 hour", null))).toEqual(["shop"]);
    expect(await changedBy(() => db("discounts").delete())).toEqual(["shop"]);
    const relation = { id: "r", from_kind: "item", from_id: "a", kind: "x", to_kind: "item", to_id: "b" };
    expect(await changedBy(() => db("relations").insert(relation))).toEqual(["relations"]);
    expect(await changedBy(() => db("relations").update({ count: 2 }))).toEqual(["relations"]);
    expect(await changedBy(() => db("relations").delete())).toEqual(["relations"]);
    const demo = { key: "demo", value: JSON.stringify("loaded") };
    expect(await changedBy(() => db("settings").insert(demo))).toEqual(["site"]);
  });

  it("stay where nothing was changed, and by the figures of servers", async () => {
    const { db } = site;
    await db("servers").insert({ id: "polled", name: "Polled" });
    expect(await changedBy(() => db("donate_items").where({ id: "none" }).update({ name: "No" }))).toEqual(
      [],
    );
    const figures = { online: 5, status: "online", checked_at: db.fn.now() };
    expect(await changedBy(() => db("servers").where({ id: "polled" }).update(figures))).toEqual([]);
  });

  it("tell a discount that starts or ends by the clock", async () => {
    await discount("2 hours", "3 hours");
    expect(await changedBy(() => passTo("starts_at", "1"))).toEqual([]);
    expect(await changedBy(() => passTo("starts_at", "-2"))).toEqual(["shop"]);
    expect(await changedBy(() => passTo("ends_at", "1"))).toEqual([]);
    expect(await changedBy(() => passTo("ends_at", "-1"))).toEqual(["shop"]);
  });

  it("tell changes of two transactions, whichever is committed first", async () => {
    const [one, other] = [await site.db.transaction(), await site.db.transaction()];
    await one("donate_items").insert({ id: "a", name: "A", price: "1.00", currency: "EUR" });
    await other("donate_items").insert({ id: "b", name: "B", price: "1.00", currency: "EUR" });
    expect(await changedBy(() => other.commit())).toEqual(["shop"]);
    expect(await changedBy(() => one.commit())).toEqual(["shop"]);
  });

  it("keep no old notes", async () => {
    await site.db("shop_changes").update({ at: site.db.raw("now() - interval '2 hours'") });
    await removeOldChanges(site.db);
    expect(await site.db("shop_changes").select()).toEqual([]);
  });
});

describe("a site that follows them", () => {
  async function openSite(): Promise<{ app: SiteListener; goAway(): Promise<void> }> {
    const db = createDb({ url: site.db.client.connectionSettings.connectionString });
    const feed = new ChangeFeed({ db, log });
    void feed.start();
    const search = createTestSearch(
      { db, url: db.client.connectionSettings.connectionString },
      { checkEachSearch: false },
    );
    onTestFinished(async () => {
      await feed.stop();
      await search.close();
      await db.destroy();
    });
    const app = createApp({ assets: await buildAssets(), config: TEST_CONFIG, db, log, search, feed });
    return { app, goAway: () => db.destroy() };
  }

  const textOf = async (app: SiteListener, path: string) => (await request(app).get(path).expect(200)).text;

  it("is a second behind at most", async () => {
    await Promise.all([isNeverLate(), followsADiscount()]);
  });

  async function isNeverLate() {
    const { app } = await openSite();
    await insertRecords(site.db, "items", [{ id: "gun", name: "Name 0" }]);
    for (let n = 0; n < 3; n++) await textOf(app, "/items/gun");
    for (let n = 1; n <= 2; n++) {
      await site
        .db("items")
        .where({ id: "gun" })
        .update({ name: `Name ${n}` });
      await setTimeout(1_000);
      expect(await textOf(app, "/items/gun")).toContain(`Name ${n}`);
    }
  }

  /** Its price is shown from its start to its end. */
  async function followsADiscount() {
    const { app } = await openSite();
    for (let n = 0; n < 3; n++) expect(await textOf(app, "/donate/vip")).not.toContain("9.00");
    await discount("2 hours", "3 hours");
    await passTo("starts_at", "-2");
    await setTimeout(1_000);
    expect(await textOf(app, "/donate/vip")).toContain("9.00");
    await passTo("ends_at", "-1");
    await setTimeout(1_000);
    expect(await textOf(app, "/discounts.rss")).not.toContain("9.00");
  }

  it("still gives what it remembers while the database is away, with its age and a note", async () => {
    const { app, goAway } = await openSite();
    const headersOf = async (path: string) => (await request(app).get(path)).headers;
    for (const path of ["/servers", "/items", "/items.rss"]) {
      for (let n = 0; n < 2; n++) expect(await headersOf(path)).not.toHaveProperty("age");
    }
    expect(await textOf(app, "/servers")).not.toContain("can’t update its data");
    await goAway();
    await setTimeout(1_500);
    const servers = await request(app).get("/servers").expect(200);
    expect(Number(servers.headers.age)).toBeGreaterThanOrEqual(1);
    expect(servers.text).toContain("The site can’t update its data right now. You’re seeing data from ");
    const items = await request(app).get("/items").set("Accept-Encoding", "br").expect(200);
    expect(items.headers).toHaveProperty("age");
    expect(items.text).not.toContain("can’t update its data");
    await request(app).get("/items.rss").expect(200);
    await request(app).get("/vehicles").expect(503);
  });
});

describe("a database that is late", () => {
  /** Versions over connections of their own, and what was logged of them. */
  function openFeed(url: string) {
    const lines: string[] = [];
    const db = createDb({ url, poolMax: 2, limitMs: 2_000 });
    const feed = new ChangeFeed({
      db,
      log: pino({}, { write: (line: string) => void lines.push(line) }),
    });
    onTestFinished(async () => {
      await feed.stop();
      await db.destroy();
    });
    return { db, feed, lines };
  }

  it("is not down while this process stood still", async () => {
    const { db, feed, lines } = openFeed(site.db.client.connectionSettings.connectionString);
    await feed.confirm();
    const before = feed.versions;
    await site.db("houses").insert({ id: "still", name: "House" });
    const sent = new Promise((resolve) => db.once("query", resolve));
    const confirmed = feed.confirm();
    await sent;
    for (const began = performance.now(); performance.now() - began < 2_000; );
    await confirmed;
    expect([feed.isDown, lines]).toEqual([false, []]);
    expect(feed.versions).not.toEqual(before);
  });

  it("is down if nothing answers, not where a new connection finds it", async () => {
    await Promise.all([isFoundByANewConnection(), isDownForAll()]);
  });

  async function isFoundByANewConnection() {
    const proxy = await startSilentProxy(site.db.client.connectionSettings.connectionString);
    const { feed, lines } = openFeed(proxy.url);
    await feed.confirm();
    proxy.fallSilent();
    await feed.confirm();
    await expect.poll(() => feed.isConfirmed).toBe(true);
    expect([feed.isDown, lines]).toEqual([false, []]);
  }

  /** That is logged once. */
  async function isDownForAll() {
    const proxy = await startSilentProxy(site.db.client.connectionSettings.connectionString);
    const { feed, lines } = openFeed(proxy.url);
    void feed.start();
    await expect.poll(() => feed.isConfirmed).toBe(true);
    proxy.fallSilent({ newOnesToo: true });
    await expect.poll(() => feed.isDown).toBe(true);
    proxy.speak();
    await expect.poll(() => feed.isDown).toBe(false);
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
      "the database is down: answers in memory are still sent",
      "the database answers again",
    ]);
  }
});
