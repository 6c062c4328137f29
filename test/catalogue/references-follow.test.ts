import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { dropKind } from "../../src/db/own-kinds.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { followAttributes } from "../../src/records/relations/reference-queries.ts";
import { registerOwnKinds } from "../../src/words/vocabulary/own-kinds.ts";
import { referencesIn } from "../../src/words/vocabulary/references.ts";
import type { VocabularyFile } from "../../src/words/vocabulary/schema.ts";
import { Vocabulary } from "../../src/words/vocabulary/vocabulary.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { kind, makeTables, QUESTS } from "../helpers/own-kinds.ts";

const database = useTestDatabase();

const SOLD_AT = { type: "entry", kind: "businesses" } as const;
const PARTS = { type: "entries", kind: "items", id: "itemId", count: "qty" } as const;
const FILE: VocabularyFile = {
  kinds: { vehicles: { attributes: { sold_at: SOLD_AT } }, items: { attributes: { parts: PARTS } } },
};

const follow = (file: VocabularyFile) => followAttributes(database.db, new Vocabulary([file]).references());

/** What refers to what, as `car -> shop`, with counts. */
async function references(): Promise<string[]> {
  const rows = await database.db("attribute_relations").orderBy(["kind", "from_id", "position", "to_id"]);
  return rows.map(({ kind, from_id, to_id, count }) =>
    [kind, from_id, "->", to_id, ...(count === null ? [] : [`x${Number(count)}`])].join(" "),
  );
}

beforeEach(async () => {
  await follow({});
  await emptyCatalogue(database.db);
});

describe("values that name entries", () => {
  const list = { isList: true, idField: "id", countField: "count" };
  const one = { ...list, isList: false };
  const longest = "😀".repeat(300);
  const objects = [
    { id: "iron", count: 3 },
    { id: 7, count: "2.5" },
  ];
  const uncounted = [0, -1, "many"].map((count, at) => ({ id: "abc"[at], count }));
  it.each<[what: string, value: unknown, how: typeof list, expected: string[]]>([
    ["a number", 411, one, ["411"]],
    ["an id with gaps around it", " \tiron\n", one, ["iron"]],
    ["a comma in a name", "Iron, raw", one, ["Iron, raw"]],
    ["ids with commas between", "iron, wood ,,coal", list, ["iron", "wood", "coal"]],
    ["a list", ["iron", 5, "wood"], list, ["iron", "5", "wood"]],
    ["a list where one is meant", ["iron", "wood"], one, ["iron", "wood"]],
    ["objects", objects, list, ["iron ×3", "7 ×2.5"]],
    ["one object", objects[0], list, ["iron ×3"]],
    ["the same twice", ["iron", "wood", "iron"], list, ["iron ×2", "wood"]],
    ["the same with counts", [objects[0], "iron"], list, ["iron ×4"]],
    ["counts that are none", uncounted, list, ["a", "b", "c"]],
    ["fields of another name", [{ item: "iron" }, {}], list, []],
    ["no text", [true, 1.5, "", "  ", [], ["x"], 1e300], list, []],
    ["a word of the language", [{ id: "toString" }, "constructor"], list, ["toString", "constructor"]],
    ["a text that is no id", "x".repeat(301), one, []],
    ["the longest", longest, one, [longest]],
  ])("are read the same by the site and the database: %s", async (_, value, how, expected) => {
    const lineOf = ({ said, count }: { said: string; count: number | null }) =>
      count === null ? said : `${said} ×${count}`;
    expect(referencesIn(value, how).map(lineOf)).toEqual(expected);
    const { rows } = await database.db.raw(
      "select said, count::float8 as count from references_in(?::jsonb, ?, ?, ?) order by position",
      [JSON.stringify(value), how.isList, how.idField, how.countField],
    );
    expect(rows.map(lineOf)).toEqual(expected);
  });
});

describe("references of attributes", () => {
  const shops = [
    { id: "shop", name: "Harbour shop" },
    { id: "other", name: "Other shop" },
  ];
  const cars = [
    { id: "car", name: "Car", attributes: { sold_at: "shop" } },
    { id: "van", name: "Van", attributes: { sold_at: "Harbour shop" } },
    { id: "bus", name: "Bus", attributes: { sold_at: "nowhere", seats: 9 } },
  ];

  it("exist while the vocabulary has the attribute", async () => {
    await insertRecords(database.db, "businesses", shops);
    await insertRecords(database.db, "vehicles", cars);
    expect(await references()).toEqual([]);
    expect(await follow(FILE)).toBe(true);
    const all = [
      "vehicles.sold_at bus -> nowhere",
      "vehicles.sold_at car -> shop",
      "vehicles.sold_at van -> shop",
    ];
    expect(await references()).toEqual(all);
    expect(await follow(FILE)).toBe(false);
    await follow({ kinds: { vehicles: { attributes: { sold_at: { ...SOLD_AT, hidden: true } } } } });
    expect(await references()).toEqual([]);
    await follow(FILE);
    await follow({ kinds: { vehicles: { attributes: { sold_at: { ...SOLD_AT, kind: "houses" } } } } });
    expect(await references()).toContain("vehicles.sold_at van -> Harbour shop");
  });

  it("are updated by imports of either end, in any order, and by their removals", async () => {
    await follow(FILE);
    await importRecords(database.db, "vehicles", cars);
    expect(await references()).toContain("vehicles.sold_at van -> Harbour shop");
    await importRecords(database.db, "businesses", shops);
    expect(await references()).toContain("vehicles.sold_at van -> shop");
    const sold = { id: "car", name: "Car", attributes: { sold_at: "other" } };
    await importRecords(database.db, "vehicles", [sold]);
    expect(await references()).toContain("vehicles.sold_at car -> other");
    // A name of two records means none of them; later it is the name of one record only.
    await importRecords(database.db, "businesses", [{ id: "second", name: "Harbour shop" }]);
    expect(await references()).toContain("vehicles.sold_at van -> Harbour shop");
    await importRecords(database.db, "businesses", [{ id: "shop", name: "Renamed" }]);
    expect(await references()).toContain("vehicles.sold_at van -> second");
    // An id wins over a name.
    await importRecords(database.db, "businesses", [{ id: "Harbour shop", name: "X" }]);
    expect(await references()).toContain("vehicles.sold_at van -> Harbour shop");
    const second = { id: "second", name: "Harbour shop" };
    await importRecords(database.db, "businesses", [second], { prune: true, force: true });
    expect(await references()).toContain("vehicles.sold_at van -> second");
    await importRecords(database.db, "vehicles", [cars[0]], { prune: true, force: true });
    expect(await references()).toEqual(["vehicles.sold_at car -> shop"]);
  });

  it("are not left by a dry run", async () => {
    await follow(FILE);
    await importRecords(database.db, "vehicles", cars, { dryRun: true });
    expect(await references()).toEqual([]);
  });
});

describe("a removed own kind", () => {
  afterAll(() => registerOwnKinds({}));

  it("takes its references in both directions along", async () => {
    registerOwnKinds(QUESTS);
    await makeTables(database.db);
    await follow({
      kinds: {
        quests: { ...QUESTS.kinds.quests, attributes: { rewards: PARTS } },
        vehicles: { attributes: { sold_at: SOLD_AT, quest: { type: "entry", kind: "quests" } } },
      },
    } as VocabularyFile);
    await insertRecords(database.db, kind("quests"), [{ id: "wolves", attributes: { rewards: "claw" } }]);
    const attributes = { sold_at: "shop", quest: "wolves" };
    await insertRecords(database.db, "vehicles", [{ id: "car", attributes }]);
    expect(await references()).toHaveLength(3);
    await dropKind(database.db, { kind: "quests", one: "quest" });
    expect(await references()).toEqual(["vehicles.sold_at car -> shop"]);
    await insertRecords(database.db, "vehicles", [{ id: "van", attributes }]);
    expect(await references()).toHaveLength(2);
  });
});
