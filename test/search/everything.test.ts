import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { readFigures } from "../../src/search/figures.ts";
import { wordsOfPath } from "../../src/search/not-found-suggestions.ts";
import { sitePagePath, sitePages } from "../../src/search/site-pages.ts";
import { findServerStates } from "../../src/servers/queries.ts";
import { useTestApp } from "../helpers/app.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { attributes, elements, mainOf, plainSpaces, textOf } from "../helpers/html.ts";

const site = useTestApp();

const NOW = new Date();

beforeAll(async () => {
  const { db } = site;
  await insertRecords(db, "items", [
    { id: "sword", name: "Dawn Sword", names: { ru: "Меч зари" } },
    { id: "twin-1", name: "Twin Ring" },
    { id: "twin-2", name: "Twin Ring" },
  ]);
  await insertRecords(db, "vehicles", [{ id: "twin", name: "Twin Ring" }]);
  await insertRecords(db, "houses", [{ id: "h7", name: "Dawn Villa", names: { ru: "Вилла зари" } }]);
  await insertRecords(db, "businesses", [{ id: "b7", name: "Dawn Bakery" }]);
  await db("servers").insert([
    {
      ...{ id: "dawn", name: "Dawn Role Play", game: "SA-MP", address: "play.dawn.invalid:7777" },
      ...{ status: "online", online: 1234, queue: 3, max_online: 2000, checked_at: NOW },
    },
    { id: "dusk", name: "Dusk Role Play", status: "offline", max_online: 50, checked_at: NOW },
    {
      id: "old",
      name: "Old Role Play",
      status: "online",
      online: 7,
      checked_at: new Date(NOW.getTime() - 7_200_000),
    },
  ]);
  await db("donate_items").insert([
    { id: "dawn-pass", name: "Dawn Pass", price: "10.00", currency: "EUR", category: "Passes" },
    { id: "skin", name: "Skin", price: "4.00", currency: "EUR", entity_kind: "house", entity_id: "h7" },
  ]);
  await db("discounts").insert({
    id: "dawn-sale",
    item_key: "dawn-pass",
    percent: "25",
    starts_at: new Date(NOW.getTime() - 1000),
  });
});

const all = async (q: string) =>
  (await request(site.app).get("/api/search/all").query({ q }).expect(200)).body;
const page = async (path: string) => (await request(site.app).get(encodeURI(path)).expect(200)).text;
const text = async (path: string) => plainSpaces(textOf(mainOf(await page(path))));
const ids = (hits: { id: string }[]) => hits.map(({ id }) => id);

describe("/api/search/all", () => {
  it("finds entries of all kinds, servers, the shop and pages", async () => {
    const found = await all("dawn");
    const kinds = "items vehicles scripts houses businesses servers shop pages".split(" ");
    expect(Object.keys(found)).toEqual(["query", ...kinds]);
    for (const [kind, id] of Object.entries({ items: "sword", houses: "h7", businesses: "b7" }))
      expect(ids(found[kind]), kind).toEqual([id]);
    expect(found.servers).toEqual([
      expect.objectContaining({
        kind: "server",
        url: "http://almanac.test/servers/dawn",
        category: "SA-MP",
        status: "online",
        online: 1234,
        queue: 3,
        max_online: 2000,
      }),
    ]);
    expect(found.shop.find(({ id }: { id: string }) => id === "dawn-pass")).toMatchObject({
      kind: "shop_item",
      url: "http://almanac.test/donate/dawn-pass",
      price: "7.50",
      price_before: "10.00",
      currency: "EUR",
      discount_ends_at: null,
    });
  });

  it("puts names in the language of `lang` or of the page first, then the shorter of the names that match", async () => {
    await insertRecords(site.db, "items", [
      { id: "en", name: "Quillon Guard", names: { en: "Quillon Guard", ru: "Гарда" } },
      { id: "de", name: "Guard of a long name", names: { en: "Guard of a long name", de: "Quill" } },
      { id: "fr", name: "Ring", names: { en: "Ring", "fr-CA": "Quilles" } },
    ]);
    const found = async (path: string, lang?: string) => {
      const { body } = await request(site.app).get(path).query({ q: "quil", lang }).expect(200);
      return ids(body.items ?? body.results ?? body.records);
    };
    for (const path of ["/api/search", "/api/search/all"]) {
      expect(await found(path), path).toEqual(["de", "fr", "en"]);
      expect(await found(path, "en"), path).toEqual(["en", "de", "fr"]);
      expect(await found(path, "fr"), path).toEqual(["fr", "de", "en"]);
    }
    await request(site.app).get("/api/search").query({ q: "quil", lang: "x_y" }).expect(400);
    const links = attributes(mainOf(await page("/en/search?q=quil")), "href");
    expect(links.find((href) => href.startsWith("/en/items/"))).toBe("/en/items/en");
  });

  it("leaves the interface's own endpoint at its three kinds", async () => {
    const { body } = await request(site.app).get("/api/search").query({ q: "dawn" }).expect(200);
    expect(Object.keys(body)).toEqual(["query", "items", "vehicles", "scripts"]);
    expect(ids(body.items)).toEqual(["sword"]);
  });

  it("never makes up a figure, neither of an offline server nor of one that was polled long ago", async () => {
    const nothing = { online: null, queue: null };
    expect((await all("dusk")).servers).toEqual([
      expect.objectContaining({ ...nothing, status: "offline", max_online: 50 }),
    ]);
    expect((await all("old role")).servers).toEqual([
      expect.objectContaining({ ...nothing, status: "unknown", max_online: null }),
    ]);
  });

  it("finds a server by its address, and an item of the shop by its entry's name", async () => {
    expect(ids((await all("play.dawn.invalid:7777")).servers)).toEqual(["dawn"]);
    expect(ids((await all("вилла")).shop)).toEqual(["skin"]);
  });

  it("finds pages in English and Russian, despite errors and on the wrong layout", async () => {
    for (const q of ["Nicknames", "никнеймы", "генератор ников", "nicknmaes", "ybrytqvs"])
      expect(ids((await all(q)).pages), q).toContain("nicknames");
    for (const q of ["Dark theme", "dark mode", "тёмная тема", "ночной режим"])
      expect(ids((await all(q)).pages), q).toContain("theme_dark");
    const [hit] = (await all("api keys")).pages;
    expect(hit).toMatchObject({ kind: "page", names: { ru: "Ключи API" } });
    expect(hit.url).toBe("http://almanac.test/profile/keys");
  });

  it("leads to pages that are there", async () => {
    for (const { id } of sitePages()) {
      expect([200, 303], id).toContain((await request(site.app).get(sitePagePath(id))).status);
    }
  });
});

describe("an answer with figures", () => {
  it("follows prices and discounts", async () => {
    expect(await text("/search?q=dawn+pass")).toContain("7.50 EUR");
    await site.db("discounts").where({ id: "dawn-sale" }).update({ percent: "50" });
    expect((await all("dawn pass")).shop[0].price).toBe("5.00");
    expect(await text("/search?q=dawn+pass")).toContain("5.00 EUR");
    await site.db("discounts").where({ id: "dawn-sale" }).update({ percent: "25" });
  });

  it("follows the names of servers, of the shop and of its entries", async () => {
    const { db } = site;
    await db("servers").insert({ id: "fresh", name: "Zephyr Valley" });
    expect(ids((await all("zephyr")).servers)).toEqual(["fresh"]);
    await db("servers").where({ id: "fresh" }).update({ name: "Quokka Valley", updated_at: db.fn.now() });
    expect([ids((await all("zephyr")).servers), ids((await all("quokka")).servers)]).toEqual([[], ["fresh"]]);
    await db("servers").where({ id: "fresh" }).delete();
    expect((await all("quokka")).servers).toEqual([]);
    await db("donate_items").where({ id: "skin" }).update({ name: "Narwhal Skin" });
    expect(ids((await all("narwhal")).shop)).toEqual(["skin"]);
    await db("houses").where({ id: "h7" }).update({ name: "Axolotl Villa", revision: 2 });
    expect(ids((await all("axolotl")).shop)).toEqual(["skin"]);
    await db("houses").where({ id: "h7" }).update({ name: "Dawn Villa", revision: 3 });
  });

  it("is given without them while the database is away", async () => {
    const away = () => Promise.reject(Object.assign(new Error("gone"), { code: "ECONNREFUSED" }));
    const found = { servers: [{ id: "dawn" }], shop: [] };
    expect(await readFigures(site.db, found, away)).toMatchObject({ areRead: false, servers: new Map() });
    const broken = () => Promise.reject(new Error("a mistake of ours"));
    await expect(readFigures(site.db, found, broken)).rejects.toThrow("a mistake of ours");
    const read = await readFigures(site.db, found, findServerStates);
    expect(read.servers.get("dawn")?.online).toBe(1234);
  });
});

describe("/search", () => {
  it("shows servers with their players, and the shop with its prices, in both languages", async () => {
    const english = await text("/search?q=dawn+rol");
    const shop = await text("/search?q=dawn+pas");
    expect(english).toContain("Dawn Rol e Play SA-MP playing now: 1,234 / 2,000 3 in the queue");
    expect(shop).toMatch(/Dawn Pas s Passes was 10\.00 EUR now 7\.50 EUR −25%/);
    expect(await text("/search?q=dusk")).toContain("Dusk Role Play dusk offline");
    const russian = await text("/ru/search?q=dawn+rol");
    const offer = await text("/ru/search?q=dawn+pas");
    expect(russian).toContain("Dawn Rol e Play SA-MP сейчас играют: 1 234 / 2 000 в очереди: 3");
    expect(offer).toContain("10,00 EUR сейчас 7,50 EUR");
  });

  it("narrows down to any kind", async () => {
    expect(await text("/search?q=dawn&kind=servers")).toContain("Servers 1");
    const shop = await page("/search?q=dawn&kind=shop");
    expect(attributes(shop, "href")).toContain("/donate?q=dawn");
    expect(await text("/search?q=zzz&kind=pages")).toContain("No pages of this site match “zzz”.");
    expect(await text("/ru/search?q=zzz&kind=houses")).toContain("Среди домов по запросу «zzz» ничего");
  });

  it("keeps the order of kinds, but puts first what has just the typed name, or the most telling words", async () => {
    const groups = async (q: string) =>
      elements(mainOf(await page(`/search?q=${q}`)), "h2").map((heading) =>
        textOf(heading).replace(/ \d+$/, ""),
      );
    expect(await groups("daw")).toEqual(["Items", "Houses", "Businesses", "Servers", "Shop"]);
    // Fewer have the villa, and nothing has both.
    expect(await groups("twin+villa")).toEqual(["Houses", "Shop", "Items", "Vehicles"]);
    await insertRecords(site.db, "items", [{ id: "nick", name: "Nicknames of the old" }]);
    expect(await groups("nicknames")).toEqual(["Pages", "Items"]);
    await insertRecords(site.db, "vehicles", [{ id: "nick", name: "Nicknames" }]);
    expect(await groups("nicknames")).toEqual(["Items", "Vehicles", "Pages"]);
  });

  it("tells entries of one name apart", async () => {
    const shown = elements(mainOf(await page("/search?q=twin+ring")), "li").map(textOf);
    expect(shown.filter((line) => line.startsWith("Twin"))).toEqual([
      ...["Twin Ring twin-1", "Twin Ring twin-2", "Twin Ring"],
    ]);
  });

  it("leads to pages in the reader's language, and chooses a theme where the reader is", async () => {
    expect(attributes(await page("/ru/search?q=ники"), "href")).toContain("/ru/nicknames");
    const theme = await page("/search?q=dark+theme");
    expect(theme).toMatch(/<li class="script-only" data-found="[^"]*theme-dark/);
    expect(attributes(theme, "href")).toContain("#theme-dark");
  });
});

describe("a page that is not there", () => {
  // Pages of errors do not wait for an index.
  beforeAll(() => site.search.refresh());

  const missing = async (path: string) => (await request(site.app).get(path).expect(404)).text;

  it("offers what its address may mean, of any kind, with the words in its box", async () => {
    const html = await missing("/wiki/Dawn_Role-Play.html");
    expect(html).toContain('name="q" value="Dawn Role Play"');
    expect(textOf(mainOf(html))).toContain("Did you mean Server Dawn Role Play");
    expect(attributes(mainOf(html), "href")).toContain("/servers/dawn");
    const russian = await missing("/ru/servers/bakery");
    expect(attributes(mainOf(russian), "href")).toContain("/ru/businesses/b7");
  });

  it("offers nothing where nothing is called so", async () => {
    const html = await missing("/wp-login.php");
    expect(html).toContain('name="q" value="wp login"');
    expect(textOf(mainOf(html))).not.toContain("Did you mean");
  });

  it.each([
    ["/a/b/desert-eagle", "desert eagle"],
    ["/%D0%BC%D0%B5%D1%87/", "меч"],
    ["/", ""],
    ["/%E0%A4%A", ""],
    [`/${"x".repeat(61)}`, ""],
    ["/a%00b", ""],
  ])("reads the words of %s", (path, words) => {
    expect(wordsOfPath(path)).toBe(words);
  });
});
