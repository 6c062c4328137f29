import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Knex } from "knex";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { loadDemo } from "../../src/commands/demo/load.ts";
import { doctorCommand } from "../../src/commands/doctor.ts";
import { importCommand } from "../../src/commands/import.ts";
import { vocabularyCommand } from "../../src/commands/vocabulary.ts";
import { makeKindTables } from "../../src/db/own-kinds.ts";
import { hasRealRecords, removeDemo } from "../../src/records/demo-records.ts";
import { loadConfig } from "../../src/settings/config.ts";
import { UsageError } from "../../src/settings/usage-error.ts";
import { registerOwnKinds } from "../../src/words/vocabulary/own-kinds.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { runCommand } from "../helpers/cli.ts";
import { createTestDatabase, openPool, type TestDatabase } from "../helpers/database.ts";
import { kind, makeTables, QUESTS, useOwnKinds } from "../helpers/own-kinds.ts";

const QUEST = { kind: "quests", one: "quest" };

const file = useOwnKinds();
let database: TestDatabase;
let db: Knex;
beforeEach(async () => {
  database = await createTestDatabase();
  db = database.db;
});
afterEach(async () => {
  file.write(QUESTS);
  registerOwnKinds(QUESTS as Parameters<typeof registerOwnKinds>[0]);
  await database.drop();
});

async function run(command: Parameters<typeof runCommand>[0], args: string[], stdin = "", env = {}) {
  const folders = { SITE_SCHEMA: file.path, DATA_DIR: path.join(path.dirname(file.path), "data") };
  const config = loadConfig({ ...folders, ...env });
  const { code, out, err } = await runCommand(command, db, args, { config, stdin });
  return { code, out: out.join("\n"), err: err.join("\n") };
}

const importQuests = (...options: string[]) =>
  run(importCommand, ["quests", "-", ...options], '[{"id":"wolves","name":"Wolves","level":5}]');

/** The vocabulary without quests, as this process would know it after a start. */
function removeQuests(): void {
  const { quests: _, ...kinds } = QUESTS.kinds;
  file.write({ kinds });
}

describe("the tables of own kinds", () => {
  it("are made once, by whichever process comes first, and of the same shape as others", async () => {
    const pools = [db, openPool(database.url), openPool(database.url)];
    const made = await Promise.all(pools.map((pool) => makeKindTables(pool, [QUEST])));
    expect(made.flat()).toEqual(["quests"]);
    expect(await makeKindTables(db, [QUEST])).toEqual([]);
    expect(await db("own_kinds").select("kind", "one")).toEqual([QUEST]);
    const columns = async (table: string) => Object.keys(await db(table).columnInfo()).sort();
    expect(await columns("quests")).toEqual(await columns("scripts"));
    await insertRecords(db, kind("quests"), [{ id: "wolves" }]);
    const { version } = await db("catalogue_versions").where({ kind: "quests" }).first("version");
    expect(Number(version)).toBe(1);
    expect(await db("catalogue_changes").where({ kind: "quests" }).pluck("id")).toEqual(["wolves"]);
  });
});

describe("an import of an own kind", () => {
  it("makes the table, adds, updates, compares and prunes as for others", async () => {
    expect(await importQuests("--keep-rest")).toMatchObject({
      code: 0,
      err: [
        "There is a new kind: quests, at /quests once the site is started again.",
        "There is a new kind: camps, at /camps once the site is started again.",
      ].join("\n"),
      out: expect.stringMatching(/quests: 1 record in .*\n +added +1/),
    });
    expect(await db("quests").select("id", "name", "attributes")).toEqual([
      { id: "wolves", name: "Wolves", attributes: { level: 5 } },
    ]);
    expect((await importQuests("--keep-rest")).out).toMatch(/unchanged +1/);
    const other = await run(importCommand, ["quests", "-", "--prune", "--force"], '[{"id":"b","name":"B"}]');
    expect(other.out).toMatch(/removed +1/);
    expect(await db("catalogue_tombstones").where({ kind: "quests" }).pluck("id")).toEqual(["wolves"]);
  });

  it("takes relations with it, by its name and by its word, and warns of ends that are not there", async () => {
    await importQuests();
    await insertRecords(db, "items", [{ id: "claw" }]);
    const relations = JSON.stringify([
      { from: "item:claw", kind: "reward-of", to: "quest:wolves" },
      { from: "quests:wolves", kind: "needs", to: "quest:none" },
    ]);
    const { code, err } = await run(importCommand, ["relations", "-"], relations);
    expect(code).toBe(0);
    expect(err).toContain("not in the catalogue, so their relations are kept but not shown: quest:none");
    expect(await db("relations").pluck("to_kind")).toEqual(["quest", "quest"]);
  });

  it("takes pictures", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "almanac-quest-pictures-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const drawn = sharp({ create: { width: 64, height: 64, channels: 3, background: "#7a4cc2" } });
    await drawn.png().toFile(path.join(folder, "wolves.png"));
    const { code } = await importQuests("--images", folder);
    expect(code).toBe(0);
    expect(await db("quests").first("picture")).toEqual({ picture: expect.stringMatching(/^\w+_64x64$/) });
  });

  it("lets a shop item be of one", async () => {
    await importQuests();
    const item = { id: "skip", name: "Skip", price: 1, entity_kind: "quest", entity_id: "wolves" };
    const { code } = await run(
      importCommand,
      ["donate-items", "-", "--currency", "EUR"],
      JSON.stringify([item]),
    );
    expect(code).toBe(0);
    expect(await db("donate_items").first("entity_kind")).toEqual({ entity_kind: "quest" });
  });

  it("is refused where the vocabulary has no such kind, with those that there are", async () => {
    removeQuests();
    const call = importQuests();
    await expect(call).rejects.toThrow(UsageError);
    await expect(call).rejects.toThrow(
      /there is no kind "quests"; there are items, .*businesses, camps, servers/,
    );
  });
});

describe("a kind that SECTIONS_OFF names", () => {
  it("is known to doctor before its table is there; others are not", async () => {
    const doctor = async (SECTIONS_OFF: string) => (await run(doctorCommand, [], "", { SECTIONS_OFF })).out;
    expect(await doctor("quests, map")).not.toContain("SECTIONS_OFF:");
    expect(await doctor("quests, boats")).toMatch(/^bad +SECTIONS_OFF: has boats, which is none of items,/m);
  });
});

describe("a kind that is gone from the vocabulary", () => {
  beforeEach(async () => {
    await importQuests();
    await insertRecords(db, "items", [{ id: "claw" }]);
    await run(
      importCommand,
      ["relations", "-"],
      '[{"from":"item:claw","kind":"reward-of","to":"quest:wolves"}]',
    );
    removeQuests();
  });

  it("appears in what doctor and the check report, and its entries stay", async () => {
    const line =
      'the vocabulary has no kind quests any more: its entries are kept but not shown; "vocabulary drop quests"';
    expect((await run(doctorCommand, [])).out).toContain(`warn ${line}`);
    const check = await run(vocabularyCommand, ["check"]);
    expect(check).toMatchObject({ code: 0, err: expect.stringContaining(`warning: ${line}`) });
    expect(await db("quests").pluck("id")).toEqual(["wolves"]);
    file.write(QUESTS);
    expect((await run(doctorCommand, [])).out).not.toContain("vocabulary drop");
    expect((await importQuests()).out).toMatch(/unchanged +1/);
  });

  it("goes for good when the operator says so twice, with what refers to it", async () => {
    const asked = await run(vocabularyCommand, ["drop", "quests"]);
    expect(asked).toMatchObject({
      code: 1,
      err: "This would remove 1 entries of quests, 0 favorites and 1 relations. Say --yes to do it.",
    });
    expect(await db("quests").pluck("id")).toEqual(["wolves"]);
    expect((await run(vocabularyCommand, ["drop", "quests", "--yes"])).code).toBe(0);
    expect(await db.schema.hasTable("quests")).toBe(false);
    expect(await db("relations").select()).toEqual([]);
    expect(await db("own_kinds").where(QUEST)).toEqual([]);
    expect(Object.keys(await db("entity_favorites").columnInfo())).not.toContain("quest_id");
    file.write(QUESTS);
    expect((await importQuests()).out).toMatch(/added +1/);
  });
});

describe("checks of a vocabulary with own kinds", () => {
  it("doubt attributes that no entry has, once there can be entries", async () => {
    expect(await run(vocabularyCommand, ["check"])).toMatchObject({ code: 0, err: "" });
    await importQuests("--keep-rest");
    const { err } = await run(vocabularyCommand, ["check"]);
    expect(err).toBe('warning: kinds.quests.attributes: none of the quests has "region"');
  });
});

describe("the demo on a site with own kinds", () => {
  it("is loaded without records of them, and their records are the site's own", async () => {
    await makeTables(db);
    await db.transaction((transaction) => loadDemo(transaction));
    expect(await db("quests").select()).toEqual([]);
    expect(await hasRealRecords(db)).toBe(false);
    await insertRecords(db, kind("quests"), [{ id: "wolves" }]);
    expect(await hasRealRecords(db)).toBe(true);
    await db.transaction(removeDemo);
    expect(await db("quests").pluck("id")).toEqual(["wolves"]);
  });
});
