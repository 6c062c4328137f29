import { readdirSync } from "node:fs";
import { describe, expect, inject, it } from "vitest";
import { createDb } from "../../src/db/connect.ts";
import { MIGRATIONS_DIRECTORY } from "../../src/db/migrate.ts";
import { createEmptyDatabase, createTestDatabase, useTestDatabase } from "../helpers/database.ts";
import { PATIENT } from "../helpers/patience.ts";

describe("test databases", () => {
  const shared = useTestDatabase();

  it("are migrated to the last migration", async () => {
    const names = await shared.db("knex_migrations").orderBy("name").pluck("name");
    expect(names).toEqual(readdirSync(MIGRATIONS_DIRECTORY).sort());
  });

  it("are each other's strangers, also when made at the same moment", async () => {
    const databases = await Promise.all(Array.from({ length: 6 }, createTestDatabase));
    try {
      expect(new Set(databases.map((database) => database.url)).size).toBe(6);
      const [first, second] = databases;
      await first?.db.schema.createTable("mine", (table) => table.integer("id"));
      expect(await first?.db.schema.hasTable("mine")).toBe(true);
      expect(await second?.db.schema.hasTable("mine")).toBe(false);
    } finally {
      await Promise.all(databases.map((database) => database.drop()));
    }
  });

  it("are gone after drop, although somebody else is connected", async () => {
    const database = await createTestDatabase();
    const other = createDb({ url: database.url });
    await other.raw("select 1");
    await database.drop();
    await expect(other.raw("select 1")).rejects.toThrow();
    await other.destroy();
    await expectMissing(new URL(database.url).pathname.slice(1));
  });

  it("can be had empty", async () => {
    const database = await createEmptyDatabase();
    const tables = await database.db("pg_tables").where({ schemaname: "public" }).pluck("tablename");
    await database.drop();
    expect(tables).toEqual([]);
  });

  async function expectMissing(name: string) {
    const admin = createDb({ url: inject("adminUrl"), ...PATIENT });
    const found = await admin("pg_database").where({ datname: name });
    await admin.destroy();
    expect(found).toEqual([]);
  }
});
