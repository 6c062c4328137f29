import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { useTestApp } from "./helpers/app.ts";
import { insertRecords } from "./helpers/catalogue.ts";
import { addItem } from "./helpers/donate.ts";
import { mainOf } from "./helpers/html.ts";

const NAMES = { en: "Knife", ru: "Нож" };
const TEXTS = { name: "Knife", description: "A plain thing." };

/** A category of the demo data, as a page that is in another language shows it; and where nothing tells its language. */
const MARKED = '<span lang="en">Firearms</span>';
const OWN = "Waffen";

const site = useTestApp();
let page: (path: string) => Promise<string>;

/** A demo record, and one of the site's own, of each kind whose categories pages show. */
beforeAll(async () => {
  const attributes = { x: 1, y: 2 };
  const demo = { id: "demo", ...TEXTS, names: NAMES, category: "Firearms", attributes, demo: true };
  const own = { id: "own", ...TEXTS, category: OWN, attributes };
  for (const kind of ["items", "vehicles", "houses"] as const)
    await insertRecords(site.db, kind, [demo, own]);
  await addItem(site.db, { ...TEXTS, id: "demo", names: NAMES, category: "Firearms", demo: true });
  await addItem(site.db, { ...TEXTS, id: "own", category: OWN });
  const { agent, id: user_id } = await site.logIn();
  await site.db("entity_favorites").insert(["demo", "own"].map((item_id) => ({ user_id, item_id })));
  page = async (path) => mainOf((await agent.get(path).expect(200)).text);
});

/** Markup without the white space between its elements. */
function tight(html: string): string {
  return html.replace(/\s*\n\s*/g, "");
}

describe("a category whose language is known", () => {
  it.each([
    ["a list and its filters", "/items", 2],
    ["a list of it alone", "/items?category=Firearms", 3],
    ["an entry's record", "/items/demo", 1],
    ["a search", "/search?q=Knife", 2],
    ["matches to compare", "/compare/items?q=Knife", 1],
    ["a map's list", "/houses/map", 1],
    ["favorites", "/favorites", 1],
    ["the shop", "/donate", 2],
    ["a part of the shop", "/donate?category=Firearms", 2],
    ["a shop's item", "/donate/demo", 1],
  ])("says it in %s", async (_where, path, times) => {
    const russian = tight(await page(`/ru${path}`));
    expect(russian.split(MARKED)).toHaveLength(times + 1);
    expect(russian).not.toMatch(/lang="en">Waffen/);
    // Whatever shows one otherwise would show it without its language.
    expect(russian.replaceAll(MARKED, "").replaceAll('lang="en">Firearms<', "")).not.toMatch(/>\s*Firearms/);
    expect(await page(`/en${path}`)).not.toContain(MARKED);
  });

  it("says it where the element is there already: a way back, a choice, a cell", async () => {
    for (const path of ["/items/demo", "/donate/demo"]) {
      expect(await page(`/ru${path}`)).toMatch(/<li><a href="[^"]*" lang="en">Firearms<\/a><\/li>/);
    }
    expect(await page("/ru/houses/map")).toContain('<option value="Firearms" lang="en">Firearms</option>');
    expect(await page("/ru/compare/items?id=demo&id=own")).toContain('<td lang="en">Firearms</td>');
  });
});

it("says the language of a demo record's description, and of no others", async () => {
  for (const path of ["/ru/items", "/ru/donate"]) {
    expect(await page(`${path}/demo`)).toContain('<p class="description" lang="en">A plain thing.</p>');
    expect(await page(`${path}/own`)).toContain('<p class="description">A plain thing.</p>');
  }
});

it("says the language of a name in another one, beside the name in the reader's", async () => {
  const beside = [
    "/ru/items",
    "/ru",
    "/ru/favorites",
    "/ru/compare/items?id=demo",
    "/ru/donate",
    "/ru/houses/map",
  ];
  for (const path of beside) {
    expect(tight(await page(path)), path).toMatch(/class="other-name" lang="en">Knife</);
  }
});

describe("where the site has no demo data", () => {
  const own = useTestApp();

  it("no language is told: the same word may be one of another", async () => {
    await insertRecords(own.db, "items", [{ id: "1", category: "Firearms" }]);
    for (const path of ["/ru/items", "/ru/items/1"]) {
      const { text } = await request(own.app).get(path).expect(200);
      expect(mainOf(text)).toContain("Firearms");
      expect(mainOf(text)).not.toContain('lang="en"');
    }
  });
});
