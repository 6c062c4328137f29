import { beforeEach, describe, expect, it } from "vitest";
import { importCommand } from "../../src/commands/import.ts";
import { runCommand } from "../helpers/cli.ts";
import { emptyTables, useTestDatabase } from "../helpers/database.ts";
import { useFolder } from "../helpers/folder.ts";
import { findIds, openSearch } from "../helpers/search.ts";

const database = useTestDatabase();
const { fileOf } = useFolder();

beforeEach(async () => {
  await emptyTables(database.db, "items, vehicles");
});

const RECORDS = [
  { id: 1, name: "Thunderfury", names: { ru: "Громовая ярость" }, attributes: { aliases: "Old One, TF" } },
  { id: 2, name: "Hand of Justice" },
];

async function importWith(
  aliases: string,
  { kind = "items", more = [] as string[], records = RECORDS as object[] } = {},
) {
  const file = fileOf("records.json", JSON.stringify(records));
  const args = [kind, file, "--aliases", aliases, ...more];
  const { code, err } = await runCommand(importCommand, database.db, args);
  return { code, err };
}

const aliasesOf = async (id: string) =>
  (await database.db("items").where({ id }).first("attributes"))?.attributes.aliases;

describe("aliases of a file", () => {
  it("are added to those of the records, by id or by a name of any language", async () => {
    const pairs = "id,name,alias\n2,,HoJ\n,громовая ЯРОСТЬ,Fury\n,Thunderfury,TF\n";
    expect(await importWith(fileOf("pairs.csv", pairs))).toEqual({ code: 0, err: [] });
    expect(await aliasesOf("1")).toEqual(["Old One", "TF", "Fury"]);
    expect(await aliasesOf("2")).toEqual(["HoJ"]);
    const search = openSearch(database);
    await search.refresh();
    expect(await findIds(search, "hoj")).toEqual(["2"]);
    expect(await findIds(search, "fury")).toEqual(["1"]);
  });

  it("are added by names of the same letters, but not by names of other signs", async () => {
    const names = ["Łódź", "Große Straße", "Ёлка", "龍劍", "C++", "C"];
    const records = names.map((name, at) => ({ id: `${at + 1}`, name }));
    const pairs = "lodz,Boat\nSTRASSE  GROSSE,no\ngrosse  strasse,Road\nелка,Tree\n龙剑,Blade\nc++,Cpp\n";
    const file = fileOf("letters.csv", `name,alias\n${pairs}`);
    const { code, err } = await importWith(file, { records });
    expect([code, err]).toEqual([0, ["warning: aliases of no record: STRASSE  GROSSE"]]);
    const all = await Promise.all(records.map(({ id }) => aliasesOf(id)));
    expect(all).toEqual([["Boat"], ["Road"], ["Tree"], ["Blade"], ["Cpp"], undefined]);
  });

  it("may be JSON, and change nothing when they are imported again", async () => {
    const pairs = fileOf("pairs.json", JSON.stringify([{ id: 2, alias: " HoJ " }]));
    await importWith(pairs);
    const before = await database.db("items").where({ id: "2" }).first("updated_at");
    await importWith(pairs);
    expect(await database.db("items").where({ id: "2" }).first("updated_at")).toEqual(before);
    expect(await aliasesOf("2")).toEqual(["HoJ"]);
  });

  it("are listed if no record has them", async () => {
    const pairs = fileOf("odd.csv", "name,alias\nHand of Justice,HoJ\nAshkandi,Ash\nAshkandi,Kandi\n");
    expect(await importWith(pairs)).toEqual({ code: 0, err: ["warning: aliases of no record: Ashkandi"] });
    expect((await importWith(pairs, { more: ["--quiet"] })).err).toEqual([]);
  });

  it.each([
    ["without an alias", "id,alias\n1,A\n2,\n", "pair 2 of the aliases needs an alias, and an id or a name"],
    ["for nothing", "id,alias\n,HoJ\n", "pair 1 of the aliases needs an alias, and an id or a name"],
    ["of no list", "", "the file is empty"],
  ])("%s are refused, and nothing is written", async (_what, pairs, reason) => {
    const { code, err } = await importWith(fileOf("bad.csv", pairs));
    expect([code, err[0]]).toEqual([1, expect.stringContaining(reason)]);
    expect(await database.db("items")).toEqual([]);
  });

  it("are for entries of the catalogue only", async () => {
    const pairs = fileOf("pairs.csv", "id,alias\n1,A\n");
    await expect(importWith(pairs, { kind: "servers" })).rejects.toThrow("--aliases is for entries");
  });
});
