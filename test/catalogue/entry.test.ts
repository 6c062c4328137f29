import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { BUILT_IN_KINDS } from "../../src/words/kinds/kinds.ts";
import { paths } from "../../src/words/urls.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords, type TestEntry } from "../helpers/catalogue.ts";
import { attributes, elements, mainOf, textOf } from "../helpers/html.ts";

const site = useTestApp();

beforeEach(() => emptyCatalogue(site.db));

/** The page of one item, the only one there is. */
async function itemPage(entry: Omit<TestEntry, "id">): Promise<string> {
  await insertRecords(site.db, "items", [{ id: "1", name: "Thing", ...entry }]);
  return site.page("/items/1");
}

/** Where links lead; the drawings of kinds name a file too. */
function linksIn(html: string): string[] {
  return attributes(html, "href").filter((href) => !href.startsWith("/assets/"));
}

describe("an entry's page", () => {
  it.each(BUILT_IN_KINDS)("exists for %s", async (kind) => {
    await insertRecords(site.db, kind, [{ id: "7", name: "Seven" }]);
    const text = await site.page(`/${kind}/7`);
    expect(elements(text, "h1").map(textOf)).toEqual(["Seven"]);
    expect(text).toContain(`<link rel="canonical" href="http://almanac.test/${kind}/7">`);
  });

  it("shows the names in other languages, and the description as Markdown with its lines", async () => {
    const names = { en: "Thing", ru: "Вещь", "zz-nonsense-": "X" };
    const text = await itemPage({ names, description: "One\n  **Two** <b>" });
    expect(text).toContain('<span lang="ru">Вещь</span> <span class="language">Russian</span>');
    expect(text).toContain('<span class="language">zz-nonsense-</span>');
    expect(textOf(mainOf(text))).not.toContain("English");
    const description = "<p>One<br />\n<strong>Two</strong> &lt;b&gt;</p>";
    expect(text).toContain(`<div class="description" dir="auto">${description}</div>`);
  });

  it("shows attributes by type: figures with units, booleans, lists, nested ones and safe links", async () => {
    const plain = { top_speed_kmh: 197.5, vip: false, commands: ["/a", "/b"], exit: { x: 1 }, empty: null };
    const links = { a: "https://example.org/x?y=1", b: "javascript:alert(1)" };
    const text = await itemPage({ attributes: { ...plain, ...links }, description: " \n" });
    const rows = elements(elements(text, "tbody")[0] ?? "", "tr").map(textOf);
    const shown = ["Top speed 197.5 km/h", "VIP no", "Commands /a, /b", "Exit", "X 1", "Empty –"];
    expect(rows).toEqual(expect.arrayContaining([...shown, "B javascript:alert(1)"]));
    expect(text).toContain('<td class="num">197.5\u00a0km/h</td>');
    expect(text).toContain('<a href="https://example.org/x?y=1" rel="nofollow noopener ugc">');
    expect(text).not.toContain('href="javascript:');
    expect(text).not.toContain('id="description"');
  });

  it("has its data, then its relations, then everything else", async () => {
    await insertRecords(site.db, "items", [
      { id: "1", category: "Tools", attributes: { damage: 5 } },
      { id: "2", category: "Tools" },
    ]);
    await importRecords(site.db, "relations", [{ from: "item:1", kind: "made-of", to: "item:2" }]);
    const changed = { id: "1", name: "New", category: "Tools", attributes: { damage: 6 } };
    await importRecords(site.db, "items", [changed]);
    const html = mainOf(await site.page("/items/1"));
    const main = html.slice(html.indexOf('<div class="split">'));
    const parts = ["<code>1</code>", 'category=Tools">', ">Damage<", 'id="relations"', "<aside"];
    const panels = ['id="related"', 'id="record"', '<details class="history-folded">'];
    const places = [...parts, ...panels].map((part) => main.indexOf(part));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(textOf(main)).not.toMatch(/revision/i);
  });

  it.each([
    ["/houses/1", "Houses", ["/houses"]],
    ["/ru/houses/1", "Дома", ["/ru/houses"]],
    ["/houses/1", "Villas", ["/houses", "/houses?category=Villas"]],
  ])("at %s of the category %s has the breadcrumbs %j", async (path, category, way) => {
    await insertRecords(site.db, "houses", [{ id: "1", category }]);
    const breadcrumbs = elements(await site.page(path), "nav").find((nav) => nav.includes("<ol>"));
    expect(attributes(elements(breadcrumbs ?? "", "ol")[0] ?? "", "href")).toEqual(way);
  });

  it("marks demo records, and no others", async () => {
    expect(await itemPage({ demo: true })).toContain("is-demo");
    await emptyCatalogue(site.db);
    expect(await itemPage({ demo: false })).not.toContain("is-demo");
  });

  it("describes itself for search engines in one short line", async () => {
    const text = await itemPage({ description: `Line one\nline two ${"long ".repeat(100)}` });
    const [, description = ""] = /<meta name="description" content="([^"]*)">/.exec(text) ?? [];
    expect(description).toMatch(/^Thing: Line one line two long .*…$/);
    expect(description.length).toBeLessThanOrEqual(160);
  });
});

describe("an entry's page in Russian", () => {
  const knife = {
    name: "Knife",
    names: { en: "Knife", ru: "Нож", de: "Messer" },
    category: "Melee weapons",
    attributes: { price: 1200, weight_kg: 0.5, dual_wield: false },
  };

  it("has the Russian name as heading, then the original and the other names", async () => {
    await insertRecords(site.db, "items", [{ id: "1", ...knife }]);
    const text = await site.page("/ru/items/1");
    expect(text).toMatch(/<h1><span lang="ru">Нож<\/span>/);
    const names = elements(elements(text, "article")[0] ?? "", "ul")[0] ?? "";
    expect(elements(names, "li").map(textOf)).toEqual(["Knife английский", "Messer немецкий"]);
    expect(names).toContain('<span lang="en">Knife</span>');
    expect(text).toContain("<title>Нож · Предметы");
  });

  it("has no English word of its own", async () => {
    const place = { x: 10, y: 20 };
    await insertRecords(site.db, "houses", [
      { id: "1", name: "Дом", attributes: { ...place, garage: true, price: 5 }, revision: 2, popularity: 1 },
      { id: "2", name: "Хижина", attributes: { x: 13, y: 24 } },
    ]);
    const { text } = await request(site.app).get("/ru/houses/1").expect(200);
    const words = textOf(elements(text, "article")[0] ?? "").match(/[A-Za-z]{3,}/g) ?? [];
    expect(words.filter((word) => word !== "UTC")).toEqual([]);
    expect(textOf(text)).toContain("в 5 единицах отсюда");
  });

  it("has links to pages in Russian", async () => {
    await insertRecords(site.db, "items", [
      { id: "1", ...knife },
      { id: "2", ...knife },
    ]);
    const main = mainOf(await site.page("/ru/items/1"));
    expect(main.slice(main.indexOf('id="related"'))).toContain('href="/ru/items/2"');
    expect(attributes(main, "href").filter((href) => !/^\/(ru|assets)\//.test(href))).toEqual([]);
  });

  it("is a 404 page in Russian for an unknown entry", async () => {
    await insertRecords(site.db, "vehicles", [{ id: "411", name: "Infernus", names: { ru: "Инфернус" } }]);
    const text = await site.page("/ru/vehicles/infern", 404);
    expect(elements(text, "h1").map(textOf)).toEqual(["Такого транспорта нет"]);
    expect(text).toContain('<a class="chip" href="/ru/vehicles/411" lang="ru">Инфернус</a>');
  });
});

describe("the houses nearest to a house", () => {
  it("are listed by distance, however the place is written", async () => {
    await insertRecords(site.db, "houses", [
      { id: "here", attributes: { x: 0, y: 0, z: 500 } },
      { id: "far", attributes: { x: -1000, y: 0 } },
      { id: "near", attributes: { position: [3, -4, 10] } },
      { id: "text", attributes: { pos_x: "6", pos_y: "8.0" } },
      { id: "nowhere", attributes: { x: "H_DEFAULT_X", y: 1 } },
    ]);
    const { text } = await request(site.app).get("/houses/here").expect(200);
    const start = text.indexOf('<h2 id="nearest">');
    const nearest = text.slice(start, text.indexOf("</nav>", start));
    expect(linksIn(nearest)).toEqual(["/houses/near", "/houses/text", "/houses/far"]);
    expect(elements(nearest, "li").map(textOf)[0]).toBe("near 5 units away");
    expect(text).toContain('href="/houses/map?at=here"');
  });
});

describe("ids of any kind", () => {
  it("have a page each, and the list links to it", async () => {
    const ids = [
      "/Lotus/Types/Item",
      "a b+c",
      "100%",
      "%2F",
      "a/../b",
      "ключ",
      "?x=1",
      "#x",
      "'\"<>&",
      "A&B=C",
    ];
    const scripts = ids.map((id) => ({ id, name: `Called ${id}` }));
    await insertRecords(site.db, "scripts", scripts);
    const list = await site.page("/scripts");
    const links = linksIn(elements(list, "tbody")[0] ?? "").filter((href) => href.startsWith("/scripts/"));
    const addresses = links.map((href) => href.replaceAll("&#39;", "'").replaceAll("&amp;", "&"));
    expect(addresses.toSorted()).toEqual(ids.map((id) => paths.entry("scripts", id)).toSorted());
    for (const id of ids) {
      const { text } = await request(site.app).get(paths.entry("scripts", id)).expect(200);
      expect(elements(text, "h1").map(textOf)).toEqual([textOf(`Called ${id.replaceAll("<", "&lt;")}`)]);
      expect(textOf(elements(text, "code")[0] ?? "")).toBe(id);
    }
  });

  it("differ by case", async () => {
    await insertRecords(site.db, "items", [{ id: "abc" }]);
    await request(site.app).get("/items/ABC").expect(404);
    await request(site.app).get("/ITEMS/abc").expect(404);
  });
});

describe("an id that does not exist", () => {
  it("is a 404 page with a search for the id, and with names that contain it", async () => {
    const infernus = { id: "411", name: "Infernus" };
    await insertRecords(site.db, "vehicles", [infernus, { id: "412", name: "Voodoo" }]);
    const text = await site.page("/vehicles/infern", 404);
    expect(text).toContain('name="q" value="infern"');
    expect(text).toContain('<a class="chip" href="/vehicles/411">Infernus</a>');
    expect(text).not.toContain("Voodoo");
    expect(text).toContain('content="noindex"');
  });
});

describe("the favorite button", () => {
  it("is there for every built-in kind, and posts to the path of the kind", async () => {
    const { agent } = await site.logIn();
    for (const kind of BUILT_IN_KINDS) await insertRecords(site.db, kind, [{ id: "1" }]);
    const actionOn = async (kind: string) =>
      /<form class="favorite" method="post" action="([^"]+)"/.exec((await agent.get(`/${kind}/1`)).text)?.[1];
    const [fixed, ours] = ["/api/entity_favorites/toggle", "/api/entry_favorites/toggle"];
    expect(await Promise.all(BUILT_IN_KINDS.map(actionOn))).toEqual([fixed, ours, ours, fixed, fixed]);
  });

  it("leads a visitor to the log-in page and back", async () => {
    await insertRecords(site.db, "items", [{ id: "a/b" }]);
    const next = encodeURIComponent("/items/a%2Fb");
    expect(await site.page("/items/a%2Fb")).toContain(`href="/login?next=${next}"`);
  });
});
