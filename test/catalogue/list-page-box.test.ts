import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { elements, mainOf, textOf } from "../helpers/html.ts";

const site = useTestApp();

beforeEach(() => emptyCatalogue(site.db));

/** The form that leads to a page by its number; undefined if the list has none. */
async function pageBox(path: string): Promise<string | undefined> {
  const { text } = await request(site.app).get(path).expect(200);
  return elements(mainOf(text), "form").find((form) => form.includes('name="page"'));
}

const insertCars = (count: number) =>
  insertRecords(
    site.db,
    "vehicles",
    Array.from({ length: count }, (_, place) => ({ id: `${place}`, category: "Cars" })),
  );

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
    const { text } = await request(site.app).get("/vehicles?category=Cars&page=99").expect(200);
    expect(text).toContain('aria-label="Page 8, current"');
  });
});
