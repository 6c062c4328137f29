import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { useTestApp } from "../helpers/app.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { attributes, mainOf } from "../helpers/html.ts";

const site = useTestApp();

/** As the rule has them for `меч`: whole words before beginnings, whatever is popular. */
const ORDER = ["whole", "dawn", "wolf", "marked", "marked-beast", "old", "swordsman"];

beforeAll(async () => {
  await insertRecords(site.db, "items", [
    { id: "marked-beast", name: "Меченный зверь", popularity: 50 },
    { id: "marked", name: "Меченный", popularity: 99 },
    { id: "swordsman", name: "Старый меченосец", popularity: 99 },
    { id: "dawn", name: "Sword of Dawn", names: { ru: "Меч зари" }, popularity: 2 },
    { id: "wolf", name: "Меч волка" },
    { id: "old", name: "Старый меч", popularity: 1 },
    { id: "whole", name: "Меч" },
  ]);
});

const q = encodeURIComponent("меч");

describe("a whole word", () => {
  it("is nearer than a beginning, in the API that the box asks too", async () => {
    for (const path of ["/api/search", "/api/search/all"]) {
      const { body } = await request(site.app).get(`${path}?q=${q}&limit=20`).expect(200);
      expect(
        body.items.map(({ id }: { id: string }) => id),
        path,
      ).toEqual(ORDER);
    }
  });

  it.each([`/search?q=${q}`, `/search?q=${q}&kind=items`, `/items?q=${q}`])("is so on %s", async (path) => {
    const { text } = await request(site.app).get(path).expect(200);
    const shown = attributes(mainOf(text), "href").flatMap(
      (href) => /^\/items\/([\w-]+)$/.exec(href)?.[1] ?? [],
    );
    expect([...new Set(shown)]).toEqual(ORDER);
  });

  it("is so of records that have changed since the index was built", async () => {
    await site.db("items").where({ id: "wolf" }).update({ name: "Меч вепря", revision: 2 });
    await site.db("items").where({ id: "marked" }).update({ name: "Меченый", revision: 2 });
    const { body } = await request(site.app).get(`/api/search?q=${q}&limit=20`).expect(200);
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual(ORDER);
  });
});
