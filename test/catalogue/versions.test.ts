import type { Knex } from "knex";
import { beforeEach, describe, expect, it } from "vitest";
import { readVersions } from "../../src/db/change-feed.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { BUILT_IN_KINDS, type CatalogueKind } from "../../src/words/kinds/kinds.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { openTransaction, useTestDatabase } from "../helpers/database.ts";
import { namedRecords } from "../helpers/search.ts";

const database = useTestDatabase();

beforeEach(() => emptyCatalogue(database.db));

describe("the version of a kind", () => {
  const versionsOf = async () => (await readVersions(database.db)).kinds as Record<CatalogueKind, number>;
  const versionOf = async (kind: CatalogueKind) => (await versionsOf())[kind];

  /** By how much the versions of items and vehicles grow. */
  async function growth(change: (db: Knex) => PromiseLike<unknown>): Promise<[number, number]> {
    const before = await versionsOf();
    await change(database.db);
    const after = await versionsOf();
    return [after.items - before.items, after.vehicles - before.vehicles];
  }

  it.each(BUILT_IN_KINDS)("grows with every statement that changes %s", async (kind) => {
    const statements = [
      (db: Knex) => db(kind).insert({ id: "1", name: "One" }),
      (db: Knex) => db(kind).update({ name: "Two" }),
      (db: Knex) => db(kind).delete(),
      (db: Knex) => db.raw("truncate ?? cascade", [kind]),
    ];
    for (const change of statements) {
      const before = await versionOf(kind);
      await change(database.db);
      expect(await versionOf(kind)).toBe(before + 1);
    }
  });

  it("does not change with statements that touch no record or are rolled back", async () => {
    await insertRecords(database.db, "items", namedRecords(1));
    const nothing = (db: Knex) =>
      db.transaction(async (transaction) => {
        await transaction("items").where({ id: "none" }).update({ name: "Two" });
        await transaction("items").where({ id: "none" }).delete();
        await transaction("items").insert(namedRecords(1)).onConflict("id").ignore();
      });
    expect(await growth(nothing)).toEqual([0, 0]);
    const rolledBack = async () => {
      const transaction = await openTransaction(database.db);
      await insertRecords(transaction, "items", [{ id: "lost" }]);
      await transaction.rollback();
    };
    expect(await growth(rolledBack)).toEqual([0, 0]);
  });

  it("grows by an import, and not by the same import again", async () => {
    const load = (db: Knex) => importRecords(db, "items", namedRecords(20));
    const [items, vehicles] = await growth(load);
    expect([items > 0, vehicles]).toEqual([true, 0]);
    expect(await growth(load)).toEqual([0, 0]);
  });
});
