import { beforeEach, describe, expect, it } from "vitest";
import { COMMAND } from "../../src/db/audit-queries.ts";
import { type ImportOptions, parseSourceName } from "../../src/exchange/import/arguments.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import type { ImportKind } from "../../src/exchange/import/kinds.ts";
import { ImportRefusedError } from "../../src/exchange/import/report.ts";
import { emptyTables, useTestDatabase } from "../helpers/database.ts";
import { listRecords } from "../helpers/servers.ts";
import { addUser } from "../helpers/users.ts";

const database = useTestDatabase();

beforeEach(async () => {
  const tables =
    "items, vehicles, houses, servers, donate_items, users, imports, import_changes, record_sources";
  await emptyTables(database.db, tables);
});

const prune = (kind: ImportKind, records: unknown[], options?: ImportOptions) =>
  importRecords(database.db, kind, records, { prune: true, ...options });

const named = (...ids: unknown[]) => ids.map((id) => ({ id, name: `Name ${id}` }));
const idsOf = (table: string) => database.db(table).orderBy("id").pluck("id");

describe("prune", () => {
  it("removes what the file does not have, and nothing by default or of other kinds", async () => {
    await importRecords(database.db, "houses", named(1, 2));
    await importRecords(database.db, "items", named(1, 2, 3, 4));
    expect(await importRecords(database.db, "items", named(4))).toMatchObject({ removed: 0 });
    const summary = await prune("items", named(2, 3, 5));
    expect(summary).toMatchObject({ added: 1, changed: 0, unchanged: 2, removed: 2 });
    expect(await idsOf("items")).toEqual(["2", "3", "5"]);
    expect(await idsOf("houses")).toEqual(["1", "2"]);
  });

  it("removes exactly half, and refuses one more", async () => {
    await importRecords(database.db, "items", named(1, 2, 3, 4));
    const refused = prune("items", named(1, 5, 6, 7));
    await expect(refused).rejects.toThrow(ImportRefusedError);
    await expect(refused).rejects.toThrow(
      "--prune would remove 3 of the 4 items that are there, more than half; --force does it",
    );
    expect(await idsOf("items")).toEqual(["1", "2", "3", "4"]);
    expect(await prune("items", named(1, 2))).toMatchObject({ removed: 2 });
  });

  it("keeps the file's fields in an invalid record with a readable id", async () => {
    await importRecords(database.db, "items", named(1, 2, 3, 4));
    const records = [...named(1, 2), { id: 3, name: "" }, { id: 3, name: "Again" }, { name: "no id" }];
    expect(await prune("items", records, { skipInvalid: true })).toMatchObject({ removed: 1, invalid: 3 });
    expect(await idsOf("items")).toEqual(["1", "2", "3"]);
    expect(await database.db("items").where({ id: "3" }).first("name")).toEqual({ name: "Name 3" });
  });
});

describe("favorites of what is removed", () => {
  it.each([
    ["items", "item_id"],
    ["vehicles", "vehicle_id"],
    ["houses", "house_id"],
  ] as const)("are removed and counted: %s", async (kind, column) => {
    await importRecords(database.db, kind, named(1, 2, 3));
    const user_id = await addUser(database.db, "Ann");
    await database.db("entity_favorites").insert([1, 3].map((id) => ({ user_id, [column]: String(id) })));
    expect(await prune(kind, named(1, 2))).toMatchObject({ removed: 1, removedFavorites: 1 });
    expect(await database.db("entity_favorites").pluck("entity_id")).toEqual(["1"]);
  });

  it("are removed and counted: servers, with their history", async () => {
    const servers = named(1, 2, 3).map((server) => ({ ...server, online: 5 }));
    await importRecords(database.db, "servers", servers);
    const user_id = await addUser(database.db, "Ann");
    await database.db("server_favorites").insert([1, 2].map((id) => ({ user_id, server_id: String(id) })));
    expect(await prune("servers", named(1, 3))).toMatchObject({ removed: 1, removedFavorites: 1 });
    expect(await database.db("server_favorites").pluck("server_id")).toEqual(["1"]);
    expect((await listRecords(database.db)).map(({ server_id }) => server_id)).toEqual(["1", "3"]);
  });

  it("are removed and counted: donate items, with their discounts", async () => {
    const items = (...ids: number[]) => named(...ids).map((item) => ({ ...item, price: 5, currency: "EUR" }));
    await importRecords(database.db, "donate-items", items(1, 2, 3));
    const terms = { percent: 10, starts_at: "2026-01-01" };
    const discounts = [1, 2, 2].map((item_key, id) => ({ id, item_key, ...terms }));
    await importRecords(database.db, "discounts", discounts);
    const user_id = await addUser(database.db, "Ann");
    await database.db("donate_favorites").insert([1, 2].map((id) => ({ user_id, item_key: String(id) })));
    const removed = { removed: 1, removedFavorites: 1, removedDiscounts: 2 };
    expect(await prune("donate-items", items(1, 3))).toMatchObject(removed);
    expect(await idsOf("discounts")).toEqual(["0"]);
  });

  it("stay if the run is refused or dry", async () => {
    await importRecords(database.db, "items", named(1, 2));
    const user_id = await addUser(database.db, "Ann");
    await database.db("entity_favorites").insert({ user_id, item_id: "1" });
    await expect(prune("items", [])).rejects.toThrow(ImportRefusedError);
    expect(await prune("items", named(2), { dryRun: true })).toMatchObject({ removedFavorites: 1 });
    expect(await database.db("entity_favorites").pluck("entity_id")).toEqual(["1"]);
  });
});

/** An import as the command runs it; without a source, that of the command without `--source`. */
const load = (source: string | undefined, ids: readonly string[], options: ImportOptions = {}) =>
  importRecords(database.db, "items", named(...ids), {
    ...{ by: COMMAND, origin: { source, file: "items.json" }, ...options },
  });

const sources = () => database.db("record_sources").orderBy("id").select("id", "source");

describe("a source", () => {
  it("has the records that it imported last, unchanged ones too", async () => {
    await load("wiki", ["a", "b"]);
    await load("game", ["b", "c"]);
    expect(await sources()).toEqual([
      { id: "a", source: "wiki" },
      { id: "b", source: "game" },
      { id: "c", source: "game" },
    ]);
    await load(undefined, ["a"]);
    expect((await sources()).map(({ id }) => id)).toEqual(["b", "c"]);
  });

  it("prunes its own records only, and asks again about more than half of those", async () => {
    await load("wiki", ["a", "b", "c"]);
    await load("game", ["d", "e"]);
    expect(await load("game", ["d"], { prune: true })).toMatchObject({ removed: 1 });
    expect(await idsOf("items")).toEqual(["a", "b", "c", "d"]);
    const refused =
      '--prune would remove 2 of the 3 items of "wiki" that are there, more than half; --force does it';
    await expect(load("wiki", ["a"], { prune: true })).rejects.toThrow(refused);
    const { preview } = await load("wiki", ["a"], { prune: true, force: true, dryRun: true });
    expect(preview?.removed.map(({ id }) => id)).toEqual(["b", "c"]);
    await load("wiki", ["a"], { prune: true, force: true });
    expect(await idsOf("items")).toEqual(["a", "d"]);
    // An import without a source prunes all of the kind.
    await load(undefined, ["a"], { prune: true });
    expect(await idsOf("items")).toEqual(["a"]);
  });

  it("keeps the names of categories that are another source's", async () => {
    const record = (id: string, ru: string) => ({ id, name: id, category: `C${id}`, categories: { ru } });
    const put = (source: string | undefined, id: string) =>
      importRecords(database.db, "items", [record(id, `К${id}`)], {
        ...{ by: COMMAND, origin: { source }, prune: true, force: true },
      });
    await put("wiki", "a");
    await put("game", "b");
    expect(await database.db("catalogue_words").orderBy("value").pluck("label")).toEqual(["Кa", "Кb"]);
    await put(undefined, "b");
    expect(await database.db("catalogue_words").pluck("label")).toEqual(["Кb"]);
  });

  it.each(["", " ", "a\u0000", "x".repeat(61)])("refuses the name %j", (name) => {
    expect(() => parseSourceName(name)).toThrow("say a name of 1 to 60 characters");
  });
});

describe("an import", () => {
  it("is recorded with its origin, its counts and what was before", async () => {
    await load("wiki", ["a", "b", "c"]);
    const changed = { by: COMMAND, origin: { source: "wiki", file: "new.json" }, prune: true };
    const records = [{ id: "a", name: "Other" }, ...named("b", "d")];
    const { id } = await importRecords(database.db, "items", records, changed);
    expect(await database.db("imports").where({ id }).first()).toMatchObject({
      ...{ kind: "items", source: "wiki", file: "new.json", via: "command", user_name: null },
      ...{ added: 1, changed: 1, removed: 1, words: null, undo_of: null },
    });
    const changes = await database.db("import_changes").where({ import_id: id }).orderBy("id");
    expect(changes.map(({ id, action, before }) => [id, action, before?.name])).toEqual([
      ["a", "changed", "Name a"],
      ["c", "removed", "Name c"],
      ["d", "added", undefined],
    ]);
    const written = { "t.id": "c.id", "t.updated_at": "c.written_at" };
    const left = database.db("import_changes as c").join("items as t", written).where({ import_id: id });
    expect(await left.orderBy("c.id").pluck("c.id")).toEqual(["a", "d"]);
  });

  it("leaves no row if it changed nothing, failed, was dry or is a batch of the API", async () => {
    await load("wiki", ["a"]);
    await load("wiki", ["a"]);
    await load("wiki", ["b"], { dryRun: true });
    await load("wiki", [], { prune: true }).catch(() => undefined);
    await importRecords(database.db, "items", [{ id: "z", name: "Z" }], { by: { userId: null, via: "api" } });
    expect(await database.db("imports").whereNotNull("via").pluck("added")).toEqual([1]);
  });

  it("of measurements alone is not listed", async () => {
    const measure = (online: number) =>
      importRecords(database.db, "servers", [{ id: "s", name: "S", online }], { by: COMMAND, origin: {} });
    await measure(1);
    await measure(2);
    expect(await database.db("imports").whereNotNull("via").count({ all: "*" })).toEqual([{ all: 1 }]);
  });
});
