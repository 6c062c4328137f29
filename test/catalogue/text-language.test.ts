import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { defaultVocabulary, LiveVocabulary } from "../../src/words/vocabulary/live.ts";
import { useTestApp } from "../helpers/app.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { addDiscount, addItem } from "../helpers/donate.ts";
import { mainOf } from "../helpers/html.ts";

const NAMES = { en: "Knife", ru: "Нож" };
const TEXTS = { name: "Knife", description: "A plain thing." };

/** A category of the demo data, as a page that is in another language shows it; and where nothing tells its language. */
const MARKED = '<span lang="en">Firearms</span>';
const OWN = "Waffen";

/** The demo's vocabulary has its categories in all languages of the site. */
const withoutWords = () => ({
  vocabulary: new LiveVocabulary({ defaults: { attributes: defaultVocabulary().attributes } }),
});
const site = useTestApp({}, withoutWords);
let page: (path: string) => Promise<string>;

/** A demo record, and one of the site's own, of each kind whose categories pages show. */
beforeAll(async () => {
  const plain = { x: 1, y: 2, maker: "Smith", rarity: "rare", colours: ["teal"] };
  const attributes = { ...plain, site: "https://smith.test/" };
  const demo = { id: "demo", ...TEXTS, names: NAMES, category: "Firearms", attributes, demo: true };
  const own = { id: "own", ...TEXTS, category: OWN, attributes };
  for (const kind of ["items", "vehicles", "houses"] as const)
    await insertRecords(site.db, kind, [demo, own]);
  await addItem(site.db, { ...TEXTS, id: "demo", names: NAMES, category: "Firearms", demo: true });
  await addItem(site.db, { ...TEXTS, id: "own", category: OWN });
  for (const id of ["demo", "own"]) {
    const discount = { item_key: id, title: `Days of ${id}`, percent: 10, demo: id === "demo" };
    await addDiscount(site.db, { ...discount, id });
    await addDiscount(site.db, { ...discount, id: `next-${id}`, starts: 2, ends: 3, announced: true });
  }
  const { agent, id: user_id } = await site.logIn();
  await site.db("entity_favorites").insert(["demo", "own"].map((item_id) => ({ user_id, item_id })));
  page = async (path) => mainOf((await agent.get(path).expect(200)).text);
});

/** Markup without the white space between its elements. */
function tight(html: string): string {
  return html.replace(/\s*\n\s*/g, "");
}

describe("a category of a known language", () => {
  it.each([
    ["a list and its filters", "/items", 2],
    ["a list of it alone", "/items?category=Firearms", 3],
    ["an entry's record", "/items/demo", 1],
    ["a search", "/search?q=Knife", 4],
    ["matches to compare", "/compare/items?q=Knife", 1],
    ["a map's list", "/houses/map", 1],
    ["favorites", "/favorites", 1],
    ["the shop", "/donate", 2],
    ["a part of the shop", "/donate?category=Firearms", 2],
    ["a shop's item", "/donate/demo", 1],
  ])("is marked with it in %s", async (_where, path, times) => {
    const russian = tight(await page(`/ru${path}`));
    expect(russian.split(MARKED)).toHaveLength(times + 1);
    expect(russian).not.toMatch(/lang="en">Waffen/);
    // Whatever shows one otherwise would show it without its language.
    expect(russian.replaceAll(MARKED, "").replaceAll('lang="en">Firearms<', "")).not.toMatch(/>\s*Firearms/);
    expect(await page(`/en${path}`)).not.toContain(MARKED);
  });
});

it("marks the language of a demo record's description, and of no others", async () => {
  for (const path of ["/ru/items", "/ru/donate"]) {
    expect(await page(`${path}/demo`)).toContain('<div class="description" dir="auto" lang="en"><p>A plain');
    expect(await page(`${path}/own`)).toContain('<div class="description" dir="auto"><p>A plain');
  }
});

describe("an attribute's value that is shown as it was written", () => {
  it("is marked with its language in demo records only", async () => {
    expect(await page("/ru/items/demo")).toContain('<td lang="en">Smith</td>');
    expect(await page("/ru/items/demo")).toContain('<td lang="en">teal</td>');
    expect(await page("/ru/items/own")).toContain("<td>Smith</td>");
    const compared = tight(await page("/ru/compare/items?id=demo&id=own"));
    expect(compared).toContain('<td lang="en">Smith</td><td>Smith</td>');
    for (const path of ["/en/items/demo", "/en/compare/items?id=demo"])
      expect(await page(path), path).not.toMatch(/<td[^>]* lang=/);
  });

  it("is marked in the record's history, before and after a change", async () => {
    const change = (values: object) => {
      const revision = site.db.raw("revision + 1");
      return site
        .db("items")
        .where({ id: "demo" })
        .update({ ...values, revision });
    };
    await change({ description: "A sharp thing.", attributes: { maker: "Jones" } });
    const russian = await page("/ru/items/demo");
    expect(russian).toContain('<span lang="en">Smith</span></del>');
    expect(russian).toContain('<span lang="en">Jones</span></ins>');
    expect(russian).toMatch(/<span lang="en">plain\s*<\/span><\/del>/);
    expect(await page("/en/items/demo")).not.toContain('<span lang="en">Smith');
    await change({ description: TEXTS.description });
  });
});

it("marks the language of a demo discount's title, and of no others", async () => {
  for (const [path, times] of [
    ["/donate/demo", 2],
    ["/donate", 1],
  ] as const) {
    const russian = await page(`/ru${path}`);
    expect(russian.split('<span lang="en">Days of demo</span>'), path).toHaveLength(times + 1);
    expect(russian, path).not.toContain('<span lang="en">Days of own');
    expect(await page(`/en${path}`), path).not.toContain('<span lang="en">Days');
  }
});

it("sends the map's script the language of each text that it shows", async () => {
  const { body } = await request(site.app).get("/ru/houses/map/points").expect(200);
  expect(body.points).toMatchObject([
    { id: "demo", lang: "ru", other: { lang: "en" }, category: "Firearms", categoryLang: "en" },
    { id: "own", category: OWN },
  ]);
  expect(body.points[1].categoryLang).toBeUndefined();
});

it("marks the language of an original name after the name in the reader's language", async () => {
  const paths = ["/items", "", "/favorites", "/compare/items?id=demo", "/donate", "/houses/map"];
  for (const path of paths) {
    const html = tight(await page(`/ru${path}`));
    expect(html, path).toMatch(/class="other-name" lang="en" data-second>Knife</);
  }
});
