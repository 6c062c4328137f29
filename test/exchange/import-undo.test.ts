import { beforeEach, describe, expect, it } from "vitest";
import { undoImportCommand } from "../../src/commands/undo-import.ts";
import { COMMAND } from "../../src/db/audit-queries.ts";
import { dropKind } from "../../src/db/own-kinds.ts";
import type { ImportOptions } from "../../src/exchange/import/arguments.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import type { ImportKind } from "../../src/exchange/import/kinds.ts";
import { lockKind } from "../../src/exchange/import/storage/queries.ts";
import { UndoRefusedError, undoImport } from "../../src/exchange/imports/undo.ts";
import { changePicture } from "../../src/records/pictures/operator/queries.ts";
import { registerOwnKinds } from "../../src/words/vocabulary/own-kinds.ts";
import { runCommand } from "../helpers/cli.ts";
import { emptyTables, openTransaction, shortenLockTimeouts, useTestDatabase } from "../helpers/database.ts";
import { makeTables, kind as ownKind, useOwnKinds } from "../helpers/own-kinds.ts";
import { addUser } from "../helpers/users.ts";

const database = useTestDatabase();

beforeEach(async () => {
  await emptyTables(
    database.db,
    "items, servers, donate_items, discounts, relations, users, imports, import_changes, record_sources, catalogue_tombstones, catalogue_words, audit_log",
  );
});

async function load(kind: ImportKind, records: readonly object[], options: ImportOptions = {}) {
  const all = { by: COMMAND, origin: {}, force: options.prune ?? false, ...options };
  const { id } = await importRecords(database.db, kind, records, all);
  return id ?? Number.NaN;
}

const undo = (id: number, alsoTouched = false) => undoImport(database.db, id, { by: COMMAND, alsoTouched });

/** A table without the columns that every write changes. */
async function rows(table: string, without = ["revision", "updated_at"]): Promise<unknown[]> {
  const { rows } = await database.db.raw("select to_jsonb(t) - ?::text[] as row from ?? t order by t::text", [
    without,
    table,
  ]);
  return rows.map(({ row }: { row: unknown }) => row);
}

const state = (...tables: string[]) => Promise.all(tables.map((table) => rows(table)));

async function refusal(undoing: Promise<unknown>): Promise<string> {
  const error = await undoing.catch((error: unknown) => error);
  if (error instanceof UndoRefusedError) return error.message;
  throw error;
}

const SWORD = {
  id: "sword",
  name: "Sword",
  names: { ru: "Меч" },
  category: "Weapons",
  description: "Sharp.",
  descriptions: { ru: "Острый." },
  image: "/assets/sword.png",
  popularity: 0.1,
  attributes: { damage: 12.5, deep: { list: [1, "2", null] } },
};
const SHIELD = { id: "shield", name: "Shield" };
const OTHER_SWORD = { id: "sword", name: "Blade", names: {}, category: "Arms", attributes: { speed: 1 } };

describe("an undone import", () => {
  it("restores the catalogue, continues histories and leaves tombstones for what it had added", async () => {
    const { db } = database;
    await load("items", [SWORD, SHIELD]);
    await changePicture(db, { kind: "items", id: "sword", picture: "picture-1" });
    const before = await rows("items");
    const id = await load("items", [OTHER_SWORD, { id: "bow", name: "Bow" }], { prune: true });
    expect(await rows("items")).not.toEqual(before);
    expect(await undo(id)).toEqual({ id: id + 1, restored: 3, left: 0 });
    expect(await rows("items")).toEqual(before);
    expect(await db("items").orderBy("id").pluck("revision")).toEqual([2, 4]);
    const tombstones = await db("catalogue_tombstones").select("id", "import_id");
    expect(tombstones).toEqual([{ id: "bow", import_id: id + 1 }]);
    const revised = await db("catalogue_revisions").where({ entry_id: "sword", revision: 4 }).first();
    expect(revised.before).toMatchObject({ name: "Blade", category: "Arms" });
  });

  it("brings stars of removed records back, except those of accounts that are gone", async () => {
    await load("items", [SWORD, SHIELD]);
    const [ann, bob] = [await addUser(database.db, "Ann"), await addUser(database.db, "Bob")];
    for (const user_id of [ann, bob])
      await database.db("entity_favorites").insert({ user_id, item_id: "sword", created_at: "2026-01-02" });
    const before = await database.db("entity_favorites").where({ user_id: ann });
    const id = await load("items", [SHIELD], { prune: true });
    await database.db("users").where({ id: bob }).delete();
    await undo(id);
    expect(await database.db("entity_favorites")).toEqual(before);
  });

  it("restores the names of categories and values, except those that a later import changed", async () => {
    const named = (label: string | undefined, shield: string) => [
      { id: "a", name: "A", category: "Weapons", ...(label && { categories: { ru: label } }) },
      { id: "b", name: "B", category: "Shields", categories: { ru: shield } },
    ];
    await load("items", named(undefined, "Щиты"));
    const id = await load("items", named("Оружие", "Щит"));
    const words = () => database.db("catalogue_words").orderBy("value").pluck("label");
    await undo(id);
    expect(await words()).toEqual(["Щиты"]);
    const again = await load("items", named("Оружие", "Щит"));
    await load("items", named("Оружие!", "Щит"));
    await undo(again);
    expect(await words()).toEqual(["Щиты", "Оружие!"]);
  });

  it("gives the demo its record back, with its relations", async () => {
    const demo = { demo: true };
    await importRecords(database.db, "items", [SWORD, SHIELD], demo);
    const relation = { from: "item:sword", kind: "made-of", to: "item:shield" };
    await importRecords(database.db, "relations", [relation], demo);
    const before = await state("items", "relations");
    const id = await load("items", [{ id: "sword", name: "Own" }]);
    expect(await rows("relations")).toEqual([]);
    await undo(id);
    expect(await state("items", "relations")).toEqual(before);
  });
});

describe("an undo restores", () => {
  it("shop items with discounts, stars and former prices", async () => {
    const vip = { id: "vip", name: "VIP", price: 10, currency: "EUR" };
    await load("donate-items", [vip, { ...vip, id: "gold" }]);
    await load("donate-items", [{ ...vip, price: 12 }]);
    await load("discounts", [{ id: "sale", item_key: "vip", percent: 10, starts_at: "2026-01-01" }]);
    await database.db("discounts").update({ told_at: "2026-01-02" });
    const star = {
      user_id: await addUser(database.db, "Ann"),
      item_key: "vip",
      wish: 5,
      wish_currency: "EUR",
    };
    await database.db("donate_favorites").insert(star);
    const tables = ["donate_items", "discounts", "donate_favorites", "price_versions", "discount_versions"];
    const before = await state(...tables);
    const id = await load("donate-items", [{ ...vip, id: "gold" }], { prune: true });
    expect(await rows("discounts")).toEqual([]);
    await undo(id);
    expect(await state(...tables)).toEqual(before);
  });

  it("servers with alerts", async () => {
    const server = (id: string) => ({ id, name: id, address: "127.0.0.1:7777", online: 5, max_online: 50 });
    await load("servers", [server("a"), server("b")]);
    const user_id = await addUser(database.db, "Ann");
    await database.db("server_favorites").insert({ user_id, server_id: "a" });
    await database.db("server_alerts").insert({ user_id, server_id: "a", what: "up" });
    const tables = ["servers", "server_favorites", "server_alerts"];
    const before = await state(...tables);
    const id = await load("servers", [{ ...server("b"), name: "B" }, server("c")], { prune: true });
    await undo(id);
    expect(await state(...tables)).toEqual(before);
  });

  it("relations and discounts, except for discounts without an item", async () => {
    await load("items", [SWORD, SHIELD]);
    const relation = { from: "item:sword", kind: "made-of", to: "item:shield", count: 2.5, chance: 0.1 };
    await load("relations", [relation]);
    const related = await rows("relations");
    await undo(await load("relations", [], { prune: true }));
    expect(await rows("relations")).toEqual(related);
    const vip = { id: "vip", name: "VIP", price: 10, currency: "EUR" };
    await load("donate-items", [vip, { ...vip, id: "gold" }]);
    const sale = { percent: 10, starts_at: "2026-01-01" };
    await load("discounts", [
      { id: "1", item_key: "vip", ...sale },
      { id: "2", item_key: "gold", ...sale },
    ]);
    const id = await load("discounts", [], { prune: true });
    await load("donate-items", [vip], { prune: true });
    expect(await undo(id)).toMatchObject({ restored: 1 });
    expect(await database.db("discounts").pluck("id")).toEqual(["1"]);
  });
});

const edit = (id: string, name: string) =>
  importRecords(database.db, "items", [{ id, name }], { isEdit: true, isSmall: true });

describe("an undo is refused", () => {
  useOwnKinds();

  it("for an unknown import, a second time, and for one that is too old", async () => {
    expect(await refusal(undo(12345))).toBe("There is no import 12345.");
    const id = await load("items", [SWORD]);
    const { id: by } = await undo(id);
    expect(await refusal(undo(id))).toBe(`Import ${id} was undone already, by import ${by}.`);
    const old = await load("items", [SHIELD]);
    const long = { at: database.db.raw("now() - interval '91 days'") };
    await database.db("imports").where({ id: old }).update(long);
    const tooOld = "The import is older than 90 days. What was before is no longer kept.";
    expect(await refusal(undo(old))).toBe(tooOld);
    // A write of the API is no import.
    const [{ id: write }] = await database.db("imports").insert({ kind: "items" }).returning("id");
    expect(await refusal(undo(write))).toBe(`There is no import ${write}.`);
  });

  it("while another import of the kind runs, and by the second of two at once", async () => {
    shortenLockTimeouts();
    const id = await load("items", [SWORD]);
    const other = await openTransaction(database.db);
    await lockKind(other, "items");
    const running = "Another import of this kind is running. Try again once it has ended.";
    expect(await refusal(undo(id))).toBe(running);
    await other.rollback();
    const outcomes = await Promise.allSettled([undo(id), undo(id)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(await rows("items")).toEqual([]);
  });

  it("after the kind was removed from the vocabulary or the database", async () => {
    const add = async () => {
      await makeTables(database.db);
      return load(ownKind("quests"), [{ id: "wolves", name: "Wolves" }]);
    };
    const gone = "The site no longer has the kind quests.";
    const dropped = await add();
    await dropKind(database.db, { kind: "quests", one: "quest" });
    expect(await refusal(undo(dropped))).toBe(gone);
    const forgotten = await add();
    registerOwnKinds({});
    expect(await refusal(undo(forgotten))).toBe(gone);
  });

  it("without a trace in the database", async () => {
    await load("items", [SWORD]);
    const id = await load("items", [{ id: "sword", name: "S" }]);
    await edit("sword", "T");
    const tables = ["items", "imports", "import_changes", "audit_log"];
    const all = () => Promise.all(tables.map((table) => rows(table, [])));
    const before = await all();
    await refusal(undo(id));
    expect(await all()).toEqual(before);
  });
});

describe("the command", () => {
  const run = (...args: string[]) => runCommand(undoImportCommand, database.db, args);

  it("lists imports, undoes one and explains why not", async () => {
    const id = await load("items", [SWORD, SHIELD], { origin: { source: "wiki", file: "items.json" } });
    expect((await run()).out).toEqual([
      expect.stringMatching(new RegExp(`^${id}  \\S+Z  items  \\+2 ~0 -0  wiki, items.json$`)),
    ]);
    expect(await run(`${id}`)).toEqual({
      ...{ code: 0, err: [] },
      out: [`Undone by import ${id + 1}: 2 records are as before.`],
    });
    expect(await run(`${id}`)).toEqual({
      ...{ code: 1, out: [] },
      err: [`Nothing was written: Import ${id} was undone already, by import ${id + 1}.`],
    });
    await expect(run("x")).rejects.toThrow("x is no number of an import");
  });
});
