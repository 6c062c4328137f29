import { describe, expect, it } from "vitest";
import { readValueKeys } from "../../src/search/queries.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { openSearch } from "../helpers/search.ts";

const database = useTestDatabase();

const items = Array.from({ length: 40 }, (_, n) => ({
  id: `${n}`,
  name: `Thing ${n + 100}`,
  category: n % 2 ? "Sword" : "Shield",
  attributes: {
    quality: n % 3 ? "Epic" : "Common",
    author: `Author ${n}`,
    level: n,
    note: `${"A long text that half of them share. ".repeat(2)}${n % 2}`,
    path: { quality: "Epic" },
  },
}));

describe("aliases", () => {
  it("find a record, which is shown with its name, and follow changes", async () => {
    const attributes = { aliases: ["Thunderclap", "Big Bang"] };
    await insertRecords(database.db, "scripts", [
      { id: "list", name: "Hammer", attributes },
      { id: "text", name: "Anvil", attributes: { aliases: "Block, Face of Iron;  Dummy" } },
      { id: "odd", name: "Tongs", attributes: { aliases: { en: "Pincers" } } },
    ]);
    const search = openSearch(database);
    await search.refresh();
    const best = async (query: string) => {
      const { hits } = await search.search("scripts", query, { limit: 5, offset: 0 });
      return hits.map(({ record, match }) => [record.name, match]);
    };
    expect(await best("thunderclap")).toEqual([["Hammer", "exact"]]);
    expect(await best("big ban")).toEqual([["Hammer", "prefix"]]);
    expect(await best("face of iron")).toEqual([["Anvil", "exact"]]);
    expect(await best("dummy")).toEqual([["Anvil", "exact"]]);
    expect(await best("pincers")).toEqual([]);
    await database
      .db("scripts")
      .where({ id: "list" })
      .update({ attributes: { aliases: ["Mallet"] }, updated_at: new Date() });
    await search.refresh();
    expect(await best("thunderclap")).toEqual([]);
    expect(await best("mallet")).toEqual([["Hammer", "exact"]]);
  });
});

describe("what the records of a kind are", () => {
  it("is searched beside their names, and follows changes", async () => {
    await insertRecords(database.db, "items", items);
    expect(await readValueKeys(database.db, "items")).toEqual(["quality"]);
    const search = openSearch(database);
    await search.refresh();
    const hits = async (query: string) => (await search.search("items", query, { limit: 5, offset: 0 })).hits;
    const best = async (query: string) => (await hits(query)).map(({ record }) => record.id).at(0);
    expect(await best("thing 107 sword")).toBe("7");
    expect(await best("epic thing 107")).toBe("7");
    // Said of all items, in both languages of the site.
    expect(await best("thing 107 item")).toBe("7");
    expect(await best("предмет thing 107")).toBe("7");
    // Alone it would find all of them.
    expect(await hits("предмет")).toEqual([]);
    expect((await hits("epic"))[0]).toMatchObject({ match: "word" });
    expect((await hits("thing 107 shield"))[0]).toMatchObject({ match: "partial", without: ["shield"] });
    await database
      .db("items")
      .where({ id: "7" })
      .update({ category: "Shield", attributes: { quality: "Common" }, updated_at: new Date() });
    await search.refresh();
    expect((await hits("thing 107 shield"))[0]).toMatchObject({ match: "exact" });
    expect((await hits("thing 107 epic"))[0]).toMatchObject({ match: "partial" });
    expect(await best("common thing 107")).toBe("7");
    const attributes = { quality: "Common" };
    await database.db("items").update({ attributes, updated_at: new Date() });
    await search.refresh();
    expect(await hits("common")).toEqual([]);
  });
});
