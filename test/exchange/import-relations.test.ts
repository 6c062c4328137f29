import { beforeEach, describe, expect, it } from "vitest";
import { type ImportOptions, importOptions } from "../../src/exchange/import/arguments.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { parseMappings } from "../../src/exchange/import/records/mapping.ts";
import { describeSummary } from "../../src/exchange/import/report.ts";
import { translateText } from "../../src/words/i18n/lazy-text.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { emptyTables, useTestDatabase } from "../helpers/database.ts";
import { invalidLinesOf } from "../helpers/refused-imports.ts";

const database = useTestDatabase();

beforeEach(async () => {
  await emptyTables(database.db, "relations");
  await emptyCatalogue(database.db);
});

const load = (records: unknown[], options?: ImportOptions) =>
  importRecords(database.db, "relations", records, options);

const knife = { from: "item:knife", kind: "made-of", to: "item:iron", count: 2 };
const gun = { from: "item:gun", kind: "made-of", to: "item:iron", count: 5 };
const shop = { from: "item:knife", kind: "sold-at", to: "business:shop" };

const rows = () => database.db("relations").orderBy("id");
const ids = () => rows().pluck("id");
const linesOf = (records: unknown[]) => invalidLinesOf(load(records));

describe("relations", () => {
  it("are stored, stay the same when imported again, and are changed by another count", async () => {
    expect(await load([knife, { ...shop, chance: "0.5" }])).toMatchObject({ added: 2 });
    const stored = await rows();
    expect(stored).toMatchObject([
      {
        ...{ id: "item:knife made-of item:iron", from_kind: "item", from_id: "knife", kind: "made-of" },
        ...{ to_kind: "item", to_id: "iron", count: "2", chance: null, demo: false, revision: 1 },
      },
      { to_kind: "business", to_id: "shop", count: null, chance: "0.5" },
    ]);
    const again = [
      { ...knife, count: "2.0" },
      { ...shop, chance: 0.5 },
    ];
    expect(await load(again)).toMatchObject({ changed: 0, unchanged: 2 });
    expect(await rows()).toEqual(stored);
    expect(await load([{ ...knife, count: 3 }])).toMatchObject({ added: 0, changed: 1 });
    expect((await rows())[0]).toMatchObject({ count: "3", revision: 2 });
  });

  it("have their ends in one text or in two fields, kinds in the singular or the plural", async () => {
    const wanted = await load([knife]).then(ids);
    const forms = [
      { ...knife, from: "items:knife", to: " Item:iron" },
      { from_kind: "items", from_id: "knife", kind: "Made of", to_kind: "item", to_id: "iron" },
      { from: "item:knife", kind: "madeOf", to_kind: "ITEM", to_id: "iron" },
      { from: "item:knife", kind: "made_of", to: "item:iron" },
    ];
    for (const form of forms) {
      expect(await load([form])).toMatchObject({ added: 0 });
      expect(await ids()).toEqual(wanted);
    }
  });

  it("have a kind that ends at the first colon, and ids that may have others", async () => {
    await load([{ from: "item:a:b", kind: "made-of", to_kind: "item", to_id: 411 }]);
    expect(await rows()).toMatchObject([{ from_id: "a:b", to_id: "411" }]);
  });

  it("are the same from either end if the kind has words for both", async () => {
    await load([{ from: "item:iron", kind: "used-for", to: "item:knife", count: 2 }]);
    expect(await rows()).toMatchObject([{ from_id: "knife", kind: "made-of", to_id: "iron" }]);
    expect(await load([knife])).toMatchObject({ unchanged: 1 });
  });

  it("are mapped from other fields and constants", async () => {
    const targets = [
      "from_kind==item",
      "from_id=weapon",
      "kind==made-of",
      "to=item:{part.id}",
      "count=part.n",
    ];
    const mappings = parseMappings("relations", targets);
    await load([{ weapon: "knife", part: { id: "iron", n: 2 } }], { mappings });
    expect(await rows()).toMatchObject([{ id: "item:knife made-of item:iron", count: "2" }]);
  });

  it("are numbered within their group, so that a new one changes no others", async () => {
    await load([{ ...knife, to: "item:wood" }, knife, gun]);
    expect(await rows().pluck("position")).toEqual([1, 2, 1]);
    const more = [{ ...gun, to: "item:oil" }, { ...knife, to: "item:wood" }, knife];
    expect(await load(more)).toMatchObject({ added: 1, unchanged: 2 });
  });

  it("keep ids with spaces apart, and hostile ids as they are", async () => {
    const one = { from: "item:a", kind: "x", to: "item:b y item:c" };
    const other = { from: "item:a x item:b", kind: "y", to: "item:c" };
    expect(await load([one, other])).toMatchObject({ added: 2 });
    const hostile = ["<script>alert(1)</script>", "'; drop table relations; --", "\\N", "a\u202eb", "%20 %"];
    await load(hostile.map((id) => ({ from_kind: "item", from_id: id, kind: "h", to: `item:${id}` })));
    const stored = await rows().where({ kind: "h" });
    expect(new Set(stored.map(({ from_id }) => from_id))).toEqual(new Set(hostile));
    expect(new Set(stored.map(({ to_id }) => to_id))).toEqual(new Set(hostile));
  });
});

describe("a bad relation", () => {
  it("is reported by its number, with every field that is wrong", async () => {
    const lines = await linesOf([
      knife,
      {},
      { from: "knife", kind: "<b>", to: 411, count: 0, chance: 12 },
      { from: "gnome:bob", kind: "x", to: "item:", count: "many", chance: -1 },
      { from: "item:a", from_id: "b", kind: "x", to_kind: "item" },
      { from_kind: "gnome", from_id: "..", kind: "constructor prototype!", to: "item:a" },
    ]);
    expect(lines).toEqual([
      "record 2: from: is missing; to: is missing; kind: is missing",
      'record 3: from: must be a kind and an id such as item:ak47, not "knife"; to: must be a kind and an id such as item:ak47, not 411; kind: must be words of up to 60 letters and digits such as made-of, not "<b>"; count: must be a number above 0, at most 1000000000000, not 0; chance: must be a share from 0 to 1 such as 0.12, not 12',
      'record 4: from: its kind must be one of item, vehicle, script, house, business, not "gnome"; to: its id has no visible character; count: must be a number above 0, at most 1000000000000, not "many"; chance: must be a share from 0 to 1 such as 0.12, not -1',
      "record 5: from: is there, and from_kind or from_id too; to_id: is missing",
      'record 6: from_kind: must be one of item, vehicle, script, house, business, not "gnome"; from_id: must not be "..": no address could lead to it; kind: must be words of up to 60 letters and digits such as made-of, not "constructor prototype!"',
    ]);
  });

  it("repeats another one, also from its other end", async () => {
    const lines = await linesOf([knife, gun, { from: "item:iron", kind: "used for", to: "item:knife" }]);
    const repeats = '"item:knife made-of item:iron" repeats that of record 1';
    expect(lines).toEqual([`record 3: from, kind, to: ${repeats}`]);
  });

  it("is left out on request, and does not remove the stored one", async () => {
    await load([knife, gun, shop]);
    const options = { skipInvalid: true, prune: true };
    const summary = await load([gun, { ...knife, count: -1 }], options);
    expect(summary).toMatchObject({ unchanged: 1, invalid: 1, removed: 1 });
    expect(await ids()).toEqual(["item:gun made-of item:iron", "item:knife made-of item:iron"]);
  });

  it("cannot have an id made of its fields", () => {
    expect(() => importOptions("relations", { idFrom: [{ type: "constant", value: "x" }] })).toThrow(
      "--id-from is for records with an id; relations have none",
    );
    expect(() => parseMappings("relations", ["id=x"])).toThrow(
      'relations have no field "id"; they have from, from_kind, from_id, kind, to, to_kind, to_id, count, chance',
    );
  });
});

describe("an import of relations", () => {
  it("shows what it would do", async () => {
    await load([knife]);
    const summary = await load([{ ...knife, count: 2.5 }, { ...gun, chance: 0.125 }, shop], { dryRun: true });
    expect(describeSummary(summary).slice(0, 3)).toEqual([
      "+ item:gun made-of item:iron  ×5, 12.5%",
      "+ item:knife sold-at business:shop  ",
      "~ item:knife made-of item:iron  ×2.5  (count)",
    ]);
    expect(await rows()).toMatchObject([{ count: "2" }]);
  });

  it("lists missing ends, and keeps their relations", async () => {
    await insertRecords(database.db, "items", [{ id: "knife" }, { id: "iron" }]);
    await insertRecords(database.db, "businesses", [{ id: "shop" }]);
    expect(await load([knife, shop])).toMatchObject({ added: 2, warnings: [] });
    const many = Array.from({ length: 12 }, (_, n) => ({ ...knife, to: `item:${n}` }));
    const { warnings } = await load([knife, gun, ...many]);
    expect(warnings.map((warning) => translateText(warning))).toEqual([
      "not in the catalogue, so their relations are kept but not shown: item:gun, item:0, item:1, item:2, item:3, item:4, item:5, item:6, item:7, item:8 and 3 more",
    ]);
    expect(await ids()).toHaveLength(15);
  });

  it("keeps relations of the operator when it loads those of the demo", async () => {
    await load([knife]);
    await load([{ ...knife, count: 9 }, gun], { demo: true });
    expect(await rows()).toMatchObject([
      { from_id: "gun", demo: true },
      { from_id: "knife", count: "2", demo: false },
    ]);
    await load([gun]);
    expect(await rows().pluck("demo")).toEqual([false, false]);
  });
});
