import type { Knex } from "knex";
import { beforeEach, describe, expect, it } from "vitest";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { readChanges } from "../../src/search/queries.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { namedRecords } from "../helpers/search.ts";

const database = useTestDatabase();

beforeEach(async () => {
  await emptyCatalogue(database.db);
  await database.db.raw("truncate catalogue_tombstones, catalogue_changes, imports cascade");
});

const versionOf = async (kind = "items"): Promise<number> => {
  const row = await database.db("catalogue_versions").where({ kind }).first("version");
  return row?.version;
};

describe("a tombstone", () => {
  const listTombstones = (kind = "items") =>
    database.db("catalogue_tombstones").where({ kind }).orderBy(["version", "id"]).select("id", "version");

  it("is left by a removal, with its version", async () => {
    const { db } = database;
    await insertRecords(db, "items", namedRecords(3));
    await db("items").where({ id: "1" }).delete();
    const first = await versionOf();
    await db("items").delete();
    expect(await listTombstones()).toEqual([
      { id: "1", version: first },
      { id: "0", version: first + 1 },
      { id: "2", version: first + 1 },
    ]);
    expect(await versionOf()).toBe(first + 1);
    expect(await listTombstones("vehicles")).toEqual([]);
  });

  it("is left by a truncate", async () => {
    await insertRecords(database.db, "houses", namedRecords(2));
    await database.db.raw("truncate houses cascade");
    const version = await versionOf("houses");
    expect(await listTombstones("houses")).toEqual([
      { id: "0", version },
      { id: "1", version },
    ]);
  });

  it("has the import that removed the record, and no other", async () => {
    const { db } = database;
    await importRecords(db, "items", namedRecords(4));
    await db("items").where({ id: "3" }).delete();
    await db.transaction(async (transaction) => {
      await importRecords(transaction, "items", namedRecords(2), { prune: true });
      await transaction("items").where({ id: "0" }).delete();
    });
    const [first, second] = await db("imports").orderBy("id").select("id", "kind");
    expect([first?.kind, second?.kind]).toEqual(["items", "items"]);
    const rows = await db("catalogue_tombstones").orderBy("id").select("id", "import_id");
    expect(rows).toEqual([
      { id: "0", import_id: null },
      { id: "2", import_id: second?.id },
      { id: "3", import_id: null },
    ]);
  });

  it("is removed when the record is back, and not left by demo records", async () => {
    const { db } = database;
    await insertRecords(db, "items", [...namedRecords(2), { id: "shown", demo: true }]);
    await db("items").delete();
    const version = await versionOf();
    await importRecords(db, "items", namedRecords(1));
    expect(await listTombstones()).toEqual([{ id: "1", version }]);
  });

  it("is left by an id that changes", async () => {
    const { db } = database;
    await insertRecords(db, "items", namedRecords(2));
    const before = await versionOf();
    await db("items").where({ id: "0" }).update({ id: "7" });
    expect((await listTombstones()).map(({ id }) => id)).toEqual(["0"]);
    const changes = await readChanges(db, "items", { since: before, most: 10, keys: [] });
    expect([changes?.changed.map(({ id }) => id), changes?.removed]).toEqual([["7"], ["0"]]);
    await db("items").where({ id: "7" }).update({ id: "0" });
    expect((await listTombstones()).map(({ id }) => id)).toEqual(["7"]);
  });

  it("is removed with its kind", async () => {
    const { db } = database;
    await db.raw("select add_catalogue_kind('pets', 'pet')");
    await db("pets").insert({ id: "cat", name: "Cat" });
    await db("pets").delete();
    expect(await listTombstones("pets")).toHaveLength(1);
    await db.raw("select remove_catalogue_kind('pets', 'pet')");
    expect(await listTombstones("pets")).toEqual([]);
    expect(await db("catalogue_changes").where({ kind: "pets" })).toEqual([]);
  });
});

describe("the changes since a version", () => {
  const readSince = async (since: number, most = 10) => {
    const changes = await readChanges(database.db, "items", { since, most, keys: [] });
    if (!changes) return undefined;
    const { changed, removed } = changes;
    return { changed: changed.map(({ id }) => id).toSorted(), removed: removed.toSorted() };
  };

  it("have each changed record once", async () => {
    const { db } = database;
    await insertRecords(db, "items", namedRecords(4));
    const since = await versionOf();
    await db("items").where({ id: "1" }).update({ name: "One" });
    await db("items").where({ id: "1" }).update({ name: "Uno" });
    await db("items").whereIn("id", ["2", "3"]).delete();
    await insertRecords(db, "items", [{ id: "3" }, { id: "9" }]);
    await insertRecords(db, "vehicles", [{ id: "1" }]);
    expect(await readSince(since)).toEqual({ changed: ["1", "3", "9"], removed: ["2"] });
    const changes = await readChanges(db, "items", { since, most: 10, keys: [] });
    expect(changes?.version).toBe(await versionOf());
    expect(await readSince(await versionOf())).toEqual({ changed: [], removed: [] });
  });

  it.each<[string, (db: Knex) => PromiseLike<unknown>]>([
    ["touched too many records at once", (db) => importRecords(db, "items", namedRecords(1002))],
    ["emptied the table", (db) => db.raw("truncate items cascade")],
  ])("are unknown if a statement %s", async (_what, change) => {
    await insertRecords(database.db, "items", namedRecords(1));
    const since = await versionOf();
    await change(database.db);
    expect(await readSince(since, 10_000)).toBeUndefined();
    const later = await versionOf();
    await insertRecords(database.db, "items", [{ id: "later" }]);
    expect(await readSince(later)).toEqual({ changed: ["later"], removed: [] });
  });

  it("are unknown if there are too many, for a future version, and once the list is pruned", async () => {
    const { db } = database;
    const since = await versionOf();
    await insertRecords(db, "items", namedRecords(11));
    expect(await readSince(since)).toBeUndefined();
    expect(await readSince(since, 11)).toBeDefined();
    expect(await readSince((await versionOf()) + 1)).toBeUndefined();
    await db.raw("update items set name = name || '!'");
    const kept = await versionOf();
    const many =
      "insert into catalogue_changes select 'items', ?::bigint, n from generate_series(1, 20000) n";
    await db.raw(many, [kept + 1]);
    await db.raw("select prune_catalogue_changes('items')");
    expect(await readSince(since, 30_000)).toBeUndefined();
    expect(await readSince(kept, 30_000)).toBeDefined();
    expect(await db("catalogue_changes").count()).toEqual([{ count: 20_000 }]);
  });
});
