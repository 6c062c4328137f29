import { beforeEach, describe, expect, it } from "vitest";
import { isDatabaseAway } from "../../src/db/failures.ts";
import type { ImportOptions } from "../../src/exchange/import/arguments.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import type { ImportKind } from "../../src/exchange/import/kinds.ts";
import { parseIdSources, parseMappings } from "../../src/exchange/import/records/mapping.ts";
import type { ImportSummary } from "../../src/exchange/import/report.ts";
import { lazyText } from "../../src/words/i18n/lazy-text.ts";
import { emptyTables, useTestDatabase } from "../helpers/database.ts";
import { refusalOf } from "../helpers/refused-imports.ts";
import { createTestSearch } from "../helpers/search.ts";
import { addUser } from "../helpers/users.ts";

const database = useTestDatabase();

beforeEach(async () => {
  await emptyTables(database.db, "items, vehicles, houses");
});

const load = (
  records: Iterable<unknown> | AsyncIterable<unknown>,
  options?: ImportOptions,
  kind: ImportKind = "items",
) => importRecords(database.db, kind, records, options);

/** The whole table as text, so that times are compared to the microsecond. */
async function snapshot(table = "items"): Promise<string[]> {
  const { rows } = await database.db.raw(`select t::text as row from ${table} t order by id`);
  return rows.map(({ row }: { row: string }) => row);
}

const itemOf = (id: string) => database.db("items").where({ id }).first();

/** Added, changed, unchanged, removed, invalid. */
const counts = ({ added, changed, unchanged, removed, invalid }: ImportSummary) => [
  added,
  changed,
  unchanged,
  removed,
  invalid,
];

const pistol = {
  id: "7",
  name: "Pistol",
  names: { en: "Pistol", ru: "Пистолет" },
  category: "Guns",
  description: "Small,\nbut loud.",
  image: "/assets/img/pistol.png",
  popularity: 5,
  attributes: { ammo: 17, tags: ["a", "b"] },
};
const shield = { id: "8", name: "Shield" };

describe("new records", () => {
  it("are stored with every field, at revision 1", async () => {
    expect(counts(await load([pistol, shield]))).toEqual([2, 0, 0, 0, 0]);
    const row = await itemOf("7");
    expect(row).toMatchObject({ ...pistol, demo: false, revision: 1 });
    expect(row.updated_at).toEqual(row.created_at);
    expect(await itemOf("8")).toMatchObject({ names: {}, category: null, attributes: {}, popularity: null });
  });

  it("keep tabs, line ends, backslashes and what looks like a null as they are", async () => {
    const description = 'a\tb\nc\rd\\e\\N\\.\n\\.\n{"x":1}';
    const attributes = { a: 'b\\\n\t"c"', "d\\N": "\\N" };
    await load([{ ...pistol, id: "\\N", name: "\\N", description, attributes }]);
    expect(await itemOf("\\N")).toMatchObject({ name: "\\N", description, attributes });
  });

  it("fit the indexes at the longest values that are allowed", async () => {
    const long = (length: number) =>
      Array.from({ length }, (_, index) => String.fromCodePoint(0x1f300 + ((index * 7919) % 700))).join("");
    await load([{ id: long(200), name: long(300), category: long(100) }]);
    expect(await snapshot()).toHaveLength(1);
  });
});

describe("the same records again", () => {
  it("are not written, even in another order, with numbers as text and names in another form", async () => {
    await load([pistol, shield]);
    const written = () => database.db("items").select(database.db.raw("items::text, ctid::text, xmin::text"));
    const before = await written();
    expect(counts(await load([pistol, shield]))).toEqual([0, 0, 2, 0, 0]);
    expect(await written()).toEqual(before);
    const { image, description, category } = pistol;
    const names = { RU: "Пистолет", en: " Pistol" };
    const attributes = { tags: ["a", "b"], ammo: 17.0 };
    const same = {
      attributes,
      popularity: "5.0",
      names,
      name: "Pistol\n",
      id: 7,
      category,
      description,
      image,
    };
    expect(counts(await load([shield, same]))).toEqual([0, 0, 2, 0, 0]);
    expect(await written()).toEqual(before);
  });
});

describe("a record that changed", () => {
  it.each([
    ["name", "Revolver"],
    ["names", { en: "Pistol" }],
    ["category", null],
    ["description", "Loud."],
    ["image", "https://cdn.example/p.png"],
    ["popularity", 6],
    ["attributes", { tags: ["b", "a"] }],
  ])("in its %s gets a new revision and time, and the other records none", async (field, value) => {
    await load([pistol, shield]);
    const [before, other] = [await itemOf("7"), await itemOf("8")];
    expect(counts(await load([{ ...pistol, [field]: value }, shield]))).toEqual([0, 1, 1, 0, 0]);
    const after = await itemOf("7");
    expect(after).toMatchObject({ revision: 2, created_at: before.created_at });
    expect(after[field]).toEqual(value);
    expect(after.updated_at.getTime()).toBeGreaterThan(before.updated_at.getTime());
    expect(await itemOf("8")).toEqual(other);
  });

  it("is found by its new names only, translations that the file leaves out included", async () => {
    const search = createTestSearch(database);
    await load([pistol]);
    expect(await search.ids("items", "пистолет", 5)).toEqual(["7"]);
    await load([{ ...pistol, name: "Revolver", names: { de: "Trommel" } }]);
    for (const query of ["revolver", "tromm"]) expect(await search.ids("items", query, 5)).toEqual(["7"]);
    for (const query of ["пистолет", "pistol"]) expect(await search.ids("items", query, 5)).toEqual([]);
    await load([{ id: 7, name: "Gun" }]);
    for (const query of ["gun", "tromm"]) expect(await search.ids("items", query, 5)).toEqual(["7"]);
  });

  it("gets a later time even if the clock is behind", async () => {
    await load([pistol]);
    await database.db("items").update({ updated_at: "2100-01-01T00:00:00Z" });
    await load([{ ...pistol, popularity: 6 }]);
    const { rows } = await database.db.raw("select updated_at > '2100-01-01T00:00:00Z' as later from items");
    expect(rows).toEqual([{ later: true }]);
  });
});

describe("fields that the file does not have", () => {
  it("keep what they hold when no record has them", async () => {
    await load([pistol]);
    expect(counts(await load([{ id: 7, name: "Pistol" }]))).toEqual([0, 0, 1, 0, 0]);
    expect(counts(await load([{ id: 7, name: "Pistol", category: "Weapons" }]))).toEqual([0, 1, 0, 0, 0]);
    expect(await itemOf("7")).toMatchObject({ ...pistol, category: "Weapons", revision: 2 });
  });

  it("become empty where other records of the file have them", async () => {
    await load([pistol, { ...shield, category: "Armour" }]);
    await load([{ id: 7, name: "Pistol", category: "Guns" }, shield]);
    expect(await itemOf("8")).toMatchObject({ category: null, revision: 2 });
    expect(await itemOf("7")).toMatchObject({ category: "Guns", revision: 1 });
  });

  it("become empty where the file has them and they are empty", async () => {
    await load([pistol]);
    await load([{ id: 7, name: "Pistol", description: "", attributes: null, names: null }]);
    const empty = { description: null, attributes: {}, names: {}, category: "Guns" };
    expect(await itemOf("7")).toMatchObject(empty);
  });

  it("are removed by --keep-rest if the file has nothing to keep", async () => {
    await load([pistol]);
    await load([{ id: 7, name: "Pistol" }], { keepRest: true });
    expect((await itemOf("7")).attributes).toEqual({});
  });
});

describe("demo records", () => {
  it("become new records if an import has them: nothing of the demo is left on them", async () => {
    const { db } = database;
    await emptyTables(db, "catalogue_revisions, relations, picture_uploads");
    const picture = "0123456789abcdef0123456789abcdef 1x1";
    const relation = { from_kind: "item", from_id: "7", to_kind: "item", to_id: "8" };
    await load([pistol, shield, { id: 9, name: "Bow" }], { demo: true });
    expect(counts(await load([{ ...pistol, popularity: 9 }], { demo: true }))).toEqual([0, 1, 0, 0, 0]);
    await db("items").whereIn("id", ["7", "8"]).update({ picture });
    await db("picture_uploads").insert({ kind: "items", id: "8", picture });
    await db("relations").insert([
      { ...relation, id: "demo", kind: "made-of", demo: true },
      { ...relation, id: "own", kind: "sold-at" },
    ]);
    const before = await itemOf("7");
    expect(before).toMatchObject({ demo: true, popularity: 9, revision: 2, description: pistol.description });
    const own = [{ id: 7, name: "Pistol" }, shield];
    const { preview } = await load(own, { dryRun: true });
    expect(preview).toMatchObject({ added: [], changed: [{ id: "7" }, { id: "8" }] });
    expect(counts(await load(own))).toEqual([0, 2, 0, 0, 0]);
    const row = await itemOf("7");
    expect(row).toMatchObject({
      ...{ name: "Pistol", names: {}, description: null, descriptions: {}, category: null, image: null },
      ...{ attributes: {}, popularity: null, picture: null, demo: false, revision: 1 },
    });
    expect(row.created_at.getTime()).toBeGreaterThan(before.updated_at.getTime());
    expect(await db("catalogue_revisions")).toEqual([]);
    expect(await db("relations").pluck("id")).toEqual(["own"]);
    // What an operator chose stays.
    expect((await itemOf("8")).picture).toBe(picture);
    expect(counts(await load(own))).toEqual([0, 0, 2, 0, 0]);
    expect(await itemOf("9")).toMatchObject({ demo: true });
  });

  it("keep the favorites that users have", async () => {
    const { db } = database;
    await load([pistol], { demo: true });
    await db("entity_favorites").insert({ user_id: await addUser(db, "fan"), item_id: "7" });
    await load([{ id: 7, name: "Own" }]);
    expect(await db("entity_favorites").pluck("item_id")).toEqual(["7"]);
    await db("users").delete();
  });

  it("never replace real ones", async () => {
    await load([pistol]);
    const before = await snapshot();
    const { added, unchanged } = await load([{ ...pistol, name: "Demo pistol" }, shield], { demo: true });
    expect([added, unchanged]).toEqual([1, 1]);
    expect((await snapshot()).slice(0, 1)).toEqual(before);
  });
});

describe("an id that repeats", () => {
  it("is reported with other errors, counting the record once", async () => {
    const records = [{ id: 7 }, { id: 7, name: "Again", popularity: -1 }, { id: 7, name: "x" }];
    const { summary } = await refusalOf(load(records));
    expect(summary.invalid).toBe(3);
    expect(summary.invalidRecords.map(({ problems }) => problems.map(({ field }) => field))).toEqual([
      ["name"],
      ["popularity", "id"],
      ["id"],
    ]);
  });

  it("is found among ten thousand, also by a dry run", async () => {
    function* records() {
      for (let id = 0; id < 10_000; id++) yield { id: id % 9_950, name: `Item ${id}` };
    }
    const { summary } = await refusalOf(load(records(), { dryRun: true }));
    expect(summary.invalid).toBe(50);
    expect(summary.invalidRecords.at(-1)).toEqual({
      record: 10_000,
      id: "49",
      problems: [{ field: "id", reason: lazyText("refusals.repeats", { id: '"49"', first: 50 }) }],
    });
  });
});

describe("mappings and made ids", () => {
  const records = [
    { title: "Дом у моря", at: [1.5, 2], cost: -1 },
    { title: "Дом у моря", at: [3, 4], cost: 5 },
  ];
  const options: ImportOptions = {
    mappings: parseMappings("houses", ["name=title", "names.ru=title", "attributes.x=at.0"]),
    idFrom: parseIdSources("title"),
    nulls: [{ field: "cost", value: "-1" }],
    keepRest: true,
  };

  it("work together, and give the same ids in every run", async () => {
    expect(counts(await load(records, options, "houses"))).toEqual([2, 0, 0, 0, 0]);
    const rows = await database.db("houses").orderBy("id").select("id", "name", "names", "attributes");
    const names = { name: "Дом у моря", names: { ru: "Дом у моря" } };
    expect(rows).toEqual([
      { id: "dom-u-morya", ...names, attributes: { at: [1.5, 2], x: 1.5 } },
      { id: "dom-u-morya-2", ...names, attributes: { at: [3, 4], cost: 5, x: 3 } },
    ]);
    expect(counts(await load(records, options, "houses"))).toEqual([0, 0, 2, 0, 0]);
  });

  it("count an invalid record too, so that ids stay when it is fixed", async () => {
    const withBad = [{ ...records[0], popularity: "much" }, records[1]];
    await load(withBad, { ...options, skipInvalid: true }, "houses");
    expect(await database.db("houses").pluck("id")).toEqual(["dom-u-morya-2"]);
  });

  it("report a record that no id can be made for", async () => {
    const { summary } = await refusalOf(load([{ title: "★" }], options, "houses"));
    expect(summary.invalidRecords[0]?.problems).toEqual([
      { field: "id", reason: lazyText("refusals.no_id", { fields: "title" }) },
    ]);
  });
});

describe("one transaction", () => {
  async function* failAfter(count: number) {
    for (let id = 0; id < count; id++) yield { id, name: `Item ${id}` };
    throw new Error("the disk is gone");
  }

  it.each([0, 1, 5000])("leaves nothing when reading fails after %i records", async (count) => {
    await load([pistol]);
    const before = await snapshot();
    await expect(load(failAfter(count))).rejects.toThrow("the disk is gone");
    expect(await snapshot()).toEqual(before);
    expect(counts(await load([shield]))).toEqual([1, 0, 0, 0, 0]);
  });

  it("leaves nothing when its connection is cut off", async () => {
    async function* cutOff() {
      for (let id = 0; id < 20_000; id++) {
        if (id === 15_000) {
          await database.db.raw(
            `select pg_terminate_backend(pid) from pg_stat_activity
              where query like 'copy import_staging%' and datname = current_database()`,
          );
        }
        yield { id, name: `Item ${id}`, description: "x".repeat(200) };
      }
    }
    const failure = await load(cutOff()).catch((error: unknown) => error);
    expect(isDatabaseAway(failure)).toBe(true);
    expect(await snapshot()).toEqual([]);
  });

  it.each(["of its own", "that is given"])(
    "%s ends at once when it is interrupted while it reads",
    async (whose) => {
      const outer = whose === "of its own" ? undefined : await database.db.transaction();
      const controller = new AbortController();
      let read = 0;
      async function* records() {
        for (; read < 100_000; read++) {
          if (read === 3000) controller.abort(new Error("interrupted"));
          yield { id: read, name: `Item ${read}` };
        }
      }
      const run = importRecords(outer ?? database.db, "items", records(), { signal: controller.signal });
      await expect(run).rejects.toThrow("interrupted");
      expect(read).toBe(3000);
      await outer?.commit();
      expect(await snapshot()).toEqual([]);
    },
  );

  it("leaves nothing when it is interrupted while it waits in the database", async () => {
    const controller = new AbortController();
    const blocker = await database.db.transaction();
    try {
      await blocker.raw("lock table items in share mode");
      const run = load([pistol], { signal: controller.signal });
      setTimeout(() => controller.abort(new Error("interrupted")), 200);
      await expect(run).rejects.toThrow("interrupted");
    } finally {
      await blocker.rollback();
    }
    expect(await snapshot()).toEqual([]);
  });

  it("works within one that is given, and is undone with it", async () => {
    const outer = await database.db.transaction();
    const summaries = [
      await importRecords(outer, "items", [pistol]),
      await importRecords(outer, "items", [{ ...pistol, popularity: 6 }]),
      await importRecords(outer, "vehicles", [shield], { dryRun: true }),
    ];
    await expect(importRecords(outer, "vehicles", failAfter(3))).rejects.toThrow("the disk is gone");
    await refusalOf(importRecords(outer, "vehicles", [{ id: 1 }]));
    expect(summaries.map(counts)).toEqual([
      [1, 0, 0, 0, 0],
      [0, 1, 0, 0, 0],
      [1, 0, 0, 0, 0],
    ]);
    expect(await outer("items").select("id", "revision")).toEqual([{ id: "7", revision: 2 }]);
    expect(await outer("vehicles").pluck("id")).toEqual([]);
    await outer.rollback();
    expect(await snapshot()).toEqual([]);
  });

  it("waits for another import of the kind, so that both count right", async () => {
    const names = Array.from({ length: 300 }, (_, id) => ({ id, name: `Item ${id}` }));
    const runs = await Promise.all([load(names), load(names), load([...names].reverse()), load(names)]);
    expect(runs.map(({ added }) => added).sort((a, b) => a - b)).toEqual([0, 0, 0, 300]);
    expect(runs.map(({ unchanged }) => unchanged).sort((a, b) => a - b)).toEqual([0, 300, 300, 300]);
    const { rows } = await database.db.raw("select distinct revision from items");
    expect(rows).toEqual([{ revision: 1 }]);
  });
});

describe("progress", () => {
  it("is reported while reading, and once when writing begins", async () => {
    const seen: string[] = [];
    const records = Array.from({ length: 2500 }, (_, id) => ({ id, name: `Item ${id}` }));
    await load(records, { onProgress: ({ phase, records }) => seen.push(`${phase} ${records}`) });
    expect(seen).toEqual(["reading 1000", "reading 2000", "writing 2500"]);
  });
});

describe("an import", () => {
  it("leaves the index of attributes complete, so that no search scans pending entries", async () => {
    const records = Array.from({ length: 500 }, (_, n) => ({ id: `${n}`, name: "Item", attributes: { n } }));
    await load(records);
    const { rows } = await database.db.raw("select gin_clean_pending_list('items_attributes')::int as pages");
    expect(rows).toEqual([{ pages: 0 }]);
  });
});
