import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { CATALOGUE_KINDS } from "../src/catalogue/kinds.ts";
import { paths } from "../src/urls.ts";
import { useTestApp } from "./helpers/app.ts";
import { emptyCatalogue, insertRecords, type TestEntry } from "./helpers/catalogue.ts";
import { elements, mainOf, textOf } from "./helpers/html.ts";

const site = useTestApp();

beforeEach(() => emptyCatalogue(site.db));

/** The page of one item, the only one there is. */
async function itemPage(entry: Omit<TestEntry, "id">): Promise<string> {
  await insertRecords(site.db, "items", [{ id: "1", name: "Thing", ...entry }]);
  return (await request(site.app).get("/items/1").expect(200)).text;
}

describe("an entry's page", () => {
  it.each(CATALOGUE_KINDS)("is there for %s", async (kind) => {
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
    expect(text).not.toContain("English");
  });

  it("shows the description with its lines", async () => {
    const text = await itemPage({ description: "One\n  Two <b>" });
    expect(text).toContain('<p class="description">One\n  Two &lt;b&gt;</p>');
  });

  it("shows attributes by type: figures with units, booleans as words, lists, nested ones", async () => {
    const text = await itemPage({
      attributes: { top_speed_kmh: 197.5, vip: false, commands: ["/a", "/b"], exit: { x: 1 }, empty: null },
    });
    const rows = elements(elements(text, "tbody")[0] ?? "", "tr").map(textOf);
    expect(rows.sort()).toEqual(
      ["Top speed 197.5 km/h", "Vip no", "Commands /a, /b", "Exit", "X 1", "Empty –"].sort(),
    );
    expect(text).toContain('<td class="num">197.5 km/h</td>');
  });

  it("links addresses in attributes, but only those of the web", async () => {
    const text = await itemPage({ attributes: { a: "https://example.org/x?y=1", b: "javascript:alert(1)" } });
    expect(text).toContain('<a href="https://example.org/x?y=1" rel="nofollow noopener ugc">');
    expect(text).not.toContain('href="javascript:');
    expect(text).toContain("javascript:alert(1)");
  });

  it.each([
    ["https://example.org/a.png", true],
    ["/assets/img/logo.svg", true],
    ["http://example.org/a.png", false],
    ["//example.org/a.png", false],
    ["/\\example.org/a.png", false],
    ["javascript:alert(1)", false],
    ["ArcaneProjection.png", false],
  ])("shows the image %s: %s", async (image, shown) => {
    const text = await itemPage({ image });
    expect(text.includes("<figure")).toBe(shown);
    expect(text.includes(`<img src="${image}"`)).toBe(shown);
  });

  it("tells when it was added and changed, its revision and its popularity", async () => {
    const text = await itemPage({
      created_at: "2026-01-02T03:04:00Z",
      updated_at: "2026-05-06T07:08:00Z",
      revision: 3,
      popularity: 12.5,
    });
    const facts = textOf(elements(text, "dl")[0] ?? "");
    expect(facts).toContain(
      "Popularity 12.5 Added 2 Jan 2026, 03:04 UTC Changed 6 May 2026, 07:08 UTC Revision 3",
    );
  });

  it("marks demo records, and no others", async () => {
    expect(await itemPage({ demo: true })).toContain("is-demo");
    await emptyCatalogue(site.db);
    expect(await itemPage({ demo: false })).not.toContain("is-demo");
  });

  it("leads to its category and to the records beside it, by name", async () => {
    await insertRecords(site.db, "items", [
      ...["a", "b", "d", "e"].map((id) => ({ id, category: "Tools" })),
      { id: "c", category: "Tools" },
      { id: "bb", category: "Other" },
    ]);
    const { text } = await request(site.app).get("/items/c");
    const nearby = text.slice(text.indexOf("neighbours"), text.indexOf("</nav>", text.indexOf("neighbours")));
    expect(elements(nearby, "li").map(textOf)).toEqual(["a", "b", "c", "d", "e"]);
    expect(nearby).toContain('<a href="/items/b" rel="prev">');
    expect(nearby).toContain('<a href="/items/d" rel="next">');
    expect(text).toContain('href="/items?category=Tools"');
  });

  it("tells apart records of one name", async () => {
    await insertRecords(
      site.db,
      "items",
      ["1", "2", "3"].map((id) => ({ id, name: "Same" })),
    );
    const { text } = await request(site.app).get("/items/2");
    expect(text).toContain('<a href="/items/1" rel="prev">');
    expect(text).toContain('<a href="/items/3" rel="next">');
  });

  it("describes itself for search engines in one short line", async () => {
    const text = await itemPage({ description: `Line one\nline two ${"long ".repeat(100)}` });
    const [, description = ""] = /<meta name="description" content="([^"]*)">/.exec(text) ?? [];
    expect(description).toMatch(/^Thing: Line one line two long .*…$/);
    expect(description.length).toBeLessThanOrEqual(160);
  });
});

describe("ids of any kind", () => {
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
    "'\"<>&",
    "A&B=C",
  ];

  it.each(ids)("%s has its page", async (id) => {
    await insertRecords(site.db, "scripts", [{ id, name: "Found" }]);
    const path = paths.entry("scripts", id);
    const { text } = await request(site.app).get(path).expect(200);
    expect(elements(text, "h1").map(textOf)).toEqual(["Found"]);
    expect(textOf(elements(text, "code")[0] ?? "")).toBe(id);
  });

  it.each(ids)("%s is linked from the list by an address that leads there", async (id) => {
    await insertRecords(site.db, "scripts", [{ id, name: "Found" }]);
    const { text } = await request(site.app).get("/scripts");
    const [, href = ""] = /<th scope="row">\s*<a href="([^"]*)"/.exec(text) ?? [];
    await request(site.app).get(href.replaceAll("&#39;", "'").replaceAll("&amp;", "&")).expect(200);
  });

  it("are told apart by case", async () => {
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

  it("offers the next ids where no name is near", async () => {
    await insertRecords(site.db, "items", [
      { id: "200", name: "B" },
      { id: "300", name: "C" },
    ]);
    const { text } = await request(site.app).get("/items/250").expect(404);
    expect(text).toContain('href="/items/300"');
    expect(text).not.toContain('href="/items/200"');
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
  it("is there for items, houses and businesses, and not for vehicles and scripts", async () => {
    const { agent } = await site.logIn();
    for (const kind of CATALOGUE_KINDS) await insertRecords(site.db, kind, [{ id: "1" }]);
    const has = async (kind: string) =>
      (await agent.get(`/${kind}/1`)).text.includes("entity_favorites/toggle");
    expect(await Promise.all(CATALOGUE_KINDS.map(has))).toEqual([true, false, false, true, true]);
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
