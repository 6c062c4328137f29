import { beforeEach, describe, expect, it } from "vitest";
import { down, up } from "../../migrations/20261129070000_manage_servers.ts";
import { keepRemoved } from "../../src/exchange/edit/queries.ts";
import { selectDayOfAll } from "../../src/servers/history/queries.ts";
import { loadStandings } from "../../src/servers/queries.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { addRecords, addServer } from "../helpers/servers.ts";

const database = useTestDatabase();

beforeEach(async () => {
  await database.db.raw("truncate servers, catalogue_tombstones cascade");
  for (const id of ["kept", "gone", "there"]) {
    await addServer(database.db, { id });
    await addRecords(database.db, id, [{ at: new Date(Date.now() - 60_000), online: 5 }]);
  }
});

const numberOf = async (id: string) => (await database.db("servers").where({ id }).first("number"))?.number;
const records = () => database.db("online_records").orderBy("server_number").pluck("server_number");

/** Removes two servers, and keeps the history of one. Resolves to its number. */
async function removeTwo(): Promise<number> {
  const number = await numberOf("kept");
  await keepRemoved(database.db, "servers", "kept");
  await database.db("servers").whereIn("id", ["kept", "gone"]).delete();
  return number;
}

describe("the history of a removed server", () => {
  it("goes with it unless a tombstone keeps it, and comes back with its id", async () => {
    const [number, there] = [await removeTwo(), await numberOf("there")];
    expect(await records()).toEqual([number, there].sort((a, b) => a - b));
    await addServer(database.db, { id: "kept" });
    expect(await numberOf("kept")).toBe(number);
    await database.db("servers").where({ id: "kept" }).delete();
    expect(await records()).toEqual([there]);
  });

  it("counts neither among the ranks of others nor among the players of all", async () => {
    await removeTwo();
    expect((await loadStandings(database.db)).ranked).toBe(1);
    const { players } = await selectDayOfAll(database.db, "select number from servers");
    expect(Math.max(...players.map((count) => count ?? 0))).toBe(5);
  });

  it("is emptied with the table", async () => {
    await database.db.raw("truncate servers cascade");
    expect(await records()).toEqual([]);
  });
});

describe("the migration", () => {
  it("goes down, which loses the kept history alone, and up again", async () => {
    await removeTwo();
    const there = await numberOf("there");
    await database.db.transaction(down);
    expect(await records()).toEqual([there]);
    await database.db("servers").delete();
    expect(await records()).toEqual([]);
    await database.db.transaction(up);
    await addServer(database.db, { id: "kept" });
    expect(await numberOf("kept")).toBeGreaterThan(there);
  });
});
