import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue } from "../helpers/catalogue.ts";
import { readable } from "../helpers/html.ts";

const site = useTestApp();
const knife = {
  ...{ id: "knife", name: "Knife", category: "Weapons", description: "It cuts." },
  attributes: { price: 5 },
};
const fork = { id: "fork", name: "Fork", names: { ru: "Вилка" } };

beforeEach(async () => {
  await emptyCatalogue(site.db);
  await site.db("catalogue_tombstones").delete();
});

const load = (records: object[], options = {}) => importRecords(site.db, "items", records, options);
const prune = (records: object[]) => load(records, { prune: true, force: true });

async function items(): Promise<{ title: string; guid: string; text: string }[]> {
  const { text } = await request(site.app).get("/items.rss").buffer().expect(200);
  return [...text.matchAll(/<item>([\s\S]*?)<\/item>/g)].map(([, item = ""]) => ({
    title: /<title>([^<]*)/.exec(item)?.[1] ?? "",
    guid: /<guid[^>]*>([^<]*)/.exec(item)?.[1] ?? "",
    text: item,
  }));
}

describe("the page of an entry that was removed", () => {
  it("is 410 with the last known values", async () => {
    await load([knife, fork]);
    await load([{ ...knife, attributes: { price: 7 } }]);
    await prune([fork]);
    const { text, headers } = await request(site.app).get("/items/knife").expect(410);
    const page = readable(text);
    expect(page).toContain("Knife removed It was removed from the game’s data on");
    expect(page).toContain("It cuts.");
    expect(page).toMatch(/Price 7 Added .* See what changed /);
    expect(page).toContain("Price Before: 5 → Now: 7");
    expect(headers["cache-control"]).toBe("private, no-cache");
    expect(text).toContain('<meta name="robots" content="noindex');
    await request(site.app).get("/items/fork").expect(200);
  });

  it("is in the reader's language, and the entry's page again if it comes back", async () => {
    await load([knife, fork]);
    await prune([knife]);
    expect(readable(await site.page("/ru/items/fork", 410))).toContain(
      "Вилка удалено Запись удалена из данных игры",
    );
    await load([fork]);
    await site.page("/items/fork");
  });

  it("is 404 for an unknown id, a removed demo record, and another kind", async () => {
    await load([fork], { demo: true });
    await load([knife]);
    await site.db("items").delete();
    for (const path of ["/items/fork", "/items/spoon", "/vehicles/knife"]) await site.page(path, 404);
    await site.page("/items/knife", 410);
  });
});

describe("the feed", () => {
  it("lists a removal once, as an entry of its own, until the record is back", async () => {
    await load([knife, fork]);
    const before = await items();
    await prune([fork]);
    const after = await items();
    expect(after.map(({ title }) => title)).toEqual(["Removed: Knife", "Fork"]);
    expect(before.map(({ guid }) => guid)).not.toContain(after[0]?.guid);
    expect(after[0]?.text).toContain("/items/knife</link>");
    expect(await items()).toEqual(after);
    await load([knife]);
    const back = await items();
    expect(back.map(({ title }) => title)).toEqual(["Knife", "Fork"]);
    expect([...before, ...after].map(({ guid }) => guid)).not.toContain(back[0]?.guid);
  });
});
