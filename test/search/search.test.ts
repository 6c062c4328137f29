import { beforeAll, describe, expect, it } from "vitest";
import { searchAll, searchKind } from "../../src/search/hits.ts";
import type { LiveSearch } from "../../src/search/live-search.ts";
import { API_SEARCH_KINDS, type CatalogueKind } from "../../src/words/kinds/kinds.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { createTestSearch } from "../helpers/search.ts";

const BASE = "https://almanac.example";

describe("searchKind", () => {
  const database = useTestDatabase();
  let live: LiveSearch;

  beforeAll(async () => {
    live = createTestSearch(database);
    await insertRecords(database.db, "items", [
      { id: "34", name: "Sniper Rifle", names: { ru: "Снайперская винтовка" }, popularity: 5 },
      { id: "33", name: "Rifle", names: { ru: "Винтовка" } },
      { id: "rifle", name: "An odd thing" },
      { id: "31", name: "Assault Rifle M4" },
      { id: "30", name: "Rifleman's Coat" },
      { id: "35", name: "Airifle" },
      { id: "46", name: "Parachute", names: { ru: "Парашют" } },
      { id: "r1", name: "Gold Bar", popularity: 1 },
      { id: "r2", name: "Gold Ore", popularity: 90 },
      { id: "r3", name: "Gold" },
      { id: "r4", name: "Golden Ring" },
      { id: "r5", name: "Gold Pan" },
      { id: "r6", name: "Gold Pan" },
      { id: "black", name: "Чёрный ящик" },
      { id: "50%", name: "100% Wool_Hat" },
      { id: "/Lotus/Weapons/Tenno", name: "Path Thing" },
      { id: "two", name: "Red Door", names: { ru: "Синее окно" } },
    ]);
    await insertRecords(database.db, "vehicles", [
      { id: "411", name: "Infernus", names: { ru: "Инфернус" } },
    ]);
    await insertRecords(database.db, "scripts", [{ id: "s1", name: "Infernal race" }]);
  });

  it.each([
    ["with ё as е", "черный", ["black"]],
    ["of one letter", "a", ["35", "rifle", "31"]],
    ["of two letters", "pa", ["46", "/Lotus/Weapons/Tenno", "r5", "r6"]],
    ["of several words in any order", "rif sni", ["34"]],
    ["of a word in the middle", "m4", ["31"]],
    ["by id, whatever its letters' case", "BLACK", ["black"]],
    ["by an id that is a path", "/Lotus/Weapons/Tenno", ["/Lotus/Weapons/Tenno"]],
    ["by an id with a wildcard in it", "50%", ["50%"]],
    ["with punctuation left out or added", "100 wool-hat", ["50%"]],
  ])("finds a name %s", async (_case, query, expected) => {
    expect((await idsOf(query)).slice(0, expected.length)).toEqual(expected);
  });

  it.each(["%", "_", "\\", "'", "<", "+", "/", "😀", "%%", "a%z", "'; drop table items; --"])(
    "takes %s as text",
    async (query) => {
      expect(await idsOf(query)).toEqual([]);
    },
  );

  it("finds nothing for blank text, and tells the total past the last page too", async () => {
    expect(await search("   ")).toEqual({ total: 0, results: [] });
    expect(await search("gold", { limit: 10, offset: 500 })).toEqual({ total: 6, results: [] });
  });

  it("gives absolute addresses, and names only where there are several", async () => {
    const { results } = await search("parachute");
    expect(results[0]).toEqual({
      kind: "item",
      id: "46",
      name: "Parachute",
      names: { ru: "Парашют" },
      category: null,
      url: "https://almanac.example/items/46",
      image_url: null,
      match: "exact",
    });
    const [gold] = (await search("gold bar")).results;
    expect(gold).not.toHaveProperty("names");
    expect(gold?.popularity).toBe(1);
  });

  it("guesses what was meant in no kind when it matches as typed in another", async () => {
    await insertRecords(database.db, "vehicles", [{ id: "p", name: "Parachite" }]);
    const { items, vehicles } = await searchAll(live, API_SEARCH_KINDS, "parachite", {
      limit: 10,
      baseUrl: BASE,
    });
    expect(vehicles.results.map(({ id, match }) => [id, match])).toEqual([["p", "exact"]]);
    expect(items.total).toBe(0);
    expect((await search("parachite")).results.map(({ id, match }) => [id, match])).toEqual([
      ["46", "fuzzy"],
    ]);
    const guessed = await searchAll(live, API_SEARCH_KINDS, "paracite", { limit: 10, baseUrl: BASE });
    expect([guessed.items.total, guessed.vehicles.total]).toEqual([1, 1]);
  });

  it("says that a total is a lower bound, and answers the last possible page", async () => {
    const many = Array.from({ length: 1100 }, (_, index) => ({ id: `z${index}`, name: `Zebra ${index}` }));
    await insertRecords(database.db, "scripts", many);
    const first = await search("zebra", {}, "scripts");
    expect(first).toMatchObject({ total: 100, total_is_lower_bound: true });
    const last = await search("zebra", { limit: 50, offset: 1000 }, "scripts");
    expect(last.results).toHaveLength(50);
  });

  async function search(
    query: string,
    range: { limit?: number; offset?: number } = {},
    kind: CatalogueKind = "items",
  ) {
    return searchKind(live, kind, query, { limit: 10, offset: 0, ...range, baseUrl: BASE });
  }

  async function idsOf(query: string): Promise<string[]> {
    return (await search(query)).results.map(({ id }) => id);
  }
});
