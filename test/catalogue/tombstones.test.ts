import { beforeEach, describe, expect, it } from "vitest";
import { importRecords } from "../../src/exchange/import/import-records.ts";
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
    database
      .db("catalogue_tombstones")
      .where({ kind })
      .orderBy("version")
      .orderBy("id")
      .select("id", "version");

  it("is left by what is removed, with the version that removed it", async () => {
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

  it("names the import that removed the record, and no other", async () => {
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

  it("is gone when the record is back", async () => {
    const { db } = database;
    await insertRecords(db, "items", namedRecords(2));
    await db("items").delete();
    const version = await versionOf();
    await importRecords(db, "items", namedRecords(1));
    expect(await listTombstones()).toEqual([{ id: "1", version }]);
  });

  it("is not left by demo records", async () => {
    await insertRecords(database.db, "items", [{ id: "1", demo: true }, { id: "2" }]);
    await database.db("items").delete();
    expect((await listTombstones()).map(({ id }) => id)).toEqual(["2"]);
  });
});

describe("an import", () => {
  it("that changes nothing leaves no row", async () => {
    const { db } = database;
    for (let run = 0; run < 2; run++) await importRecords(db, "items", namedRecords(3));
    await importRecords(db, "items", namedRecords(4), { dryRun: true });
    expect(await db("imports").pluck("kind")).toEqual(["items"]);
  });
});
