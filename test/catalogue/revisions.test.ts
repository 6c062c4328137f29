import { beforeEach, describe, expect, it } from "vitest";
import { replayRevisions } from "../../src/catalogue/entry/history.ts";
import { findEntry, listRevisions } from "../../src/catalogue/entry/queries.ts";
import type { ImportOptions } from "../../src/exchange/import/arguments.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { BUILT_IN_KINDS, type CatalogueKind } from "../../src/words/kinds/kinds.ts";
import { emptyCatalogue } from "../helpers/catalogue.ts";
import { useTestDatabase } from "../helpers/database.ts";

const database = useTestDatabase();

beforeEach(() => emptyCatalogue(database.db));

const load = (records: unknown[], options?: ImportOptions, kind: CatalogueKind = "items") =>
  importRecords(database.db, kind, records, options);

const knife = {
  id: "knife",
  name: "Knife",
  names: { en: "Knife", ru: "Нож" },
  category: "Melee weapons",
  description: "A plain knife.",
  image: "https://example.org/knife.png",
  popularity: 46,
  attributes: { price: 9000, weight_kg: 0.5, colours: ["red"] },
};

/** Each revision as its number and its changes: `field[.key]: before → after`. */
async function historyOf(id: string, kind: CatalogueKind = "items"): Promise<[number, string[]][]> {
  const entry = await findEntry(database.db, kind, id);
  if (!entry) throw new Error(`no ${kind} ${id}`);
  const text = (value: unknown) => (value === undefined ? "nothing" : JSON.stringify(value));
  return replayRevisions(entry, await listRevisions(database.db, kind, entry)).map(
    ({ revision, changes }) => [
      revision,
      changes.map(
        ({ field, key, before, after }) =>
          `${field}${key ? `.${key}` : ""}: ${text(before)} → ${text(after)}`,
      ),
    ],
  );
}

async function countKept(): Promise<number> {
  const row = await database.db("catalogue_revisions").count({ count: "*" }).first();
  return Number(row?.count);
}

describe("the history of a record", () => {
  it("begins with its first change", async () => {
    await load([knife]);
    expect(await historyOf("knife")).toEqual([]);
  });

  it("tells each value that an import replaced, and nothing else", async () => {
    await load([knife]);
    await load([
      { ...knife, description: "A sharp knife.", attributes: { ...knife.attributes, price: 9500 } },
    ]);
    expect(await historyOf("knife")).toEqual([
      [2, ['description: "A plain knife." → "A sharp knife."', "attributes.price: 9000 → 9500"]],
    ]);
  });

  it.each(BUILT_IN_KINDS)("is kept of %s", async (kind) => {
    await load([knife], {}, kind);
    await load([{ ...knife, category: null }], {}, kind);
    expect(await historyOf("knife", kind)).toEqual([[2, ['category: "Melee weapons" → null']]]);
  });

  it("grows by nothing where an import changes nothing, or demo data becomes real", async () => {
    await load([knife], { demo: true });
    await load([knife], { demo: true });
    await load([knife]);
    expect(await findEntry(database.db, "items", "knife")).toMatchObject({ demo: false, revision: 1 });
    expect(await countKept()).toBe(0);
  });

  it("compares attributes by key: one removed, one added, one that became a list", async () => {
    await load([knife]);
    await load([{ ...knife, attributes: { price: 9000, colours: ["red", "blue"], rarity: "rare" } }]);
    expect(await historyOf("knife")).toEqual([
      [
        2,
        [
          'attributes.colours: ["red"] → ["red","blue"]',
          'attributes.rarity: null → "rare"',
          "attributes.weight_kg: 0.5 → nothing",
        ],
      ],
    ]);
  });

  it("is put together from several revisions, the newest first", async () => {
    for (const price of [1, 2, 3]) await load([{ ...knife, attributes: { price } }]);
    await load([{ ...knife, attributes: { price: 3 }, popularity: 47 }]);
    await load([{ ...knife, attributes: { price: 4 }, popularity: 47 }]);
    expect(await historyOf("knife")).toEqual([
      [5, ["attributes.price: 3 → 4"]],
      [4, ["popularity: 46 → 47"]],
      [3, ["attributes.price: 2 → 3"]],
      [2, ["attributes.price: 1 → 2"]],
    ]);
  });
});

describe("what is kept of a history", () => {
  it("is the newest 50 revisions", async () => {
    for (let price = 1; price <= 60; price++) await load([{ ...knife, attributes: { price } }]);
    const history = await historyOf("knife");
    expect(history).toHaveLength(50);
    expect(history[0]).toEqual([60, ["attributes.price: 59 → 60"]]);
    expect(history.at(-1)).toEqual([11, ["attributes.price: 10 → 11"]]);
  });

  it("is the first 2,000 characters of a long value", async () => {
    const long = "ж".repeat(3000);
    await load([
      {
        ...knife,
        description: long,
        attributes: { lore: long, parts: [{ a: long }], short: "ж".repeat(2000) },
      },
    ]);
    await load([{ ...knife, description: "short", attributes: {} }]);
    const [row] = await database.db("catalogue_revisions").select("before");
    expect(row.before.description).toBe(`${"ж".repeat(2000)}…`);
    expect(row.before.attributes.lore).toBe(`${"ж".repeat(2000)}…`);
    expect(row.before.attributes.parts).toBe(`[{"a": "${"ж".repeat(1992)}…`);
    expect(row.before.attributes.short).toBe("ж".repeat(2000));
  });

  it("stays when the record is removed, and goes on when it comes back", async () => {
    const other = { ...knife, id: "other", attributes: { price: 1, weight: 2 } };
    await load([knife, other]);
    await load([knife, { ...other, popularity: 1 }]);
    await load([knife], { prune: true });
    expect(await database.db("catalogue_revisions").pluck("entry_id")).toEqual(["other"]);
    const added = await database.db("catalogue_tombstones").where({ id: "other" }).first("record");
    await load([knife, { ...other, name: "Another", popularity: 1, attributes: { price: 3, weight: 2 } }]);
    expect(await historyOf("other")).toEqual([
      [3, [`name: "${knife.name}" → "Another"`, "attributes.price: 1 → 3"]],
      [2, [`popularity: ${knife.popularity} → 1`]],
    ]);
    const back = await database.db("items").where({ id: "other" }).first("revision", "created_at");
    expect(back).toEqual({ revision: 3, created_at: new Date(added.record.created_at) });
    await load([knife, { ...other, name: "A third", popularity: 1 }]);
    expect((await historyOf("other"))[0]?.[0]).toBe(4);
  });
});
