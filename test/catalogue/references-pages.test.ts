import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { followAttributes } from "../../src/records/relations/reference-queries.ts";
import { LiveVocabulary } from "../../src/words/vocabulary/live.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { attributes, elements, mainOf, plainSpaces, textOf } from "../helpers/html.ts";
import { kind, makeTables, QUESTS, useOwnKinds } from "../helpers/own-kinds.ts";

const REWARDS = {
  ...{ label: { en: "Rewards", ru: "Награды" }, type: "entries", kind: "items", id: "itemId", count: "qty" },
  reverse: { en: "Given for", ru: "Дают за" },
};
const NOTES = { label: { en: "Walkthrough", ru: "Прохождение" }, type: "richText", inLists: true };
const SOLD_AT = {
  label: { en: "Sold at", ru: "Продаётся в" },
  type: "entry",
  kind: "businesses",
  inLists: true,
};
const WIKI = { label: "Wiki", type: "link", linkText: { en: "Read more", ru: "Подробнее" }, inLists: true };
const WORDS = {
  kinds: {
    ...QUESTS.kinds,
    quests: { ...QUESTS.kinds.quests, attributes: { rewards: REWARDS, notes: NOTES } },
    vehicles: { attributes: { sold_at: SOLD_AT, sites: { label: "Sites", type: "link" }, wiki: WIKI } },
    items: {
      attributes: {
        rarity: { values: { Rare: { colour: "#d4a017", rank: 3 } } },
        next: { label: "Next", type: "entry", kind: "items" },
        bundle: { label: "In the box", type: "entries", kind: "items", inLists: true },
      },
    },
  },
};

const file = useOwnKinds(WORDS);
const site = useTestApp({}, () => ({ vocabulary: new LiveVocabulary({ file: file.path, defaults: {} }) }));

const GEMS = 30;

beforeAll(async () => {
  await makeTables(site.db);
  const words = new LiveVocabulary({ file: file.path, defaults: {} }).of({ withDefaults: false });
  await followAttributes(site.db, words.references());
  await emptyCatalogue(site.db);
  const gems = Array.from({ length: GEMS }, (_, n) => ({ id: `gem-${n}`, name: `Gem ${n}` }));
  const names = { en: "Claw", ru: "Коготь" };
  await insertRecords(site.db, "items", [
    { id: "claw", name: "Claw", names, attributes: { rarity: "Rare", next: "fang" } },
    { id: "fang", name: "Fang", attributes: { next: "claw" } },
    { id: "loop", name: "Loop", attributes: { next: "loop" } },
    { id: "chest", name: "Chest", attributes: { bundle: gems.map(({ id }) => id) } },
    ...gems,
  ]);
  await insertRecords(site.db, "businesses", [
    { id: "shop", name: "Harbour shop", names: { en: "Harbour shop", ru: "Портовая лавка" } },
    { id: "7", name: "Seven" },
    { id: "twin-1", name: "Twin" },
    { id: "twin-2", name: "Twin" },
  ]);
  const sites = ["https://www.example.org/a", "javascript:alert(1)"];
  const car = { sold_at: "shop", wiki: "https://wiki.example.com/car", sites };
  await insertRecords(site.db, "vehicles", [
    { id: "car", name: "Car", attributes: car },
    { id: "van", name: "Van", attributes: { sold_at: "Harbour shop", wiki: "javascript:alert(1)" } },
    { id: "bus", name: "Bus", attributes: { sold_at: 7 } },
    { id: "kart", name: "Kart", attributes: { sold_at: "<i>nowhere</i>" } },
    { id: "cart", name: "Cart", attributes: { sold_at: "Twin", page: "https://guess.example.net/x" } },
  ]);
  const rewards = [{ itemId: "claw", qty: 3 }, { itemId: "ghost", qty: 2 }, { itemId: "fang" }];
  const notes =
    "Bring **five** claws.\nGo [north](https://example.com/map), not [there](javascript:alert(1)).\n\n<script>alert(1)</script>";
  await insertRecords(site.db, kind("quests"), [
    { id: "wolves", name: "Wolves", attributes: { rewards, notes } },
  ]);
});

const page = site.page;
const linesOf = (html: string) => elements(html, "li").map((line) => plainSpaces(textOf(line)));
const text = async (path: string) => plainSpaces(textOf(mainOf(await page(path))));

/** What stands in a row of an entry's table of attributes. */
async function rowOf(path: string, label: string): Promise<string> {
  const rows = elements(mainOf(await page(path)), "tr");
  return rows.find((row) => textOf(elements(row, "th")[0] ?? "") === label) ?? "";
}

/** Where a part of a page leads, without the drawings in it. */
const linksIn = (html: string) => attributes(html, "href").filter((href) => !href.startsWith("/assets/"));

/** What leads to an entry, by the headings of its page. */
async function connectionsOf(path: string): Promise<Record<string, string[]>> {
  const html = await page(path);
  const start = html.indexOf('<h2 id="relations">');
  if (start === -1) return {};
  const sections = elements(html.slice(start, html.indexOf("<aside")), "section");
  return Object.fromEntries(
    sections.map((section) => [elements(section, "h3").map(textOf).join(), linesOf(section)]),
  );
}

describe("an attribute that names an entry", () => {
  it("is a link to it, with its picture and in the reader's language", async () => {
    const row = await rowOf("/vehicles/car", "Sold at");
    expect(attributes(row, "href")).toContain("/businesses/shop");
    expect(textOf(row)).toContain("Harbour shop");
    expect(row).toContain('class="thumb is-32"');
    const russian = await rowOf("/ru/vehicles/car", "Продаётся в");
    expect(attributes(russian, "href")).toContain("/ru/businesses/shop");
    expect(textOf(russian)).toContain("Портовая лавка");
  });

  it("is a link by name or by an id that is a number, in the colour of the entry", async () => {
    expect(attributes(await rowOf("/vehicles/van", "Sold at"), "href")).toContain("/businesses/shop");
    expect(attributes(await rowOf("/vehicles/bus", "Sold at"), "href")).toContain("/businesses/7");
    expect(await rowOf("/items/fang", "Next")).toMatch(/class="tint tint-d4a017"[^>]*>Claw</);
    expect(await rowOf("/quests/wolves", "Rewards")).toMatch(/class="tint tint-d4a017"[^>]*>Claw</);
  });

  it("stays text if it names no entry, or one of several", async () => {
    const unknown = await rowOf("/vehicles/kart", "Sold at");
    expect(attributes(unknown, "href")).toEqual([]);
    expect(unknown).toContain("&lt;i&gt;nowhere&lt;/i&gt;");
    expect(unknown).not.toContain("thumb");
    const twin = await rowOf("/vehicles/cart", "Sold at");
    expect(attributes(twin, "href")).toEqual([]);
    expect(textOf(twin)).toContain("Twin");
  });
});

describe("an attribute that names several entries", () => {
  it("is a list of them with their numbers, and keeps unknown ones", async () => {
    expect(linesOf(await rowOf("/quests/wolves", "Rewards"))).toEqual(["Claw ×3", "ghost ×2", "Fang"]);
  });

  it("shows 24 of them, and links to all of them", async () => {
    const row = await rowOf("/items/chest", "In the box");
    expect(elements(row, "li")).toHaveLength(24);
    expect(textOf(row)).toContain("and 6 more");
    const all = attributes(row, "href").find((href) => href.includes("/relations?")) ?? "";
    expect(textOf(mainOf(await page(all.replaceAll("&amp;", "&"))))).toMatch(/In the box\s+30 entries/);
  });
});

describe("the page of a named entry", () => {
  it("lists what names it, by kind and attribute, in each language", async () => {
    expect(await connectionsOf("/businesses/shop")).toEqual({
      "Vehicles: “Sold at”": ["Car Vehicle", "Van Vehicle"],
    });
    expect(await connectionsOf("/ru/businesses/shop")).toEqual({
      "Транспорт: «Продаётся в»": ["Car Транспорт", "Van Транспорт"],
    });
    expect(await connectionsOf("/items/claw")).toMatchObject({ "Given for": ["Wolves ×3 Quest"] });
    expect(await connectionsOf("/ru/items/claw")).toMatchObject({ "Дают за": ["Wolves ×3 Квест"] });
    expect(await connectionsOf("/businesses/twin-1")).toEqual({});
    const all = await text("/businesses/shop/relations?relation=vehicles.sold_at&direction=to");
    expect(all).toMatch(/Vehicles: “Sold at”\s+2 entries.*Van/);
  });

  it("has them after imported relations, and in the API", async () => {
    const relation = { from: "vehicle:car", kind: "sold-at", to: "business:shop" };
    await importRecords(site.db, "relations", [relation]);
    const found = await connectionsOf("/businesses/shop");
    expect(Object.keys(found)).toEqual(["Sells", "Vehicles: “Sold at”"]);
    const ask = async (query: string) =>
      (await request(site.app).get(`/api/relations?${query}`).expect(200)).body.relations;
    expect(await ask("kind=business&id=shop")).toMatchObject([
      { relation: "sold-at", direction: "to", id: "car" },
      { relation: "vehicles.sold_at", direction: "to", kind: "vehicle", id: "car", count: null },
      { relation: "vehicles.sold_at", direction: "to", kind: "vehicle", id: "van" },
    ]);
    expect(await ask("kind=quest&id=wolves")).toMatchObject([
      { relation: "quests.rewards", direction: "from", kind: "item", id: "claw", count: 3 },
      { relation: "quests.rewards", direction: "from", kind: "item", id: "fang", count: null },
    ]);
    await site.db("relations").delete();
  });
});

describe("lists, cards and comparisons", () => {
  it("show entries by their names, with links in lists", async () => {
    const html = mainOf(await page("/vehicles"));
    expect(html).toContain('<a href="/businesses/shop">Harbour shop</a>');
    expect(html).toContain('<a href="/businesses/7">Seven</a>');
    expect(html).toContain("&lt;i&gt;nowhere&lt;/i&gt;");
    expect(await text("/items")).toMatch(/Gem 0 ?, Gem 1 ?, Gem 2 ?, and 27 more/);
    expect(plainSpaces(textOf(await page("/quests/wolves/card")))).toContain("3 × Claw, 2 × ghost, Fang");
  });

  it("compare named entries with pictures and links", async () => {
    const html = mainOf(await page("/compare/vehicles?id=car&id=kart"));
    const row = elements(html, "tr").find((each) => textOf(each).includes("Sold at")) ?? "";
    expect(row).toContain('class="thumb is-32"');
    expect(linksIn(row)).toEqual(["/businesses/shop"]);
    const quests = mainOf(await page("/compare/quests?id=wolves"));
    expect(quests).toContain("Claw");
    expect(plainSpaces(textOf(quests))).not.toContain("itemId");
  });
});

describe("a text in Markdown", () => {
  it("is a part of an entry's page, as safe as a description", async () => {
    const html = mainOf(await page("/quests/wolves"));
    expect(html).toMatch(/<h2 id="text-0">Walkthrough<\/h2>/);
    expect(html).toContain("<p>Bring <strong>five</strong> claws.<br");
    expect(html).toContain('<a href="https://example.com/map" rel="nofollow noopener ugc">north</a>');
    expect(html).not.toContain('href="javascript:');
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(await text("/ru/quests/wolves")).toContain("Прохождение");
    expect(textOf(await rowOf("/quests/wolves", "Walkthrough"))).toBe("");
  });

  it("is short and plain in lists and comparisons, and no filter", async () => {
    const html = await page("/quests");
    expect(plainSpaces(textOf(mainOf(html)))).toContain("Bring five claws. Go north, not");
    expect(html).not.toContain("<strong>five");
    expect(html).not.toContain("a.notes");
    expect(await text("/compare/quests?id=wolves")).toContain("Bring five claws. Go north");
  });
});

describe("a link", () => {
  it("shows its host or its own words, and is a link only for a web address", async () => {
    const readMore = '<a href="https://wiki.example.com/car" rel="nofollow noopener ugc">Read more</a>';
    expect(await rowOf("/vehicles/car", "Wiki")).toContain(readMore);
    expect(mainOf(await page("/vehicles"))).toContain(readMore);
    expect(await rowOf("/ru/vehicles/car", "Wiki")).toContain(">Подробнее</a>");
    const sites = await rowOf("/vehicles/car", "Sites");
    expect(sites).toContain(
      '<a href="https://www.example.org/a" rel="nofollow noopener ugc">example.org</a>, javascript:alert(1)',
    );
    expect(attributes(await rowOf("/vehicles/van", "Wiki"), "href")).toEqual([]);
    expect(await rowOf("/vehicles/van", "Wiki")).toContain("javascript:alert(1)");
  });
});

describe("the history of an entry", () => {
  it("shows named entries by their names", async () => {
    for (const sold_at of ["shop", "7"])
      await importRecords(site.db, "vehicles", [{ id: "bike", name: "Bike", attributes: { sold_at } }]);
    const html = await page("/vehicles/bike");
    const history = plainSpaces(textOf(html.slice(html.indexOf('class="history"'))));
    expect(history).toMatch(/Sold at.*Harbour shop.*Seven/s);
  });
});
