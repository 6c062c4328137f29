import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { compareTimes } from "../../src/catalogue/past/queries.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { useTestApp } from "../helpers/app.ts";
import { insertRecords } from "../helpers/catalogue.ts";

const site = useTestApp();
const DAY_MS = 86_400_000;
let from: string;

const now = async (): Promise<string> =>
  (await site.db.raw("select clock_timestamp() as now")).rows[0].now.toISOString();
const load = (records: object[], options = {}) => importRecords(site.db, "items", records, options);
const read = async (query: Record<string, string>) => {
  const text = await site.page(`/changes?${new URLSearchParams(query)}`);
  const main = text.replace(/^.*<main|<\/main>.*$|<title>.*?<\/title>/gs, "");
  return main.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
};

beforeAll(async () => {
  await load([
    { id: "knife", name: "Knife", category: "Weapons", attributes: { price: 5, color: "red" } },
    { id: "fork", name: "Fork", category: "Cutlery" },
  ]);
  from = await now();
  const next = [
    { id: "knife", name: "Knife", category: "Weapons", attributes: { price: 7 } },
    { id: "<b>", name: "<b>Spoon", category: "Cutlery" },
  ];
  await load(next, { prune: true, force: true });
});

describe("the page of changes", () => {
  it("lists additions, changes and removals, value by value, by kind and category", async () => {
    const text = await read({ from });
    expect(text).toContain("Items 1 added, 1 changed, 1 removed");
    expect(text).toMatch(/Cutlery.*Fork removed.*&lt;b&gt;Spoon added.*Weapons.*Knife changed/);
    expect(text).toMatch(/Color .*red .*Price Before: 5 → Now: 7/);
    expect(text).not.toContain("Vehicles 0");
    expect(await read({ from, kind: "items", page: "9" })).toContain("Knife");
  });

  it("leaves out records that are the same again at the end", async () => {
    const fork = { id: "fork", name: "Fork", category: "Cutlery" };
    await importRecords(site.db, "items", [{ ...fork, name: "Spork" }]);
    await importRecords(site.db, "items", [fork]);
    expect(await read({ from })).toContain("Items 1 added, 1 changed, 0 removed");
    expect(await read({ from, kind: "vehicles" })).toContain("Nothing changed");
  });

  it("leaves out records whose state at either time is no longer known", async () => {
    await insertRecords(site.db, "vehicles", [{ id: "car", revision: 60, created_at: "2001-01-01" }]);
    const revision = { kind: "vehicles", entry_id: "car", revision: 20, before: '{"name": "Old car"}' };
    await site.db("catalogue_revisions").insert({ ...revision, changed_at: "2020-01-01" });
    const range = { from: new Date("2019-01-01"), to: new Date("2021-01-01") };
    const found = await compareTimes(site.db, "vehicles", range, { limit: 10, offset: 0 });
    expect(found).toMatchObject({ total: 0, changes: [] });
  });

  it("restores no earlier state of records that were added and have not changed since, as imports add many", async () => {
    await importRecords(site.db, "scripts", [
      { id: "new1", name: "New 1" },
      { id: "new2", name: "New 2" },
    ]);
    const range = { from: new Date(from), to: new Date(await now()) };
    const undone = new Error("undone");
    const compare = site.db.transaction(async (transaction) => {
      await transaction.raw(`
        create or replace function record_at(of_kind text, record jsonb, removed_at timestamptz, at timestamptz)
        returns setof jsonb language plpgsql stable as $$ begin raise 'restored'; end $$`);
      expect(await compareTimes(transaction, "scripts", range, { limit: 10, offset: 0 })).toMatchObject({
        added: 2,
        changes: [{ after: { id: "new1" } }, { after: { id: "new2" } }],
      });
      throw undone;
    });
    await expect(compare).rejects.toBe(undone);
  });

  it("leaves out what an operator hides", async () => {
    await load([{ id: "<b>", name: "<b>Spoon", category: "Cutlery" }], { prune: true, force: true });
    await site.db("catalogue_tombstones").update({ hidden: true });
    expect(await read({ from })).not.toContain("Knife");
    await site.db("catalogue_tombstones").update({ hidden: false });
    expect(await read({ from })).toContain("Knife");
  });

  it("ends now if the dates lie in the future, as today may for a user far in the east", async () => {
    const tomorrow = new Date(Date.now() + DAY_MS).toISOString().slice(0, 10);
    expect(await read({ from, to: tomorrow })).toContain("Knife removed");
    expect(await read({ from: tomorrow, to: tomorrow })).toContain("Nothing changed");
  });

  it("swaps reversed dates", async () => {
    const query = { from: "2026-01-02", to: "2026-01-01", kind: "items" };
    const { headers } = await request(site.app).get("/changes").query(query).expect(303);
    expect(headers.location).toBe("/changes?from=2026-01-01&to=2026-01-02&kind=items");
    await site.page(headers.location ?? "");
  });

  it("shows the form again with the error beside its field", async () => {
    const wrong = { from: "From must be", to: "To must be", kind: "What must be" };
    for (const [name, error] of Object.entries(wrong)) {
      const query = { from: "2026-01-01", [name]: "20262-11-01" };
      const { text } = await request(site.app).get("/changes").query(query).expect(400);
      expect(text).toMatch(
        new RegExp(`name="${name}"[^>]* aria-invalid="true"[^]*field-error[^>]*>${error}`),
      );
    }
  });
});

describe("the feed of changes", () => {
  const yesterday = new Date(Date.now() - DAY_MS).toISOString();
  const times = { created_at: yesterday, updated_at: yesterday };
  beforeAll(() => insertRecords(site.db, "businesses", [{ id: "bar", ...times }]));

  it.each(["rss", "atom", "feed.json"])("has each day that is over, as %s", async (format) => {
    const { text } = await request(site.app).get(`/changes.${format}`).buffer().expect(200);
    const day = yesterday.slice(0, 10);
    expect(text.match(/1 added, 0 changed, 0 removed/g)).toHaveLength(1);
    expect(text).toMatch(new RegExp(`/changes\\?from=${day}&(amp;)?to=${day}`));
    expect(text).not.toContain("Items");
  });
});
