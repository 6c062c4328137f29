import { beforeEach, describe, expect, it } from "vitest";
import { COMMAND } from "../../src/db/audit-queries.ts";
import { type ImportOptions, parseSourceName } from "../../src/exchange/import/arguments.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { useTestDatabase } from "../helpers/database.ts";

const database = useTestDatabase();

beforeEach(async () => {
  await database.db.raw("truncate items, servers, imports, import_changes, record_sources cascade");
});

/** An import as the command runs it; without a source, that of the command without `--source`. */
const load = (source: string | undefined, ids: readonly string[], options: ImportOptions = {}) =>
  importRecords(
    database.db,
    "items",
    ids.map((id) => ({ id, name: `Name ${id}` })),
    { by: COMMAND, origin: { source, file: "items.json" }, ...options },
  );

const ids = () => database.db("items").orderBy("id").pluck("id");
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

  it("prunes only its own records, and asks again about more than half of those", async () => {
    await load("wiki", ["a", "b", "c"]);
    await load("game", ["d", "e"]);
    expect(await load("game", ["d"], { prune: true })).toMatchObject({ removed: 1 });
    expect(await ids()).toEqual(["a", "b", "c", "d"]);
    await expect(load("wiki", ["a"], { prune: true })).rejects.toThrow(
      '--prune would remove 2 of the 3 items of "wiki" that are there, more than half; --force does it',
    );
    const { preview } = await load("wiki", ["a"], { prune: true, force: true, dryRun: true });
    expect(preview?.removed.map(({ id }) => id)).toEqual(["b", "c"]);
    await load("wiki", ["a"], { prune: true, force: true });
    expect(await ids()).toEqual(["a", "d"]);
    // Without a source, all of the kind.
    await load(undefined, ["a"], { prune: true });
    expect(await ids()).toEqual(["a"]);
  });

  it("keeps the names of categories that are another source's", async () => {
    const record = (id: string, label: string) => ({
      id,
      name: id,
      category: `C${id}`,
      categories: { ru: label },
    });
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
    const records = [
      { id: "a", name: "Other" },
      { id: "b", name: "Name b" },
      { id: "d", name: "D" },
    ];
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
    const left = database
      .db("import_changes as c")
      .join("items as t", { "t.id": "c.id", "t.updated_at": "c.written_at" });
    expect(await left.where({ import_id: id }).orderBy("c.id").pluck("c.id")).toEqual(["a", "d"]);
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
