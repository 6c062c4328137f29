import { describe, expect, it } from "vitest";
import { KEPT_TABLES, LEFT_OUT_TABLES, SESSIONS } from "../../src/commands/backup/tables.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { readRows } from "../helpers/full-site.ts";

const database = useTestDatabase();

describe("the tables of a backup", () => {
  it("and those that are left out with a reason are all that the migrations make, each once", async () => {
    const listed = [...KEPT_TABLES, ...LEFT_OUT_TABLES.map(({ table }) => table), SESSIONS];
    const { sequences: _, ...tables } = await readRows(database.db);
    expect([...listed].sort()).toEqual(Object.keys(tables).sort());
  });
});
