import { beforeEach, describe, expect, it } from "vitest";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords, type TestEntry } from "../helpers/catalogue.ts";
import { elements, mainOf, textOf } from "../helpers/html.ts";

const site = useTestApp();

beforeEach(() => emptyCatalogue(site.db));

async function headsOf(path: string): Promise<string[]> {
  const heads = elements(elements(await site.page(path), "thead")[0] ?? "", "th");
  return heads.map(textOf).slice(2);
}

const car = (id: string, category: string, attributes: object, more: Partial<TestEntry> = {}): TestEntry => {
  return { id, name: `Car ${id}`, category, attributes: { ...attributes }, ...more };
};

describe("a column is shown if its rows differ", () => {
  beforeEach(() =>
    insertRecords(site.db, "vehicles", [
      car("a", "Sport", { seats: 2, doors: 2, price: 1, siren: true }),
      car("b", "Sport", { seats: 2, doors: 4, price: 2, siren: true }),
      car("c", "Van", { seats: 2, doors: 4, price: 3, siren: false }, { popularity: 3 }),
      car("d", "Van", { seats: 4, doors: 4, price: 4 }, { popularity: 4 }),
    ]),
  );

  it("but not if all have the same value or none", async () => {
    const sortedHeads = async (query: string) => (await headsOf(`/vehicles?${query}`)).sort().join(" ");
    expect(await sortedHeads("")).toBe("Category Doors Popularity Price Seats Siren");
    // Both seat two, are of one category and have a siren, and neither has a popularity.
    expect(await sortedHeads("category=Sport")).toBe("Doors Price");
    expect(await sortedHeads("a.seats=2&a.doors=4")).toBe("Category Popularity Price Siren");
    expect(await sortedHeads("category=Van")).toBe("Popularity Price Seats Siren");
  });

  it("or if the list is sorted by it", async () => {
    expect(await headsOf("/vehicles?category=Sport&sort=-a.seats")).toContain("Seats ▼");
    expect(await headsOf("/vehicles?category=Sport&sort=newest")).toContain("Updated ▼");
  });
});

describe("rows of one name", () => {
  const namesIn = async (path: string) => {
    const cells = elements(elements(await site.page(path), "tbody")[0] ?? "", "th");
    return cells.map((cell) => textOf(cell).replace(/\s+/g, " ").trim());
  };

  it("have their ids if no shown value distinguishes them", async () => {
    await insertRecords(site.db, "vehicles", [
      { id: "one", name: "Ped", attributes: { price: 1 } },
      { id: "two", name: "ped", attributes: { price: 1 } },
      { id: "three", name: "Other", attributes: { price: 2 } },
    ]);
    expect((await namesIn("/vehicles")).sort()).toEqual(["Other", "Ped ID one", "ped ID two"]);
  });

  it("have both ends of a long id, or all of it if the ends are the same", async () => {
    const path = (start: string, middle: string) => `/${start}/Types/Items/${middle}/Props/LisetThrone`;
    const twins = (...ids: string[]) => ids.map((id) => ({ id, name: "Throne" }));
    await insertRecords(site.db, "vehicles", twins(path("Copy", "Deco"), path("Lotus", "Deco")));
    const shown = async () => (await namesIn("/vehicles")).sort();
    expect(await shown()).toEqual([
      "Throne ID /Copy/Types/It…ps/LisetThrone",
      "Throne ID /Lotus/Types/I…ps/LisetThrone",
    ]);
    await insertRecords(site.db, "vehicles", twins(path("Lotus", "Ship")));
    expect((await shown())[2]).toBe(`Throne ID ${path("Lotus", "Ship")}`);
  });
});

/** The form that leads to a page by its number; undefined if the list has none. */
const pageBox = async (path: string) =>
  elements(mainOf(await site.page(path)), "form").find((form) => form.includes('name="page"'));

function insertCars(count: number) {
  const cars = Array.from({ length: count }, (_, place) => ({ id: `${place}`, category: "Cars" }));
  return insertRecords(site.db, "vehicles", cars);
}

describe("the page box of a list", () => {
  it("is there for more than seven pages", async () => {
    await insertCars(350);
    expect(await pageBox("/vehicles")).toBeUndefined();
    await insertRecords(site.db, "vehicles", [{ id: "one more" }]);
    expect(textOf((await pageBox("/vehicles")) ?? "")).toContain("of 8");
  });

  it("keeps the view, and leads to the last page past the end", async () => {
    await insertCars(400);
    const box = await pageBox("/vehicles?category=Cars&sort=newest&page=2");
    expect(box).toContain('<input type="hidden" name="category" value="Cars">');
    expect(box).toContain('<input type="hidden" name="sort" value="newest">');
    const last = await site.page("/vehicles?category=Cars&page=99");
    expect(textOf(mainOf(last))).toContain("400 vehicles");
    expect(last).toContain('href="http://almanac.test/vehicles?category=Cars&amp;page=8"');
    expect(last).toContain('aria-label="Page 8, current"');
  });
});
