import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { hasBeenAt, readOrigin } from "../../src/search/snapshot/origin.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { openTransaction, useTestDatabase } from "../helpers/database.ts";
import { namedRecords } from "../helpers/search.ts";
import { isSameOrigin } from "../helpers/snapshots.ts";

const database = useTestDatabase();

beforeEach(() => emptyCatalogue(database.db));

const originOf = (kind: "items" | "vehicles" = "items") => readOrigin(database.db, kind);

describe("the origin of a kind's records", () => {
  it("is another one with every change of that kind, and of no other", async () => {
    const before = await originOf();
    await insertRecords(database.db, "vehicles", namedRecords(1));
    expect(await originOf()).toEqual(before);
    await insertRecords(database.db, "items", namedRecords(1));
    const after = await originOf();
    expect([after.version, after.table]).toEqual([before.version + 1, before.table]);
    expect(after.stamp).not.toBe(before.stamp);
    expect(isSameOrigin(before, after)).toBe(false);
  });

  it("stays when a change is taken back", async () => {
    const before = await originOf();
    const transaction = await openTransaction(database.db);
    await insertRecords(transaction, "items", namedRecords(1));
    await transaction.rollback();
    expect(await originOf()).toEqual(before);
  });

  it("does not come again where versions do, as after a backup is restored", async () => {
    const seen: string[] = [];
    for (let round = 0; round < 3; round++) {
      await database.db("catalogue_versions").where({ kind: "items" }).update({ version: 41 });
      await insertRecords(database.db, "items", [{ id: `${round}`, name: "Thing" }]);
      const { version, stamp } = await originOf();
      expect(version).toBe(42);
      seen.push(stamp);
    }
    expect(new Set(seen).size).toBe(3);
  });

  it("changes for a recreated table, without its count", async () => {
    const before = await originOf();
    const transaction = await openTransaction(database.db);
    await transaction.raw("alter table items rename to old_items");
    await transaction.raw("create table items (like old_items)");
    const after = await readOrigin(transaction, "items");
    expect({ ...after, table: before.table }).toEqual(before);
    expect(isSameOrigin(before, after)).toBe(false);
    expect(await hasBeenAt(transaction, "items", before)).toBe(false);
  });

  it("is remembered as a place that the kind has been at, without one of another history", async () => {
    const at = (origin: Partial<Awaited<ReturnType<typeof originOf>>>) =>
      hasBeenAt(database.db, "items", { ...before, ...origin });
    const before = await originOf();
    await insertRecords(database.db, "items", namedRecords(3));
    expect(await at({})).toBe(true);
    expect(await at({ stamp: randomUUID() })).toBe(false);
    expect(await at({ version: before.version + 1 })).toBe(false);
    expect(await hasBeenAt(database.db, "vehicles", before)).toBe(false);
  });

  it("is forgotten after very many changes", async () => {
    const { db } = database;
    const first = await originOf();
    await db("catalogue_versions")
      .where({ kind: "items" })
      .update({ version: first.version + 40_000 });
    const later = await originOf();
    await db.raw("update catalogue_versions set version = (version / 100 + 1) * 100 where kind = 'items'");
    expect([await hasBeenAt(db, "items", first), await hasBeenAt(db, "items", later)]).toEqual([false, true]);
  });
});
