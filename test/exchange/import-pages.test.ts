import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { COMMAND } from "../../src/db/audit-queries.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { emptyTables } from "../helpers/database.ts";

const site = useTestApp();
let operator: Agent;

beforeAll(async () => {
  operator = (await site.logIn(await site.createUser({ name: "Olga", role: "operator" }))).agent;
});

beforeEach(async () => {
  const tables = "items, imports, import_changes, record_sources, catalogue_tombstones, audit_log";
  await emptyTables(site.db, tables);
});

const load = async (...records: object[]) => {
  const origin = { source: "wiki", file: "items.json" };
  return (await importRecords(site.db, "items", records, { by: COMMAND, origin })).id ?? 0;
};

const page = async (path: string, status = 200) => (await operator.get(path).expect(status)).text;
const undo = (id: number, form: object = {}) =>
  operator.post(`/operator/imports/${id}`).type("form").send(form);

describe("the list of imports", () => {
  it("shows who imported what, and how much that changed, page by page", async () => {
    expect(await page("/operator/imports")).toContain("Nothing has been imported yet.");
    const id = await load({ id: "a", name: "A" });
    await load({ id: "a", name: "<b>" });
    const list = await page("/operator/imports");
    expect(list).toContain(`href="/operator/imports/${id}"`);
    expect(list).toContain("Items, wiki, items.json");
    expect(list).toContain("command line");
    expect(list).toContain("1 changed");
    expect(await page(`/operator/imports?before=${id + 1}`)).not.toContain("1 changed");
    expect(await page("/operator")).toContain('href="/operator/imports"');
  });
});

describe("the page of an import", () => {
  it("shows records field by field, and undoes it", async () => {
    await load({ id: "a", name: "A", attributes: { damage: 5 } });
    const id = await load({ id: "a", name: "<B>", attributes: { damage: 7 } }, { id: "n", name: "New" });
    const html = await page(`/operator/imports/${id}`);
    expect(html).toMatch(/<code>name<\/code> <del>.*<\/span>A<\/del> <ins>.*<\/span>&lt;B&gt;<\/ins>/);
    expect(html).toMatch(/attributes\.damage.*<\/span>5<\/del>/);
    expect(html).toContain("Added: 1");
    expect(html).not.toContain('name="touched"');
    const { headers } = await undo(id).expect(303);
    expect(headers.location).toBe(`/operator/imports/${id + 1}`);
    const undone = await page(`/operator/imports/${id + 1}`);
    expect(undone).toContain("2 records are as before.");
    expect(undone).toContain(`undoes import ${id}`);
    expect(undone).toContain("Olga");
    expect(await page(`/operator/imports/${id}`)).toContain(`undone by import ${id + 1}`);
    expect(await site.db("items").select("id", "name")).toEqual([{ id: "a", name: "A" }]);
    const audited = await site.db("audit_log").where({ action: "records.undone" }).first();
    const undoing = { user_name: "Olga", via: "site", after: { import: id, restored: 2, left: 0 } };
    expect(audited).toMatchObject(undoing);
  });

  it("lists records that were touched since, and undoes them only if that is ticked", async () => {
    await load({ id: "a", name: "A" }, { id: "b", name: "B" });
    const id = await load({ id: "a", name: "A2" }, { id: "b", name: "B2" });
    await importRecords(site.db, "items", [{ id: "a", name: "Mine" }], { isEdit: true });
    const html = await page(`/operator/imports/${id}`);
    expect(html).toContain("1 record was changed after the import and will stay as it is.");
    expect(html).toContain("changed since");
    const { headers } = await undo(id).expect(303);
    const undone = await page(String(headers.location));
    expect(undone).toContain("1 record that was changed since was left alone.");
    const names = () => site.db("items").orderBy("id").pluck("name");
    expect(await names()).toEqual(["Mine", "B"]);
    const again = await load({ id: "a", name: "A2" }, { id: "b", name: "B2" });
    await importRecords(site.db, "items", [{ id: "a", name: "Mine again" }], { isEdit: true });
    await undo(again, { touched: "1" }).expect(303);
    expect(await names()).toEqual(["Mine", "B"]);
  });

  it("explains why an undo is refused", async () => {
    const id = await load({ id: "a", name: "A" });
    await undo(id).expect(303);
    const { text } = await undo(id).expect(409);
    expect(text).toContain(`Import ${id} was undone already, by import ${id + 1}.`);
    await page("/operator/imports/999999", 404);
    await page("/operator/imports/x", 404);
    await undo(999999).expect(404);
  });

  it("can be read if the site no longer has its kind, and in Russian", async () => {
    const row = { kind: "quests", via: "command", added: 1 };
    const [{ id }] = await site.db("imports").insert(row).returning("id");
    expect(await page(`/operator/imports/${id}`)).toContain("quests");
    expect((await undo(id).expect(409)).text).toContain("The site no longer has the kind quests.");
    const russian = await page(`/ru/operator/imports/${id}`);
    expect(russian).toContain(`Импорт ${id}`);
    expect(russian).toContain("добавлено: 1");
  });
});
