import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue } from "../helpers/catalogue.ts";
import { addDiscount, addItem } from "../helpers/donate.ts";
import { elements, mainOf, textOf } from "../helpers/html.ts";

const site = useTestApp();

beforeEach(async () => {
  await site.db("donate_items").delete();
  await emptyCatalogue(site.db);
});

const add = (id: string, rest: object = {}) => addItem(site.db, { id, ...rest });

async function shop(query: string, status = 200): Promise<string> {
  const { text } = await request(site.app).get(`/donate?${query}`).expect(status);
  return text;
}

/** The names of the items that are found, in their order. */
async function found(q: string, rest = ""): Promise<string[]> {
  const html = await shop(`q=${encodeURIComponent(q)}${rest}`);
  const [list = ""] = elements(html.slice(html.indexOf('class="grid shop"') - 4), "ul");
  return elements(list, "h2").map(textOf);
}

describe("the search in the shop", () => {
  beforeEach(async () => {
    await add("gold", { name: "Gold VIP", names: { ru: "Золотой VIP" }, category: "VIP", price: "9" });
    await add("second", { name: "Silver VIP", category: "VIP", price: "5" });
    await add("hat", { name: "Golden hat", category: "Hats", price: "1" });
  });

  it.each([
    ["a word", "silver", ["Silver VIP"]],
    ["the beginning of one, the nearest first", "gold", ["Gold VIP", "Golden hat"]],
    ["the wrong keyboard layout", "ышдмук", ["Silver VIP"]],
    ["a typing error", "sivler", ["Silver VIP"]],
    ["the item's key", "hat", ["Golden hat"]],
    ["its category beside the name", "golden hats", ["Golden hat"]],
    ["most of the words", "silver trousers", ["Silver VIP"]],
    ["nothing but spaces, which is no search", "  ", ["Gold VIP", "Golden hat", "Silver VIP"]],
    ["signs that mean something elsewhere", "%_'\\<b>", []],
  ])("finds by %s", async (_case, q, names) => {
    expect(await found(q)).toEqual(names);
  });

  it("says that no name has all words", async () => {
    const note = "Nothing matches all the words in “silver trousers”";
    expect(textOf(mainOf(await shop("q=silver+trousers")))).toContain(note);
    expect(textOf(mainOf(await shop("q=silver")))).not.toContain("Nothing matches all the words");
  });

  it("goes with category, discounts and order, and counts for each", async () => {
    await addDiscount(site.db, { id: "d", item_key: "hat", percent: "10" });
    expect(await found("gold", "&category=VIP")).toEqual(["Gold VIP"]);
    expect(await found("gold", "&sale=1")).toEqual(["Golden hat"]);
    expect(await found("gold", "&sort=cheapest")).toEqual(["Golden hat", "Gold VIP"]);
    expect(await found("", "&sort=match")).toEqual(["Golden hat", "Gold VIP", "Silver VIP"]);
    const text = textOf(mainOf(await shop("q=vip")));
    expect(text).toContain("2 items");
    expect(text).toMatch(/All 2 Hats 0 VIP 2/);
    expect(text).toContain("On sale only (0)");
  });

  it("stays in the addresses of chips, pages and form, and out of search engines", async () => {
    for (let n = 1; n <= 61; n++) await add(`pack${n}`, { name: `Pack ${n}`, category: "Packs" });
    const html = await shop("q=pack&sort=name");
    expect(html).toContain('href="/donate?category=Packs&amp;q=pack&amp;sort=name"');
    expect(html).toContain('href="/donate?q=pack&amp;sort=name&amp;page=2"');
    expect(html).toContain('name="q" value="pack"');
    expect(html).toContain('<meta name="robots" content="noindex">');
    expect(html).toContain('<link rel="canonical" href="http://almanac.test/donate">');
    expect(await found("pack", "&page=9")).toHaveLength(1);
    expect(await shop("sort=name")).not.toContain("noindex");
  });

  it("says that it found nothing, and leads on", async () => {
    const nothing = mainOf(await shop("q=qqqqqqqq"));
    expect(textOf(nothing)).toContain("No results for “qqqqqqqq” in the shop.");
    expect(nothing).toContain('<a class="button" href="/donate">The whole shop</a>');
    expect(nothing).toContain('href="/search?q=qqqqqqqq"');
    expect(nothing).toContain('id="list-q"');
    const here = mainOf(await shop("q=hat&category=VIP"));
    expect(textOf(here)).toContain("No results for “hat” here.");
    expect(here).toContain('<a class="button" href="/donate?q=hat">Search without filters</a>');
    expect(textOf(await shop("q=hat&category=Boats", 404))).toContain("There is no category “Boats”.");
  });

  it("announces only what was searched for", async () => {
    await addDiscount(site.db, {
      id: "soon",
      item_key: "hat",
      percent: "10",
      starts: 1,
      ends: 2,
      announced: true,
    });
    const isAnnounced = async (q: string) => (await shop(`q=${q}`)).includes('id="coming-soon"');
    expect([await isAnnounced("gold"), await isAnnounced("silver")]).toEqual([true, false]);
  });

  it("refuses what is too long or no text", async () => {
    await shop(`q=${"a".repeat(201)}`, 400);
    await shop("q=a%00b", 400);
    await shop("q=a&q=b", 400);
  });
});

describe("an item that belongs to an entry of the catalogue", () => {
  const link = { entity_kind: "vehicle", entity_id: "411" };

  it("is found by the entry's names, and shows the matching one", async () => {
    await site.db("vehicles").insert({ id: "411", name: "Infernus", names: { ru: "Инфернус" } });
    await add("car", { name: "Fast car", ...link });
    expect(await found("infernus")).toEqual(["Fast car"]);
    expect(await found("инфернус")).toEqual(["Fast car"]);
    expect(await shop("q=инфернус")).toContain('<p class="other-name" lang="ru">Инфернус</p>');
    expect(await shop("q=fast")).not.toContain("Инфернус");
  });

  it("is found as the entry is called now, and without one by its own names", async () => {
    await site.db("vehicles").insert({ id: "411", name: "Infernus" });
    await add("car", { name: "Fast car", ...link });
    expect(await found("infernus")).toEqual(["Fast car"]);
    await site.db("vehicles").where({ id: "411" }).update({ name: "Cheetah" });
    expect(await found("cheetah")).toEqual(["Fast car"]);
    await site.db("vehicles").delete();
    expect(await found("cheetah")).toEqual([]);
    expect(await found("fast")).toEqual(["Fast car"]);
  });
});
