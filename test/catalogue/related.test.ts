import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
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
  const related = await findRelated(
    site.db,
    "items",
    { id, category },
    listTraits(attributes, NO_WORDS),
    limit,
  );
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

  it("have numbers near each other, by how far those of others are apart", async () => {
    const related = await relatedTo({ id: "me", attributes: { level: 50 } }, [
      { id: "far", attributes: { level: 10 }, popularity: 9 },
      { id: "near", attributes: { level: 48 } },
      { id: "nearest", attributes: { level: 51 } },
      { id: "text", attributes: { level: "50" }, popularity: 8 },
    ]);
    expect(related).toEqual(["nearest", "near", "far", "text"]);
  });

  it("take ids for names and not for figures", async () => {
    const related = await relatedTo({ id: "me", attributes: { set_id: 50 } }, [
      { id: "near", attributes: { set_id: 51 }, popularity: 9 },
      { id: "same", attributes: { set_id: 50 } },
    ]);
    expect(related).toEqual(["same", "near"]);
  });

  it("share parts of lists and what is nested", async () => {
    const related = await relatedTo({ id: "me", attributes: { tags: ["a", "b"], drop: { boss: "Onyx" } } }, [
      { id: "none", attributes: { tags: ["c"], drop: { boss: "Ragg" } }, popularity: 9 },
      { id: "one", attributes: { tags: ["b", "c"] } },
      { id: "two", attributes: { tags: ["a", "b"] } },
      { id: "boss", attributes: { drop: { boss: "Onyx" }, tags: ["a", "b"] } },
    ]);
    expect(related).toEqual(["boss", "two", "one", "none"]);
  });

  it("are the popular ones of the category where nothing is shared, then by id", async () => {
    const related = await relatedTo({ id: "me", name: "B", attributes: { quality: "Epic" } }, [
      { id: "a2", name: "A" },
      { id: "a1", name: "C" },
      { id: "p", name: "Z", popularity: 5 },
      { id: "elsewhere", category: "Food", popularity: 50, attributes: { quality: "Epic" } },
    ]);
    expect(related).toEqual(["p", "a1", "a2"]);
  });

  it("are of the whole kind where the category has no other", async () => {
    const related = await relatedTo({ id: "me", attributes: { quality: "Epic" } }, [
      { id: "1", category: "Food", popularity: 9 },
      { id: "2", category: null, attributes: { quality: "Epic" } },
    ]);
    expect(related).toEqual(["2", "1"]);
  });

  it("of an entry without a category have none either", async () => {
    expect(
      await relatedTo({ id: "me", category: null }, [
        { id: "1", category: null },
        { id: "2", category: "Food", popularity: 9 },
      ]),
    ).toEqual(["1"]);
  });

  it("are none where there is no other entry, and as many as asked for", async () => {
    expect(await relatedTo({ id: "me" }, [])).toEqual([]);
    await emptyCatalogue(site.db);
    expect(await relatedTo({ id: "me" }, [{ id: "1" }, { id: "2" }, { id: "3" }], 2)).toEqual(["1", "2"]);
  });

  it("are found among thousands by a value that few have, however unpopular", async () => {
    const many = Array.from({ length: 3_000 }, (_, n) => ({
      id: `n${n}`,
      popularity: n,
      attributes: { model: `m${n}`, quality: "Epic", price: n },
    }));
    const related = await relatedTo(
      { id: "me", attributes: { model: "mine", quality: "Epic", set: "Dragon", price: 5 } },
      [
        ...many,
        { id: "set", attributes: { set: "Dragon" } },
        { id: "far", category: "Food", attributes: { set: "Dragon" } },
      ],
    );
    expect(related[0]).toBe("set");
    expect(related).not.toContain("far");
  });

  it("stand any key, value and size of numbers", async () => {
    const attributes = {
      "a'?:b{}\\": 'x"y',
      "": "z",
      huge: 1e308,
      tiny: -1e308,
      nothing: null,
      list: [[1], {}],
    };
    const related = await relatedTo({ id: "me", attributes }, [
      { id: "1", attributes: { huge: 1e300, tiny: 5 }, popularity: 1 },
      { id: "2", attributes: { huge: -1e308, "a'?:b{}\\": 'x"y' } },
      { id: "3", attributes: { huge: { deep: 1 }, "": ["z"] } },
    ]);
    expect(related).toHaveLength(3);
    expect(related.indexOf("2")).toBeLessThan(related.indexOf("3"));
  });

  it("are looked for in the index, however many new records wait to enter it", async () => {
    // They wait, up to 4 MB of them: no vacuum comes in between.
    await site.db.raw(
      `insert into items (id, name, category, attributes)
       select 'item-' || n, 'Item', 'Tools', (select jsonb_object_agg('key ' || k, n * 100 + k) from generate_series(1, 14) as k)
         from generate_series(1, 20000) as n`,
    );
    await site.db.raw("analyze items");
    const statements: { sql: string; bindings: readonly string[] }[] = [];
    const note = (statement: (typeof statements)[number]) => void statements.push(statement);
    site.db.on("query", note);
    onTestFinished(() => void site.db.off("query", note));
    const traits = listTraits({ "key 1": "one", "key 2": "two" }, NO_WORDS);
    await findRelated(site.db, "items", { id: "item-1", category: "Tools" }, traits, 6);
    const [{ sql = "", bindings = [] } = {}] = statements.filter(({ sql }) => sql.includes("rare"));
    const { rows } = await site.db.raw(`explain ${sql.replace(/\$\d+/g, "?")}`, [...bindings]);
    const plan = rows.map((row: Record<string, string>) => row["QUERY PLAN"]).join("\n");
    expect(plan).toContain("Bitmap Index Scan on items_attributes");
    expect(plan).not.toContain("Seq Scan on items");
  });
});

describe("what entries may share", () => {
  it("is nothing that the operator hides", () => {
    const vocabulary = new KindVocabulary([{ attributes: { brand: { hidden: true } } }]);
    expect(listTraits({ brand: "Colt", quality: "Epic" }, vocabulary).map(({ path }) => path)).toEqual([
      ["quality"],
    ]);
  });
});
