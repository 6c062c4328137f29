import { beforeEach, describe, expect, it } from "vitest";
import { replayRevisions } from "../../src/catalogue/entry/history.ts";
import { findEntry, listRevisions } from "../../src/catalogue/entry/queries.ts";
import type { ImportOptions } from "../../src/exchange/import/arguments.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { BUILT_IN_KINDS, type CatalogueKind } from "../../src/words/kinds/kinds.ts";
import { emptyCatalogue } from "../helpers/catalogue.ts";
import { openPool, openTransaction, useTestDatabase, waitForLocks } from "../helpers/database.ts";

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
  const revisions = replayRevisions(entry, await listRevisions(database.db, kind, entry));
  return revisions.map(({ revision, changes }) => [
    revision,
    changes.map((each) => {
      return `${each.field}${each.key ? `.${each.key}` : ""}: ${text(each.before)} → ${text(each.after)}`;
    }),
  ]);
}

async function countKept(): Promise<number> {
  const row = await database.db("catalogue_revisions").count({ count: "*" }).first();
  return Number(row?.count);
}

describe("the history of a record", () => {
  it("begins with the first change, and has each replaced value", async () => {
    await load([knife]);
    expect(await historyOf("knife")).toEqual([]);
    const names = { en: "Dagger", de: "Dolch" };
    const attributes = { price: 9500, colours: ["red"], rarity: "rare" };
    await load([{ ...knife, name: "Dagger", names, description: "A sharp one.", attributes }]);
    // Names are compared by language, without the one that follows the main name; attributes by key.
    const named = ['name: "Knife" → "Dagger"', 'names.de: null → "Dolch"', 'names.ru: "Нож" → nothing'];
    const described = 'description: "A plain knife." → "A sharp one."';
    const valued = [
      "attributes.price: 9000 → 9500",
      'attributes.rarity: null → "rare"',
      "attributes.weight_kg: 0.5 → nothing",
    ];
    expect(await historyOf("knife")).toEqual([[2, [...named, described, ...valued]]]);
  });

  it("shows a picture of the site's store", async () => {
    await load([knife]);
    const picture = `${"a".repeat(32)}_9x9`;
    await database.db("items").update({ picture, revision: 2 });
    expect(await historyOf("knife")).toEqual([[2, [`picture: null → "${picture}"`]]]);
  });

  it.each(BUILT_IN_KINDS)("exists for %s", async (kind) => {
    await load([knife], {}, kind);
    await load([{ ...knife, category: null }], {}, kind);
    expect(await historyOf("knife", kind)).toEqual([[2, ['category: "Melee weapons" → null']]]);
  });

  it("does not grow if an import changes nothing, or demo data becomes real", async () => {
    await load([knife], { demo: true });
    await load([knife], { demo: true });
    await load([knife]);
    expect(await findEntry(database.db, "items", "knife")).toMatchObject({ demo: false, revision: 1 });
    expect(await countKept()).toBe(0);
  });

  it("has several revisions, the newest first", async () => {
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

  it("dates a revision as the record, and has none that is newer than the record that was read", async () => {
    await load([knife]);
    const before = await findEntry(database.db, "items", "knife");
    await load([{ ...knife, popularity: 1 }]);
    const after = await findEntry(database.db, "items", "knife");
    if (!before || !after) throw new Error("no knife");
    expect(await listRevisions(database.db, "items", before)).toEqual([]);
    const [kept] = await listRevisions(database.db, "items", after);
    expect(kept?.changed_at).toEqual(after.updated_at);
  });
});

describe("what is kept of a history", () => {
  it("has the newest 50 revisions", async () => {
    await load([{ ...knife, attributes: { price: 1 } }]);
    for (let price = 2; price <= 60; price++)
      await database.db("items").update({ attributes: JSON.stringify({ price }), revision: price });
    const history = await historyOf("knife");
    expect(history).toHaveLength(50);
    expect(history[0]).toEqual([60, ["attributes.price: 59 → 60"]]);
    expect(history.at(-1)).toEqual([11, ["attributes.price: 10 → 11"]]);
  });

  it("has the first 2,000 characters of a long value", async () => {
    const long = "ж".repeat(3000);
    const attributes = { lore: long, parts: [{ a: long }], short: "ж".repeat(2000) };
    await load([{ ...knife, description: long, attributes }]);
    await load([{ ...knife, description: "short", attributes: {} }]);
    const [row] = await database.db("catalogue_revisions").select("before");
    expect(row.before.description).toBe(`${"ж".repeat(2000)}…`);
    expect(row.before.attributes.lore).toBe(`${"ж".repeat(2000)}…`);
    expect(row.before.attributes.parts).toBe(`[{"a": "${"ж".repeat(1992)}…`);
    expect(row.before.attributes.short).toBe("ж".repeat(2000));
  });

  it("stays when the record is removed, and continues when it comes back", async () => {
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

  it("has a revision without changes if a record comes back as it was", async () => {
    await load([knife]);
    await load([], { prune: true, force: true });
    await load([knife]);
    const [row] = await database.db("catalogue_revisions").select("revision", "before");
    expect(row).toEqual({ revision: 2, before: {} });
  });

  it("is removed with a demo record", async () => {
    await load([knife], { demo: true });
    await load([{ ...knife, popularity: 1 }], { demo: true });
    expect(await countKept()).toBe(1);
    await database.db("items").delete();
    expect(await countKept()).toBe(0);
    expect(await database.db("catalogue_tombstones").where({ id: "knife", kind: "items" })).toEqual([]);
  });

  it("stays with the records of other kinds of the same id", async () => {
    for (const kind of ["items", "houses"] as const) {
      await load([knife], {}, kind);
      await load([{ ...knife, popularity: 1 }], {}, kind);
    }
    await database.db.raw("truncate houses cascade");
    expect(await database.db("catalogue_revisions").pluck("kind")).toEqual(["items"]);
    await database.db.raw("truncate items cascade");
    expect(await countKept()).toBe(0);
  });

  it("has both of two imports that run at once", async () => {
    await load([knife]);
    const blocker = await openTransaction(database.db);
    await blocker.raw("select pg_advisory_xact_lock(hashtext('almanac import items'))");
    const [one, two] = [openPool(database.url), openPool(database.url)];
    const both = Promise.all([
      importRecords(one, "items", [{ ...knife, popularity: 1 }]),
      importRecords(two, "items", [{ ...knife, popularity: 2 }]),
    ]);
    await waitForLocks(database.db, 2);
    await blocker.rollback();
    await both;
    const history = await historyOf("knife");
    expect(history.map(([revision]) => revision)).toEqual([3, 2]);
    const steps = history.flatMap(([, changes]) => changes);
    expect(steps.reverse().join("; ")).toMatch(
      /^popularity: 46 → (1; popularity: 1 → 2|2; popularity: 2 → 1)$/,
    );
  });
});
