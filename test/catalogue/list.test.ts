import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { BUILT_IN_KINDS } from "../../src/words/kinds/kinds.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { attributes, elements, mainOf, textOf } from "../helpers/html.ts";

const site = useTestApp();

beforeEach(() => emptyCatalogue(site.db));

/** The names in the table of a list, in its order. */
async function namesOn(path: string): Promise<string[]> {
  return elements(elements(await site.page(path), "tbody")[0] ?? "", "a").map(textOf);
}

const mainOn = async (path: string, status = 200) => textOf(mainOf(await site.page(path, status)));

describe("a list", () => {
  it.each(BUILT_IN_KINDS)(
    "links to the page of every record of %s, or says that there are none",
    async (kind) => {
      const empty = await site.page(`/${kind}`);
      expect(textOf(mainOf(empty))).toContain(`No ${kind} yet`);
      expect(empty).not.toContain("<table");
      await insertRecords(site.db, kind, [{ id: "7", name: "Seven" }]);
      expect(mainOf(await site.page(`/${kind}`))).toContain(`<a href="/${kind}/7">Seven</a>`);
    },
  );

  it("is sorted by name, by the newest change, or by popularity with the unknown last", async () => {
    const created_at = "2026-01-01T00:00:00Z";
    await insertRecords(site.db, "vehicles", [
      { id: "b", popularity: null, created_at, updated_at: "2026-01-02T00:00:00Z" },
      { id: "c", popularity: 1, created_at, updated_at: "2026-03-01T00:00:00Z" },
      { id: "a", popularity: 50.5, created_at, updated_at: "2026-02-01T00:00:00Z" },
    ]);
    expect(await namesOn("/vehicles")).toEqual(["a", "b", "c"]);
    expect(await namesOn("/vehicles?sort=newest")).toEqual(["c", "a", "b"]);
    expect(await namesOn("/vehicles?sort=popularity")).toEqual(["a", "c", "b"]);
  });

  it("shows a second name if a search found it, or for users who know the main language", async () => {
    const names = { en: "Infernus", ru: "Инфернус", de: "Höllenauto" };
    await insertRecords(site.db, "vehicles", [{ id: "1", name: "Infernus", names }]);
    const othersOn = async (path: string) =>
      (await site.page(path)).match(/<span class="other-name".*?<\/span>/g);
    const other = (attributes: string, name: string) => [
      `<span class="other-name" ${attributes}>${name}</span>`,
    ];
    expect(await othersOn("/vehicles")).toBeNull();
    expect(await othersOn("/vehicles?q=infernus")).toBeNull();
    expect(await othersOn("/vehicles?q=höllen")).toEqual(other('lang="de"', "Höllenauto"));
    expect(await othersOn("/ru/vehicles")).toEqual(other('lang="en" data-second', "Infernus"));
    expect(await othersOn("/ru/vehicles?q=infernus")).toEqual(other('lang="en"', "Infernus"));
  });

  it("shows a dash, not 0, for an unknown popularity", async () => {
    await insertRecords(site.db, "vehicles", [{ id: "1" }, { id: "2", popularity: 7 }]);
    const text = await site.page("/vehicles");
    const cells = elements(elements(text, "tbody")[0] ?? "", "td").map(textOf);
    // The first is the box to tick. There are no categories.
    expect(cells[1]).toBe("–");
  });
});

describe("the category filter", () => {
  it("is 404 for an unknown category, compared exactly, and offers the others", async () => {
    await insertRecords(site.db, "vehicles", [
      { id: "1", category: "Boats & more" },
      { id: "3", category: "Bikes" },
    ]);
    const text = await mainOn("/vehicles?category=Nope", 404);
    expect(text).toContain("There is no category “Nope”");
    expect(text).toContain("Bikes");
    await site.page("/vehicles?category=boats+%26+more", 404);
  });
});

describe("the name filter", () => {
  beforeEach(() =>
    insertRecords(site.db, "vehicles", [
      { id: "1", name: "100% Cotton" },
      { id: "2", name: "1000 Cotton_s" },
      { id: "3", name: "Ёлка", names: { en: "Fir tree" } },
      { id: "AB/12", name: "Nothing alike" },
    ]),
  );

  it.each([
    ["COTT", ["100% Cotton", "1000 Cotton_s"]],
    ["tree", ["Fir tree"]],
    ["AB/12", ["Nothing alike"]],
    ["coton", ["100% Cotton", "1000 Cotton_s"]],
    // These are text, no patterns.
    ...["%", "_", "\\", "%_", "'"].map((q): [string, string[]] => [q, []]),
  ])("finds by %s: %j", async (q, names) => {
    expect(await namesOn(`/vehicles?q=${encodeURIComponent(q)}`)).toEqual(names);
  });

  it("begins with the best match by default, and offers that order in a search only", async () => {
    await insertRecords(site.db, "vehicles", [
      { id: "p1", name: "A cotton", category: "Sweets" },
      { id: "p2", name: "Cotton", category: "Cloth" },
    ]);
    expect((await namesOn("/vehicles?q=cotton")).slice(0, 2)).toEqual(["Cotton", "A cotton"]);
    expect((await namesOn("/vehicles?q=cotton&sort=name"))[0]).toBe("A cotton");
    const text = await site.page("/vehicles?q=cotton");
    expect(text).toContain("<title>Vehicles: “cotton”");
    expect(text).toContain('<option value="" selected>Best match');
    expect(text).toContain('<meta name="robots" content="noindex">');
    const unfiltered = await site.page("/vehicles?sort=match");
    expect(unfiltered).not.toContain("Best match");
    expect(unfiltered).toContain('<option value="" selected>Name');
  });

  it("shows the name that was found beside the main one", async () => {
    const names = { de: "Baumwolle", fr: "Coton fin", ru: "Хлопок" };
    await insertRecords(site.db, "vehicles", [{ id: "p1", name: "Fine thread", names }]);
    for (const [q, found] of [
      ["хлоп", "Хлопок"],
      ["[kjg", "Хлопок"],
      ["fin coton", "Coton fin"],
    ] as const) {
      const text = await site.page(`/vehicles?q=${encodeURIComponent(q)}`);
      expect(elements(text, "tbody")[0], q).toContain(found);
    }
  });

  it("can be sorted, and narrowed by category", async () => {
    await insertRecords(site.db, "vehicles", [
      { id: "p1", name: "Cotton candy", popularity: 5, category: "Sweets" },
      { id: "p2", name: "Cotton wool", popularity: 9 },
    ]);
    const names = await namesOn("/vehicles?q=cotton&sort=popularity");
    expect(names).toEqual(["Cotton wool", "Cotton candy", "100% Cotton", "1000 Cotton_s"]);
    expect(await namesOn("/vehicles?q=cotton&category=Sweets")).toEqual(["Cotton candy"]);
  });

  it("reports that nothing was found, with links to the search and to all", async () => {
    const main = mainOf(await site.page("/vehicles?q=xyzzy+plugh"));
    expect(textOf(main)).toContain("No results for “xyzzy plugh”");
    expect(main).toMatch(/<a class="[a-z]+" href="\/vehicles">All vehicles<\/a>/);
    expect(attributes(main, "href")).toContain("/search?q=xyzzy%20plugh");
  });
});

describe("a name that more than 1,000 records match", () => {
  beforeEach(() =>
    site.db.raw(
      `insert into items (id, name, popularity, category)
       select n, 'Zebra ' || lpad(n::text, 4, '0'), n, case when n <= 50 then 'Rare' else 'Common' end
         from generate_series(1, 1050) as n`,
    ),
  );

  it("lists the best of them and says so on every page, also if no match is in a category", async () => {
    for (const page of [1, 20]) {
      const main = await mainOn(`/items?q=zebra&page=${page}`);
      expect(main).toContain("1,000+ items");
      expect(main).toContain("Only the top 1,000 matches for “zebra” are listed");
    }
    expect((await namesOn("/items?q=zebra"))[0]).toBe("Zebra 1050");
    expect((await namesOn("/items?q=zebra&page=21")).at(-1)).toBe("Zebra 0051");
    expect((await namesOn("/items?q=zebra&sort=name"))[0]).toBe("Zebra 0051");
    const none = "None of the top 1,000 matches for “zebra” fit these filters";
    expect(await mainOn("/items?q=zebra&category=Rare")).toContain(none);
  });
});

describe("the address of a list", () => {
  it("keeps the filter and the sort on other pages, and has no sort in its canonical form", async () => {
    const records = Array.from({ length: 120 }, (_, index) => ({ id: `v${index}`, category: "Cars" }));
    await insertRecords(site.db, "vehicles", records);
    const links = async (query: string) => attributes(mainOf(await site.page(`/vehicles?${query}`)), "href");
    const next = "/vehicles?category=Cars&q=v&sort=popularity&page=2";
    expect(await links("category=Cars&sort=popularity&q=v")).toContain(next);
    // Another category begins at its first page.
    expect(await links("sort=newest&page=2")).toContain("/vehicles?category=Cars&sort=newest");
    const canonical = "http://almanac.test/vehicles?category=Cars&amp;page=2";
    expect(await site.page("/vehicles?category=Cars&sort=newest&page=2")).toContain(
      `<link rel="canonical" href="${canonical}">`,
    );
  });
});

describe("bad input", () => {
  it.each([
    "page=0",
    "page=1000001",
    "sort=random",
    "page=1&page=2",
    "q=a&q=b",
    "q=%00",
    `q=${"x".repeat(201)}`,
  ])("is a 400 page: ?%s", async (query) => {
    const { text, type } = await request(site.app).get(`/items?${query}`).expect(400);
    expect(type).toBe("text/html");
    expect(textOf(mainOf(text))).toMatch(new RegExp(`\\b${query.split("=")[0]} (must|is)`));
  });

  it.each(["page=", "sort=", "category=", "q=", "q=%20", "unknown=1"])("excludes ?%s", async (query) => {
    await request(site.app).get(`/items?${query}`).expect(200);
  });
});
