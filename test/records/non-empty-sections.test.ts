import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { readVersions } from "../../src/db/change-feed.ts";
import { NonEmptySections } from "../../src/records/non-empty-sections.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { emptyTables, waitForLocks } from "../helpers/database.ts";
import { elements, textOf } from "../helpers/html.ts";

const site = useTestApp();

beforeAll(async () => {
  await emptyCatalogue(site.db);
  await emptyTables(site.db, "servers, donate_items");
});

describe("the sections of a site", () => {
  it("are all there while nothing is, then those that have records, with a new version for each change", async () => {
    const sections = new NonEmptySections();
    const follow = async () => sections.follow(site.db, await readVersions(site.db));
    await follow();
    expect([sections.has("houses"), sections.has("shop"), sections.version]).toEqual([true, true, 0]);
    await insertRecords(site.db, "items", [{ id: "1", name: "Lamp" }]);
    await follow();
    expect(["items", "houses", "servers", "shop"].map((each) => sections.has(each))).toEqual([
      true,
      false,
      false,
      false,
    ]);
    await follow();
    expect(sections.version).toBe(1);
    await site.db("donate_items").insert({ id: "vip", name: "VIP", price: "5", currency: "EUR" });
    await follow();
    expect([sections.has("shop"), sections.version]).toEqual([true, 2]);
  });

  it("are those of the demo from its load until its last record is gone", async () => {
    const { db } = site;
    const sections = new NonEmptySections();
    const isDemo = async () => {
      await sections.follow(db, await readVersions(db));
      return [sections.isDemo, sections.version];
    };
    const [before, version] = await isDemo();
    expect(before).toBe(false);
    await insertRecords(db, "items", [{ id: "demo", name: "Demo", demo: true }]);
    await db("settings").insert({ key: "demo", value: JSON.stringify({ state: "loaded" }) });
    expect(await isDemo()).toEqual([true, Number(version) + 1]);
    await db("items").where({ id: "demo" }).delete();
    expect(await isDemo()).toEqual([false, Number(version) + 2]);
  });

  it("are known to each of the first pages, though the database is slow to tell", async () => {
    const page = async (path: string) => (await request(site.app).get(path).expect(200)).text;
    const pages = await site.db.transaction(async (lock) => {
      await lock.raw("lock table servers in access exclusive mode");
      const first = page("/en/login");
      await waitForLocks(site.db, 1);
      const second = page("/en/register");
      // A page that does not wait is made by now.
      await request(site.app).get("/healthz").expect(200);
      return [first, second];
    });
    for (const text of await Promise.all(pages)) expect(text).not.toContain("/en/houses");
  });

  it("lead readers to nothing that is empty", async () => {
    const { text } = await request(site.app).get("/en/search?q=qqqq").expect(200);
    const links = elements(text, "nav").map(textOf);
    expect(links).toContain("Items Shop Nicknames");
    expect(links).toContain("Everything Items Shop Pages");
    expect(links.join()).not.toContain("Not covered by search");
    // The address itself is still one.
    await request(site.app).get("/en/houses").expect(200);
  });

  it("offer no feed of discounts where there is no shop", async () => {
    const home = async () => (await request(site.app).get("/en").expect(200)).text;
    const before = await home();
    expect(before).toContain("/en/discounts.rss");
    expect(before).toContain("/en/items.rss");
    await site.db("donate_items").delete();
    const after = await home();
    expect(after).not.toContain("discounts.rss");
    expect(after).toContain("/en/items.rss");
  });
});
