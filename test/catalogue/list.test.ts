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
  const { text } = await request(site.app).get(path).expect(200);
  return elements(elements(text, "tbody")[0] ?? "", "a").map(textOf);
}

/** The links of a page's main part that lead to lists of vehicles. */
async function listLinks(path: string): Promise<string[]> {
  const { text } = await request(site.app).get(path);
  return attributes(mainOf(text), "href").filter((href) => href.startsWith("/vehicles?"));
}

describe("a list", () => {
  it.each(BUILT_IN_KINDS)("shows every record of %s and links to its page", async (kind) => {
    await insertRecords(site.db, kind, [{ id: "7", name: "Seven" }]);
    const { text } = await request(site.app).get(`/${kind}`).expect(200);
    expect(mainOf(text)).toContain(`<a href="/${kind}/7">Seven</a>`);
  });

  it.each(BUILT_IN_KINDS)("says so when there are no %s", async (kind) => {
    const { text } = await request(site.app).get(`/${kind}`).expect(200);
    expect(textOf(mainOf(text))).toContain(`No ${kind} yet`);
    expect(text).not.toContain("<table");
  });

  it("is sorted by name unless told", async () => {
    await insertRecords(site.db, "vehicles", [
      { id: "1", name: "Zebra" },
      { id: "2", name: "Alpha" },
    ]);
    expect(await namesOn("/vehicles")).toEqual(["Alpha", "Zebra"]);
  });

  it("sorts by the newest change", async () => {
    const created_at = "2026-01-01T00:00:00Z";
    await insertRecords(site.db, "vehicles", [
      { id: "old", created_at, updated_at: "2026-01-02T00:00:00Z" },
      { id: "new", created_at, updated_at: "2026-03-01T00:00:00Z" },
      { id: "mid", created_at, updated_at: "2026-02-01T00:00:00Z" },
    ]);
    expect(await namesOn("/vehicles?sort=newest")).toEqual(["new", "mid", "old"]);
  });

  it("sorts by popularity, the unknown last", async () => {
    await insertRecords(site.db, "vehicles", [
      { id: "none", popularity: null },
      { id: "low", popularity: 1 },
      { id: "high", popularity: 50.5 },
    ]);
    expect(await namesOn("/vehicles?sort=popularity")).toEqual(["high", "low", "none"]);
  });

  it("shows a name of another language only if a search found it, or as the main one, to those who know it", async () => {
    const names = { en: "Infernus", ru: "Инфернус", de: "Höllenauto" };
    await insertRecords(site.db, "vehicles", [{ id: "1", name: "Infernus", names }]);
    const othersOn = async (path: string) =>
      (await request(site.app).get(path).expect(200)).text.match(/<span class="other-name".*?<\/span>/g);
    expect(await othersOn("/vehicles")).toBeNull();
    expect(await othersOn("/vehicles?q=infernus")).toBeNull();
    expect(await othersOn("/vehicles?q=höllen")).toEqual([
      '<span class="other-name" lang="de">Höllenauto</span>',
    ]);
    expect(await othersOn("/ru/vehicles")).toEqual([
      '<span class="other-name" lang="en" data-second>Infernus</span>',
    ]);
    expect(await othersOn("/ru/vehicles?q=infernus")).toEqual([
      '<span class="other-name" lang="en">Infernus</span>',
    ]);
  });

  it("shows a dash, not 0, where the popularity is unknown", async () => {
    await insertRecords(site.db, "vehicles", [{ id: "1" }, { id: "2", popularity: 7 }]);
    const { text } = await request(site.app).get("/vehicles");
    const cells = elements(elements(text, "tbody")[0] ?? "", "td").map(textOf);
    // The first is the box to tick. There are no categories.
    expect(cells[1]).toBe("–");
  });
});

describe("the category filter", () => {
  beforeEach(() =>
    insertRecords(site.db, "vehicles", [
      { id: "1", category: "Boats & more" },
      { id: "2", category: "Boats & more" },
      { id: "3", category: "Bikes" },
      { id: "4" },
    ]),
  );

  it("says that a category does not exist, with 404, and still offers the others", async () => {
    const { text } = await request(site.app).get("/vehicles?category=Nope").expect(404);
    expect(textOf(mainOf(text))).toContain("There is no category “Nope”");
    expect(text).toContain("Bikes");
  });

  it("compares categories exactly", async () => {
    await request(site.app).get("/vehicles?category=boats+%26+more").expect(404);
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

  it("finds any part of a name in any language, without regard to case and accents", async () => {
    expect(await namesOn("/vehicles?q=COTT")).toEqual(["100% Cotton", "1000 Cotton_s"]);
    expect(await namesOn(`/vehicles?q=${encodeURIComponent("елк")}`)).toEqual(["Fir tree"]);
    expect(await namesOn("/vehicles?q=tree")).toEqual(["Fir tree"]);
  });

  it("wants every word", async () => {
    expect(await namesOn("/vehicles?q=cotton+1000")).toEqual(["1000 Cotton_s"]);
  });

  it("finds an exact id", async () => {
    expect(await namesOn("/vehicles?q=AB%2F12")).toEqual(["Nothing alike"]);
  });

  it.each(["%", "_", "\\", "%_", "'"])("takes %s as text, not as a pattern", async (q) => {
    const { text } = await request(site.app)
      .get(`/vehicles?q=${encodeURIComponent(q)}`)
      .expect(200);
    expect(elements(text, "tbody")).toEqual([]);
  });

  it("finds what was probably meant", async () => {
    expect(await namesOn("/vehicles?q=coton")).toEqual(["100% Cotton", "1000 Cotton_s"]);
  });

  it("begins with the best match unless told, and offers that order only where something is looked for", async () => {
    await insertRecords(site.db, "vehicles", [
      { id: "p1", name: "A cotton", category: "Sweets" },
      { id: "p2", name: "Cotton", category: "Cloth" },
    ]);
    expect((await namesOn("/vehicles?q=cotton")).slice(0, 2)).toEqual(["Cotton", "A cotton"]);
    expect((await namesOn("/vehicles?q=cotton&sort=name"))[0]).toBe("A cotton");
    const { text } = await request(site.app).get("/vehicles?q=cotton");
    expect(text).toContain("<title>Vehicles: “cotton”");
    expect(text).toContain('<option value="" selected>Best match');
    const { text: unfiltered } = await request(site.app).get("/vehicles?sort=match");
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
      const { text } = await request(site.app).get(`/vehicles?q=${encodeURIComponent(q)}`);
      expect(elements(text, "tbody")[0], q).toContain(found);
    }
  });

  it("is sorted as any list is, and narrowed by category", async () => {
    await insertRecords(site.db, "vehicles", [
      { id: "p1", name: "Cotton candy", popularity: 5, category: "Sweets" },
      { id: "p2", name: "Cotton wool", popularity: 9 },
    ]);
    const names = await namesOn("/vehicles?q=cotton&sort=popularity");
    expect(names).toEqual(["Cotton wool", "Cotton candy", "100% Cotton", "1000 Cotton_s"]);
    expect(await namesOn("/vehicles?q=cotton&category=Sweets")).toEqual(["Cotton candy"]);
  });

  it("says that nothing was found and leads back to all", async () => {
    const { text } = await request(site.app).get("/vehicles?q=xyzzy+plugh").expect(200);
    expect(textOf(mainOf(text))).toContain("No results for “xyzzy plugh”");
    expect(mainOf(text)).toMatch(/<a class="[a-z]+" href="\/vehicles">All vehicles<\/a>/);
    expect(attributes(mainOf(text), "href")).toContain("/search?q=xyzzy%20plugh");
  });

  it("stays out of search engines", async () => {
    const { text } = await request(site.app).get("/vehicles?q=cotton");
    expect(text).toContain('<meta name="robots" content="noindex">');
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

  it("lists the best of them and says so on every page", async () => {
    for (const page of [1, 20]) {
      const { text } = await request(site.app).get(`/items?q=zebra&page=${page}`).expect(200);
      expect(textOf(mainOf(text))).toContain("1,000+ items");
      expect(textOf(mainOf(text))).toContain("Only the top 1,000 matches for “zebra” are listed");
    }
    expect((await namesOn("/items?q=zebra"))[0]).toBe("Zebra 1050");
    expect((await namesOn("/items?q=zebra&page=21")).at(-1)).toBe("Zebra 0051");
    expect((await namesOn("/items?q=zebra&sort=name"))[0]).toBe("Zebra 0051");
  });

  it("does not say of a category that it has none", async () => {
    const { text } = await request(site.app).get("/items?q=zebra&category=Rare").expect(200);
    expect(textOf(mainOf(text))).toContain("None of the top 1,000 matches for “zebra” fit these filters");
  });
});

describe("the address of a list", () => {
  beforeEach(() =>
    insertRecords(
      site.db,
      "vehicles",
      Array.from({ length: 120 }, (_, index) => ({ id: `v${index}`, category: "Cars" })),
    ),
  );

  it("keeps filter and sort on the way to another page", async () => {
    expect(await listLinks("/vehicles?category=Cars&sort=popularity&q=v")).toContain(
      "/vehicles?category=Cars&q=v&sort=popularity&page=2",
    );
  });

  it("begins at the first page again in another category", async () => {
    expect(await listLinks("/vehicles?sort=newest&page=2")).toContain("/vehicles?category=Cars&sort=newest");
  });

  it("names category and page in its canonical form, but no sort", async () => {
    const { text } = await request(site.app).get("/vehicles?category=Cars&sort=newest&page=2");
    expect(text).toContain(
      '<link rel="canonical" href="http://almanac.test/vehicles?category=Cars&amp;page=2">',
    );
  });
});

describe("paging 1,060 records", () => {
  beforeEach(() =>
    site.db.raw(
      `insert into items (id, name, category)
       select n, 'Item ' || lpad(n::text, 4, '0'), 'Things' from generate_series(1, 1060) as n`,
    ),
  );

  it("shows each on one page, and the last page past the end, with the right count", async () => {
    const pages: string[][] = [];
    for (const page of [1, 2, 3, 21, 22]) pages.push(await namesOn(`/items?page=${page}`));
    expect(pages.map((names) => names.length)).toEqual([50, 50, 50, 50, 10]);
    expect(new Set(pages.flat()).size).toBe(210);
    expect(pages.at(-1)?.at(-1)).toBe("Item 1060");
    const { text } = await request(site.app).get("/items?page=23").expect(200);
    expect(textOf(mainOf(text))).toContain("1,060 items");
    expect(await namesOn("/items?page=999999")).toEqual(pages.at(-1));
    expect(text).toContain('href="http://almanac.test/items?page=22"');
    expect(mainOf(text)).not.toContain("page=23");
  });
});

describe("bad input", () => {
  it.each([
    "page=0",
    "page=-1",
    "page=1.5",
    "page=abc",
    "page=1000001",
    "sort=random",
    "sort=name;drop",
    "page=1&page=2",
    "category=a&category=b",
    "q=a&q=b",
    "q=%00",
    "category=%00",
    `q=${"x".repeat(201)}`,
  ])("is answered by a 400 page: ?%s", async (query) => {
    const { text, type } = await request(site.app).get(`/items?${query}`).expect(400);
    expect(type).toBe("text/html");
    expect(textOf(mainOf(text))).toMatch(new RegExp(`\\b${query.split("=")[0]} (must|is)`));
  });

  it.each(["page=", "sort=", "category=", "q=", "q=%20", "unknown=1"])("is not: ?%s", async (query) => {
    await request(site.app).get(`/items?${query}`).expect(200);
  });
});
