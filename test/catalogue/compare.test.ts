import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { attributes, elements, mainOf, textOf } from "../helpers/html.ts";

describe("the page that compares", () => {
  const site = useTestApp();

  beforeEach(async () => {
    await emptyCatalogue(site.db);
    const common = { category: "Sports", popularity: 90 };
    const [infernus, cheetah] = [
      { seats: 2, price: 95_000 },
      { seats: 2, top_speed_kmh: 230 },
    ];
    await insertRecords(site.db, "vehicles", [
      { id: "411", name: "Infernus", names: { ru: "Инфернус" }, ...common, attributes: infernus },
      { id: "415", name: "Cheetah", ...common, attributes: cheetah },
      { id: "a/b &?", name: "Odd <one>" },
      { id: "v4", name: "Fourth" },
      { id: "v5", name: "Fifth" },
    ]);
  });

  const page = (path: string, status = 200) => request(site.app).get(path).expect(status);
  const heads = (text: string) =>
    elements(elements(text, "thead")[0] ?? "", "th")
      .slice(1)
      .map((head) => textOf(elements(head, "a")[0] ?? ""));
  const rows = (text: string) => elements(elements(text, "tbody")[0] ?? "", "tr").map(textOf);

  it("shows entries as columns in the order of the address, and marks what differs in words too", async () => {
    const { text } = await page("/compare/vehicles?id=415&id=411");
    expect(heads(text)).toEqual(["Cheetah", "Infernus"]);
    expect(rows(text)).toEqual([
      "Category Sports Sports",
      "Popularity 90 90",
      "Price ≠ differs – 95,000",
      "Seats 2 2",
      "Top speed ≠ differs 230 km/h –",
    ]);
    expect(text).toContain('<td class="num">95,000</td>');
    expect(text).toContain('href="/vehicles/415"');
    expect(text).toContain('<a href="/vehicles" aria-current="true">');
  });

  it("can show only what differs, and keeps to it", async () => {
    const { text } = await page("/compare/vehicles?id=415&id=411&only=differences");
    expect(rows(text)).toHaveLength(2);
    const links = attributes(mainOf(text), "href");
    expect(links).toContain("/compare/vehicles?id=415&only=differences");
    expect(links).toContain("/compare/vehicles?id=415&id=411");
    const { text: alike } = await page("/compare/vehicles?id=v4&id=v5&only=differences");
    expect(textOf(mainOf(alike))).toContain("No known differences.");
  });

  it("removes one by a link, also of an odd id", async () => {
    const query = new URLSearchParams(["411", "a/b &?"].map((id): [string, string] => ["id", id]));
    const { text } = await page(`/compare/vehicles?${query}`);
    expect(heads(text)).toEqual(["Infernus", "Odd <one>"]);
    const links = ["/compare/vehicles?id=411", "/compare/vehicles?id=a%2Fb+%26%3F"];
    expect(attributes(mainOf(text), "href")).toEqual(expect.arrayContaining(links));
    expect(text).not.toContain("<one>");
  });

  it("finds one to add, and marks those that are there already", async () => {
    const { text } = await page("/compare/vehicles?id=411&q=chee");
    expect(attributes(mainOf(text), "href")).toContain("/compare/vehicles?id=411&id=415");
    expect(textOf(mainOf(text))).toContain("Results for “chee”");
    const { text: there } = await page("/compare/vehicles?id=411&q=infernus");
    expect(textOf(mainOf(there))).toContain("already added");
    const { text: none } = await page("/compare/vehicles?id=411&q=xyzzy");
    expect(textOf(mainOf(none))).toContain("No results for “xyzzy”.");
  });

  it("starts empty, with a search for entries to add", async () => {
    const { text } = await page("/compare/items");
    expect(textOf(mainOf(text))).toContain("Nothing to compare yet");
    expect(text).toContain('name="q"');
    expect(text).not.toContain("noindex");
    const { text: one } = await page("/compare/vehicles?id=411");
    expect(textOf(mainOf(one))).toContain("Add at least one more");
    expect(one).toContain('<meta name="robots" content="noindex">');
    expect(one).toContain('<link rel="canonical" href="http://almanac.test/compare/vehicles">');
  });

  it.each(["id=%00", `id=${"x".repeat(201)}`, "only=some", "q=a&q=b"])("is 400 for ?%s", async (query) => {
    await page(`/compare/vehicles?${query}`, 400);
  });

  it("is linked from entries of kinds that can be compared only, and leads back to their list", async () => {
    await insertRecords(site.db, "houses", [{ id: "h", name: "House" }]);
    expect((await page("/vehicles/411")).text).toContain("data-compare-alone");
    expect((await page("/houses/h")).text).not.toMatch(/data-compare-(alone|entry)/);
    expect(attributes(mainOf((await page("/compare/vehicles?id=411")).text), "href")).toContain("/vehicles");
  });

  it("accepts hundreds of ids", async () => {
    const many = Array.from({ length: 500 }, (_, n) => `id=${n}`).join("&");
    await page(`/compare/vehicles?${many}`);
  });

  it.each(["/compare", "/compare/scripts", "/compare/houses"])("is 404 at %s", async (path) => {
    await page(path, 404);
  });

  it("is in Russian at its Russian address", async () => {
    const { text } = await page("/ru/compare/vehicles?id=411&id=415");
    const main = textOf(mainOf(text));
    for (const words of ["Сравнение транспорта", "Инфернус", "Мест", "различается", "Добавить к сравнению"]) {
      expect(main).toContain(words);
    }
    expect(attributes(mainOf(text), "href")).toContain("/ru/compare/vehicles?id=415");
  });
});

describe("the form for a comparison in a list", () => {
  const site = useTestApp();

  it("has boxes, in lists of items and vehicles only", async () => {
    for (const kind of ["items", "vehicles", "houses"] as const) {
      await insertRecords(site.db, kind, [{ id: "a&b", name: "One" }]);
    }
    for (const kind of ["items", "vehicles"]) {
      const { text } = await request(site.app).get(`/${kind}`).expect(200);
      expect(text).toContain(`<form class="stack" method="get" action="/compare/${kind}"`);
      expect(text).toContain('<input type="checkbox" name="id" value="a&amp;b"');
    }
    const { text } = await request(site.app).get("/houses").expect(200);
    expect(text).not.toContain("/compare/");
  });
});
