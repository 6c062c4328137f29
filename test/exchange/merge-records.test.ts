import request from "supertest";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { COMMAND } from "../../src/db/audit-queries.ts";
import type { ImportOptions } from "../../src/exchange/import/arguments.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import type { ImportKind } from "../../src/exchange/import/kinds.ts";
import { mergeRecords } from "../../src/exchange/imports/merge.ts";
import { undoImport } from "../../src/exchange/imports/undo.ts";
import { translateText } from "../../src/words/i18n/lazy-text.ts";
import { type Agent, type TestUser, useTestApp } from "../helpers/app.ts";
import { emptyTables } from "../helpers/database.ts";
import { inputsOf, mainOf, textOf } from "../helpers/html.ts";
import { addWriteKey } from "../helpers/write-keys.ts";

const site = useTestApp();
const PAGE = "/operator/records/items/old/remove";

let operator: TestUser & { agent: Agent };
let other: TestUser;
let key: string;

beforeAll(async () => {
  operator = await site.logIn(await site.createUser({ role: "operator" }));
  other = await site.createUser();
  ({ key } = await addWriteKey(site.db, operator.id));
});

beforeEach(async () => {
  await emptyTables(
    site.db,
    "items, relations, donate_items, suggestions, day_counts, entity_favorites, audit_log, imports, import_changes, catalogue_tombstones, catalogue_revisions",
  );
  await load("items", [
    { id: "old", name: "Old", image: "/old.png" },
    { id: "new", name: "New", image: null },
    { id: "a%b c", name: "Third", image: null },
  ]);
});

const load = (kind: ImportKind, records: readonly object[], options: ImportOptions = {}) =>
  importRecords(site.db, kind, records, { by: COMMAND, origin: {}, ...options });
const merge = (from: string, into: string) =>
  mergeRecords(site.db, { kind: "items", from, into }, { by: COMMAND });
const undo = (id: number, alsoTouched = false) => undoImport(site.db, id, { by: COMMAND, alsoTouched });
const post = (fields: Record<string, string>, agent = operator.agent, page = PAGE) =>
  agent
    .post(page)
    .type("form")
    .send({ action: "merge", ...fields });
const ids = () => site.db("items").orderBy("id").pluck("id");

/** Everything that has records, without what any write changes. */
async function everything(): Promise<unknown> {
  const tables = ["items", "relations", "donate_items", "suggestions", "day_counts", "entity_favorites"];
  const query = "select to_jsonb(t) - '{revision,updated_at}'::text[] as row from ?? t order by t::text";
  const kept = await Promise.all(tables.map((table) => site.db.raw(query, [table])));
  return kept.map(({ rows }) => rows.map(({ row }: { row: unknown }) => row));
}

async function addFiles(options: ImportOptions = {}): Promise<void> {
  const relations = [
    { from: "item:old", kind: "made-of", to: "item:a%b c", count: 2 },
    { from: "item:new", kind: "made-of", to: "item:a%b c", count: 5 },
    { from: "item:a%b c", kind: "unlocks", to: "item:old", chance: 0.5 },
    { from: "item:old", kind: "upgrade-of", to: "item:new" },
    { from: "vehicle:old", kind: "made-of", to: "item:new" },
  ];
  await load("relations", relations, options);
  const offers = [
    { id: "offer", name: "Offer", price: 1, currency: "EUR", entity_kind: "item", entity_id: "old" },
    { id: "other", name: "Other", price: 1, currency: "EUR", entity_kind: "vehicle", entity_id: "old" },
  ];
  await load("donate-items", offers, options);
}

async function addReferences(): Promise<void> {
  const star = ({ id }: TestUser, item_id: string) => ({
    ...{ user_id: id, item_id, created_at: `2026-01-0${(id % 9) + 1}` },
  });
  const stars = [star(operator, "old"), star(operator, "new"), star(other, "old")];
  await site.db("entity_favorites").insert(stars);
  await addFiles();
  const report = { kind: "items", entry_id: "old", entry_name: "Old", user_id: other.id, fields: "{}" };
  await site.db("suggestions").insert([report, { ...report, state: "declined", decided_at: "2026-01-01" }]);
  const seen = (name: string, count: number) => ({ topic: "visit:items", name, day: "2026-11-01", count });
  await site.db("day_counts").insert([seen("old", 3), seen("new", 4)]);
}

describe("merging two records", () => {
  it("moves each reference to the record once, and the picture if the target has none", async () => {
    await addReferences();
    await merge("old", "new");
    expect(await ids()).toEqual(["a%b c", "new"]);
    const left = await site.db("items").where({ id: "new" }).first();
    expect(left).toMatchObject({ image: "/old.png", revision: 2 });
    const stars = await site.db("entity_favorites").orderBy("user_id").select("user_id", "item_id");
    expect(stars).toEqual([operator.id, other.id].sort().map((user_id) => ({ user_id, item_id: "new" })));
    const shown = site.db("relations").whereRaw("id !~ 'item:old'").orderBy("id");
    expect(await shown.select("id", "count", "chance")).toEqual([
      { id: "item:a%25b%20c unlocks item:new", count: null, chance: "0.5" },
      { id: "item:new made-of item:a%25b%20c", count: "5", chance: null },
      { id: "vehicle:old made-of item:new", count: null, chance: null },
    ]);
    expect(await site.db("donate_items").orderBy("id").pluck("entity_id")).toEqual(["new", "old"]);
    expect(await site.db("suggestions").orderBy("id").pluck("entry_id")).toEqual(["new", "old"]);
    expect(await site.db("day_counts").where({ name: "new" }).pluck("count")).toEqual([7]);
    // An import finds the moved relation.
    const moved = { from: "item:a%b c", kind: "unlocks", to: "item:new", chance: 0.5 };
    expect(await load("relations", [moved])).toMatchObject({ added: 0, unchanged: 1 });
  });

  it("leads from the old addresses to the new one, in every language, with nothing cached", async () => {
    await merge("old", "new");
    const page = await request(site.app).get("/ru/items/old").expect(308).expect("Location", "/ru/items/new");
    expect(page.headers["cache-control"]).toBe("no-store");
    const api = () => request(site.app).get("/api/items/old?lang=ru").set("X-API-Key", key);
    await api().expect(308).expect("Location", "/api/items/new?lang=ru").expect("Cache-Control", "no-store");
    await site.db("items").where({ id: "new" }).delete();
    await request(site.app).get("/items/old").expect(410);
    await api().expect(410);
  });

  it("ends at the record that is left, and never in a loop", async () => {
    await merge("old", "new");
    await expect(merge("new", "old")).rejects.toThrow("That is the same record");
    await expect(merge("new", "new")).rejects.toThrow("That is the same record");
    await merge("new", "a%b c");
    await load("items", [{ id: "late", name: "Late" }]);
    expect(await merge("late", "old")).toMatchObject({ into: "a%b c" });
    await request(site.app).get("/items/old").expect(308).expect("Location", "/items/a%25b%20c");
    await expect(merge("old", "new")).rejects.toThrow("There is no record old any more.");
  });

  it("lets one of two opposite merges win, and refuses the other", async () => {
    const both = await Promise.allSettled([merge("old", "new"), merge("new", "old")]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(await ids()).toHaveLength(2);
  });

  it("keeps a star that is added at the same time", async () => {
    const star = site.db("entity_favorites").insert({ user_id: other.id, item_id: "old" });
    await Promise.all([star, merge("old", "new")]).catch(() => undefined);
    const stars = await site.db("entity_favorites").pluck("item_id");
    expect(stars.filter((id) => id !== "new")).toEqual([]);
  });

  it("is in the history of the remaining record, until it is undone", async () => {
    const history = async () =>
      mainOf((await operator.agent.get("/operator/records/items/new/history")).text);
    expect(await history()).not.toContain("merged into");
    await post({ into: "new" }).expect(303);
    const found = await site.db("imports").where({ merged_from: "old" }).first();
    const text = await history();
    expect(textOf(text)).toContain(`${operator.name}: old merged into new`);
    expect(text).toContain(`datetime="${found.at.toISOString()}"`);
    expect(text).toContain('href="/operator/records/items/old/history"');
    expect(text).toContain(`href="/operator/imports/${found.id}"`);
    await undo(found.id);
    expect(await history()).not.toContain("merged into");
  });

  it("refuses imports and writes of the old id with the reason", async () => {
    await merge("old", "new");
    const again = await load("items", [{ id: "old", name: "Again" }]);
    expect(again).toMatchObject({ added: 0 });
    expect(translateText(again.warnings)).toBe("1 left alone: old (merged into new)");
    const put = request(site.app).put("/api/items/old").set("X-API-Key", key).send({ name: "Again" });
    expect((await put.expect(409)).body.detail).toContain("merged into new");
    await post({ id: "old", name: "Again" }, operator.agent, "/operator/new-record/items").expect(409);
    await operator.agent.post("/operator/records/items/old/restore").expect(303);
    expect(await ids()).toEqual(["a%b c", "new"]);
  });

  it("redirects files that still have the old id: relations, once each, and shop items", async () => {
    await addReferences();
    await merge("old", "new");
    const before = await everything();
    await addFiles();
    expect(await everything()).toEqual(before);
    await addFiles({ prune: true, force: true });
    await addFiles();
    const shown = await site.db("relations").orderBy("id").pluck("id");
    expect(shown).toEqual([
      "item:a%25b%20c unlocks item:new",
      "item:new made-of item:a%25b%20c",
      "vehicle:old made-of item:new",
    ]);
  });

  it("is not undone by the undo of another import", async () => {
    const { id = 0 } = await load("items", [{ id: "old", name: "Changed" }]);
    await merge("old", "new");
    await expect(undo(id, true)).rejects.toThrow("There is nothing left to undo.");
    expect(await ids()).toEqual(["a%b c", "new"]);
  });
});

describe("an undone merge", () => {
  it("leaves everything as it was, and can be undone and done again", async () => {
    await addReferences();
    const before = await everything();
    let { id } = await merge("old", "new");
    const merged = await everything();
    for (let round = 0; round < 2; round++) {
      ({ id } = await undo(id));
      expect(await everything()).toEqual(before);
      await request(site.app).get("/items/old").expect(200);
      ({ id } = await undo(id));
      expect(await everything()).toEqual(merged);
      await request(site.app).get("/items/old").expect(308);
    }
  });

  it("keeps a target that was changed since, and newer stars", async () => {
    await addReferences();
    const { id } = await merge("old", "new");
    await load("items", [{ id: "new", name: "Newer" }]);
    await site.db("entity_favorites").where({ user_id: other.id }).update({ created_at: "2026-05-05" });
    expect(await undo(id)).toMatchObject({ restored: 1, left: 1 });
    const target = await site.db("items").where({ id: "new" }).first();
    expect(target).toMatchObject({ name: "Newer", image: "/old.png" });
    const stars = site.db("entity_favorites").where({ user_id: other.id }).orderBy("item_id");
    expect(await stars.pluck("item_id")).toEqual(["new", "old"]);
  });

  it("is refused while the other record is not there", async () => {
    const { id } = await merge("old", "new");
    const { id: later } = await merge("new", "a%b c");
    await expect(undo(id)).rejects.toThrow("The record new is no longer there.");
    await undo(later);
    await undo(id);
    expect(await ids()).toEqual(["a%b c", "new", "old"]);
  });
});

describe("the page of a merge", () => {
  it("takes an id or a name, says who did it, and can be undone from the history", async () => {
    await operator.agent.get(PAGE).expect(200);
    await post({ into: "NEW", note: "a duplicate" }).expect(303).expect("Location", "/items/new");
    expect(await site.db("audit_log").where({ action: "record.merged" }).first()).toMatchObject({
      ...{ subject: "items/old", note: "a duplicate", user_name: operator.name, after: { into: "new" } },
    });
    const { text } = await operator.agent.get("/operator/records/items/old/history").expect(200);
    expect(textOf(mainOf(text))).toContain("old merged into new");
    expect(text).not.toContain("/restore");
    const [, link = ""] = /href="(\/operator\/imports\/\d+)"/.exec(text) ?? [];
    await operator.agent.post(link).expect(303);
    expect(await ids()).toEqual(["a%b c", "new", "old"]);
  });

  it("shows each error at its field, and keeps the typed text", async () => {
    await load("items", [
      { id: "x1", name: "Twin" },
      { id: "x2", name: "Twin" },
    ]);
    const several = await post({ into: "Twin", note: "why" }).expect(400);
    expect(textOf(mainOf(several.text))).toContain("x1 (Twin), x2 (Twin)");
    expect(inputsOf(several.text)).toMatchObject({ into: "Twin", note: "why" });
    for (const into of ["", "nothing-like-it"]) await post({ into }).expect(400);
    expect(textOf(mainOf((await post({ into: "old" }).expect(409)).text))).toContain(
      "That is the same record",
    );
    await post({ into: "new", note: "n".repeat(301) }).expect(400);
    expect(await ids()).toContain("old");
  });

  it("is for operators alone", async () => {
    const editor = await site.logIn(await site.createUser({ role: "editor" }));
    for (const { agent } of [editor, await site.logIn(await site.createUser())]) {
      await post({ into: "new" }, agent).expect(403);
    }
    expect(await ids()).toContain("old");
  });
});
