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
  return (await request(site.app).get("/items/1").expect(200)).text;
}

/** Where links lead; the drawings of kinds name a file too. */
function linksIn(html: string): string[] {
  return attributes(html, "href").filter((href) => !href.startsWith("/assets/"));
}

/** The links of the list of related entries, in its order. */
function relatedOn(text: string): string[] {
  const start = text.indexOf('<h2 id="related">');
  return start === -1 ? [] : linksIn(text.slice(start, text.indexOf("</nav>", start)));
}

describe("an entry's page", () => {
  it.each(BUILT_IN_KINDS)("is there for %s", async (kind) => {
    await insertRecords(site.db, kind, [{ id: "7", name: "Seven" }]);
    const { text } = await request(site.app).get(`/${kind}/7`).expect(200);
    expect(elements(text, "h1").map(textOf)).toEqual(["Seven"]);
    expect(text).toContain(`<link rel="canonical" href="http://almanac.test/${kind}/7">`);
  });

  it("shows the names in other languages with what those are called", async () => {
    const names = { en: "Thing", ru: "Вещь", "zz-nonsense-": "X" };
    const text = await itemPage({ names });
    expect(text).toContain('<span lang="ru">Вещь</span> <span class="language">Russian</span>');
    expect(text).toContain('<span class="language">zz-nonsense-</span>');
    expect(textOf(mainOf(text))).not.toContain("English");
  });

  it("shows the description as Markdown, with its lines", async () => {
    const text = await itemPage({ description: "One\n  **Two** <b>" });
    expect(text).toContain(
      '<div class="description" dir="auto"><p>One<br />\n<strong>Two</strong> &lt;b&gt;</p></div>',
    );
  });

  it("has no section for a description that is blank", async () => {
    expect(await itemPage({ description: " \n" })).not.toContain('id="description"');
  });

  it("shows attributes by type: figures with units, booleans as words, lists, nested ones", async () => {
    const text = await itemPage({
      attributes: { top_speed_kmh: 197.5, vip: false, commands: ["/a", "/b"], exit: { x: 1 }, empty: null },
    });
    const rows = elements(elements(text, "tbody")[0] ?? "", "tr").map(textOf);
    expect(rows.sort()).toEqual(
      ["Top speed 197.5 km/h", "VIP no", "Commands /a, /b", "Exit", "X 1", "Empty –"].sort(),
    );
    expect(text).toContain('<td class="num">197.5\u00a0km/h</td>');
  });

  it("links addresses in attributes, but only those of the web", async () => {
    const text = await itemPage({ attributes: { a: "https://example.org/x?y=1", b: "javascript:alert(1)" } });
    expect(text).toContain('<a href="https://example.org/x?y=1" rel="nofollow noopener ugc">');
    expect(text).not.toContain('href="javascript:');
    expect(text).toContain("javascript:alert(1)");
  });

  it("has its data before its relations, and these before what else there is", async () => {
    await insertRecords(site.db, "items", [
      { id: "1", category: "Tools", attributes: { damage: 5 } },
      { id: "2", category: "Tools" },
    ]);
    await importRecords(site.db, "relations", [{ from: "item:1", kind: "made-of", to: "item:2" }]);
    await importRecords(site.db, "items", [
      { id: "1", name: "New", category: "Tools", attributes: { damage: 6 } },
    ]);
    const { text } = await request(site.app).get("/items/1").expect(200);
    const main = mainOf(text).slice(mainOf(text).indexOf('<div class="split">'));
    const parts = ["<code>1</code>", 'category=Tools">', ">Damage<", 'id="relations"', "<aside"];
    const panels = ['id="related"', 'id="record"', '<details class="history-folded">'];
    const places = [...parts, ...panels].map((part) => main.indexOf(part));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(textOf(main)).not.toMatch(/revision/i);
  });

  it.each([
    ["/houses/1", "Houses", ["/houses"]],
    ["/ru/houses/1", "houses", ["/ru/houses"]],
    ["/ru/houses/1", "Дома", ["/ru/houses"]],
    ["/houses/1", "Villas", ["/houses", "/houses?category=Villas"]],
  ])("at %s of the category %s has the way %j", async (path, category, way) => {
    await insertRecords(site.db, "houses", [{ id: "1", category }]);
    const { text } = await request(site.app).get(path).expect(200);
    expect(
      attributes(
        elements(elements(text, "nav").find((nav) => nav.includes("<ol>")) ?? "", "ol")[0] ?? "",
        "href",
      ),
    ).toEqual(way);
  });

  it("marks demo records, and no others", async () => {
    expect(await itemPage({ demo: true })).toContain("is-demo");
    await emptyCatalogue(site.db);
    expect(await itemPage({ demo: false })).not.toContain("is-demo");
  });

  it("leads to its category and to related records", async () => {
    await insertRecords(site.db, "items", [
      ...["a", "b", "c"].map((id) => ({ id, category: "Tools" })),
      { id: "d", category: "Other" },
    ]);
    const { text } = await request(site.app).get("/items/c");
    expect(relatedOn(text)).toEqual(["/items/a", "/items/b"]);
    expect(text).toContain('href="/items?category=Tools"');
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

  it("is headed by the Russian name, with the original beside it and the others after it", async () => {
    await insertRecords(site.db, "items", [{ id: "1", ...knife }]);
    const { text } = await request(site.app).get("/ru/items/1").expect(200);
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

  it("links stay in the language", async () => {
    await insertRecords(site.db, "items", [
      { id: "1", ...knife },
      { id: "2", ...knife },
    ]);
    const { text } = await request(site.app).get("/ru/items/1").expect(200);
    expect(relatedOn(text)).toEqual(["/ru/items/2"]);
    expect(attributes(mainOf(text), "href").filter((href) => !/^\/(ru|assets)\//.test(href))).toEqual([]);
  });

  it("says in Russian that there is no such entry", async () => {
    await insertRecords(site.db, "vehicles", [{ id: "411", name: "Infernus", names: { ru: "Инфернус" } }]);
    const { text } = await request(site.app).get("/ru/vehicles/infern").expect(404);
    expect(elements(text, "h1").map(textOf)).toEqual(["Такого транспорта нет"]);
    expect(text).toContain('<a class="chip" href="/ru/vehicles/411" lang="ru">Инфернус</a>');
  });
});

describe("what lies nearest to a house", () => {
  it("is listed by distance, however the place is written", async () => {
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

describe("the way to the page that compares", () => {
  it("is there for items and vehicles, with this one in it", async () => {
    for (const kind of BUILT_IN_KINDS) await insertRecords(site.db, kind, [{ id: "a b" }]);
    const compares = async (kind: string) =>
      (await request(site.app).get(`/${kind}/a%20b`)).text.includes("/compare/");
    expect(await Promise.all(BUILT_IN_KINDS.map(compares))).toEqual([true, true, false, false, false]);
    const { text } = await request(site.app).get("/items/a%20b");
    expect(text).toContain('href="/compare/items?id=a+b"');
  });
});

describe("ids of any kind", () => {
  it("have a page each, and the list leads there", async () => {
    const ids = [
      "/Lotus/Types/Item",
      "a b+c",
      "100%",
      "%2F",
      "a/../b",
      "…",
      "ключ",
      "emoji 🚗",
      "?x=1",
      "#x",
    ];
    ids.push("'\"<>&", "A&B=C");
    await insertRecords(
      site.db,
      "scripts",
      ids.map((id) => ({ id, name: `Called ${id}` })),
    );
    const { text: list } = await request(site.app).get("/scripts").expect(200);
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
  it("is answered with 404, a search box with the id, and names that contain it", async () => {
    await insertRecords(site.db, "vehicles", [
      { id: "411", name: "Infernus" },
      { id: "412", name: "Voodoo" },
    ]);
    const { text } = await request(site.app).get("/vehicles/infern").expect(404);
    expect(text).toContain('name="q" value="infern"');
    expect(text).toContain('<a class="chip" href="/vehicles/411">Infernus</a>');
    expect(text).not.toContain("Voodoo");
    expect(text).toContain('content="noindex"');
  });

  it("offers names that are only like it", async () => {
    await insertRecords(site.db, "houses", [
      { id: "1", name: "Madd Dogg's Crib" },
      { id: "2", name: "Beach hut" },
    ]);
    const { text } = await request(site.app).get("/houses/mad-dogg-crib").expect(404);
    expect(text).toContain('href="/houses/1"');
    expect(text).not.toContain("Beach hut");
  });

  it("is a clean 404 in an empty catalogue", async () => {
    const { text } = await request(site.app).get("/businesses/nope").expect(404);
    expect(textOf(mainOf(text))).not.toContain("Did you mean");
  });

  it.each(["%00", "a%00b", "x".repeat(201), "%zz", "%E0%A4%A"])(
    "is a 400 page where it cannot be one: %s",
    async (id) => {
      const { type } = await request(site.app).get(`/items/${id}`).expect(400);
      expect(type).toBe("text/html");
    },
  );
});

describe("the favorite button", () => {
  it("is there for every built-in kind, and posts to the path that takes it", async () => {
    const { agent } = await site.logIn();
    for (const kind of BUILT_IN_KINDS) await insertRecords(site.db, kind, [{ id: "1" }]);
    const actionOn = async (kind: string) =>
      /<form class="favorite" method="post" action="([^"]+)"/.exec((await agent.get(`/${kind}/1`)).text)?.[1];
    const [fixed, ours] = ["/api/entity_favorites/toggle", "/api/entry_favorites/toggle"];
    expect(await Promise.all(BUILT_IN_KINDS.map(actionOn))).toEqual([fixed, ours, ours, fixed, fixed]);
  });

  it("shows what the viewer has, and nobody else's", async () => {
    await insertRecords(site.db, "houses", [{ id: "1", name: "Crib" }]);
    const [owner, other] = [await site.logIn(), await site.logIn()];
    await owner.agent
      .post("/api/entity_favorites/toggle")
      .send({ kind: "house", entity_id: "1" })
      .expect(200);
    expect((await owner.agent.get("/houses/1")).text).toContain('aria-pressed="true"');
    expect((await other.agent.get("/houses/1")).text).toContain('aria-pressed="false"');
  });

  it("leads a visitor to the log-in page and back", async () => {
    await insertRecords(site.db, "items", [{ id: "a/b" }]);
    const { text } = await request(site.app).get("/items/a%2Fb");
    expect(text).toContain(`href="/login?next=${encodeURIComponent("/items/a%2Fb")}"`);
  });
});
