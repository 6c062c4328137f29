import { beforeEach, describe, expect, it } from "vitest";
import { findRelated, listTraits } from "../../src/catalogue/entry/related.ts";
import { KindVocabulary, NO_WORDS } from "../../src/words/vocabulary/vocabulary.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords, type TestEntry } from "../helpers/catalogue.ts";

const site = useTestApp();

beforeEach(() => emptyCatalogue(site.db));

/** The ids that the first of some items is related to, the most related first. */
async function relatedTo(entry: TestEntry, others: TestEntry[], limit = 6): Promise<string[]> {
  await insertRecords(site.db, "items", [entry, ...others].map(inTools));
  const { id, category = null, attributes = {} } = inTools(entry);
  const traits = listTraits(attributes, NO_WORDS);
  const related = await findRelated(site.db, "items", { id, category }, traits, limit);
  return related.map((other) => other.id);
}

function inTools(entry: TestEntry): TestEntry {
  return { category: "Tools", ...entry };
}

describe("related entries", () => {
  it("share the rarest values", async () => {
    const common = { quality: "Common" };
    const related = await relatedTo({ id: "me", attributes: { ...common, set: "Dragon" } }, [
      ...["1", "2", "3", "4"].map((id) => ({ id, attributes: common, popularity: 100 })),
      { id: "set", attributes: { quality: "Rare", set: "Dragon" } },
      { id: "nothing", attributes: { quality: "Rare" }, popularity: 1_000 },
    ]);
    expect(related).toEqual(["set", "1", "2", "3", "4", "nothing"]);
  });

  it("have similar numbers, relative to the range of the others", async () => {
    const related = await relatedTo({ id: "me", attributes: { level: 50 } }, [
      { id: "far", attributes: { level: 10 }, popularity: 9 },
      { id: "near", attributes: { level: 48 } },
      { id: "nearest", attributes: { level: 51 } },
      { id: "text", attributes: { level: "50" }, popularity: 8 },
    ]);
    expect(related).toEqual(["nearest", "near", "far", "text"]);
  });

  it("share parts of lists and nested values", async () => {
    const related = await relatedTo({ id: "me", attributes: { tags: ["a", "b"], drop: { boss: "Onyx" } } }, [
      { id: "none", attributes: { tags: ["c"], drop: { boss: "Ragg" } }, popularity: 9 },
      { id: "one", attributes: { tags: ["b", "c"] } },
      { id: "two", attributes: { tags: ["a", "b"] } },
      { id: "boss", attributes: { drop: { boss: "Onyx" }, tags: ["a", "b"] } },
    ]);
    expect(related).toEqual(["boss", "two", "one", "none"]);
  });

  it("are the popular ones of the category if nothing is shared, then by id", async () => {
    const related = await relatedTo({ id: "me", name: "B", attributes: { quality: "Epic" } }, [
      { id: "a2", name: "A" },
      { id: "a1", name: "C" },
      { id: "p", name: "Z", popularity: 5 },
      { id: "elsewhere", category: "Food", popularity: 50, attributes: { quality: "Epic" } },
    ]);
    expect(related).toEqual(["p", "a1", "a2"]);
  });

  it("are none without other entries, and as many as requested", async () => {
    expect(await relatedTo({ id: "me" }, [])).toEqual([]);
    await emptyCatalogue(site.db);
    expect(await relatedTo({ id: "me" }, [{ id: "1" }, { id: "2" }, { id: "3" }], 2)).toEqual(["1", "2"]);
  });

  it("are found among thousands by a rare value, however unpopular", async () => {
    const many = Array.from({ length: 3_000 }, (_, n) => {
      return { id: `n${n}`, popularity: n, attributes: { model: `m${n}`, quality: "Epic", price: n } };
    });
    const attributes = { model: "mine", quality: "Epic", set: "Dragon", price: 5 };
    const related = await relatedTo({ id: "me", attributes }, [
      ...many,
      { id: "set", attributes: { set: "Dragon" } },
      { id: "far", category: "Food", attributes: { set: "Dragon" } },
    ]);
    expect(related[0]).toBe("set");
    expect(related).not.toContain("far");
  });
});

describe("what entries may share", () => {
  it("is nothing that the operator hides", () => {
    const vocabulary = new KindVocabulary([{ attributes: { brand: { hidden: true } } }]);
    const traits = listTraits({ brand: "Colt", quality: "Epic" }, vocabulary);
    expect(traits.map(({ path }) => path)).toEqual([["quality"]]);
  });
});
