import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { walkPages } from "../helpers/api-reads.ts";
import { useTestApp } from "../helpers/app.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { addWriteKey } from "../helpers/write-keys.ts";

const site = useTestApp();
const BEFORE = "2001-01-01";
let key: string;
/** When the knife cost 5, and the fork and the spoon were there. */
let then: string;

const knife = { id: "knife", name: "Knife", category: "Weapons", attributes: { price: 5, color: "red" } };
const fork = { id: "fork", name: "Fork", category: "Cutlery" };
const spoon = { id: "spoon", name: "Spoon", category: "Cutlery" };

const load = (records: object[], options = {}) => importRecords(site.db, "items", records, options);
const read = (path: string, query: object) => request(site.app).get(path).query(query).set("X-API-Key", key);

beforeAll(async () => {
  ({ key } = await addWriteKey(site.db, (await site.createUser()).id));
  await load([knife, fork, spoon]);
  const { rows } = await site.db.raw("select max(updated_at) as at from items");
  then = rows[0].at.toISOString();
  const dagger = { ...knife, name: "Dagger", category: "Blades", attributes: { price: 7 } };
  await load([dagger, fork], { prune: true, force: true });
});

describe("an entry at a time", () => {
  it("has its earlier values on its page and in the API", async () => {
    const page = await request(site.app).get("/items/knife").query({ at: then }).expect(200);
    expect(page.text).toContain("<h1><span>Knife</span>");
    expect(page.text).not.toContain("Dagger");
    expect(page.headers["cache-control"]).toBe("private, no-cache");
    expect(page.text).toContain('<meta name="robots" content="noindex');
    expect(page.text).toMatch(/rel="canonical" href="[^"]*\/items\/knife"/);
    const { body } = await read("/api/items/knife", { at: then }).expect(200);
    expect(body).toMatchObject({ name: "Knife", category: "Weapons", attributes: knife.attributes });
    expect(body.updated_at).toBe(then);
  });

  it("exists after its removal, and is missing before it was added", async () => {
    await request(site.app).get("/items/spoon").query({ at: then }).expect(200);
    await read("/api/items/spoon", { at: then }).expect(200);
    await read("/api/items/spoon", {}).expect(410);
    await request(site.app).get("/items/spoon").query({ at: BEFORE }).expect(404);
    const { body } = await read("/api/items/spoon", { at: BEFORE }).expect(404);
    expect(body.detail).toContain("did not exist then");
  });

  it("is secret while an operator hides it", async () => {
    await site.db("catalogue_tombstones").where({ id: "spoon" }).update({ hidden: true });
    await read("/api/items/spoon", { at: then }).expect(404);
    const { body } = await read("/api/items", { at: then }).expect(200);
    expect(body.total).toBe(2);
    await site.db("catalogue_tombstones").where({ id: "spoon" }).update({ hidden: false });
  });

  it("is unknown if revisions of that time are no longer kept", async () => {
    await insertRecords(site.db, "vehicles", [{ id: "car", revision: 60, created_at: BEFORE }]);
    await site.db("catalogue_revisions").insert({
      ...{ kind: "vehicles", entry_id: "car", revision: 20, changed_at: "2020-01-01", before: "{}" },
    });
    await read("/api/vehicles/car", { at: "2019-01-01" }).expect(404);
    await read("/api/vehicles/car", { at: "2021-01-01" }).expect(200);
    expect((await read("/api/vehicles", { at: "2019-01-01" })).body).toMatchObject({ total: 0, records: [] });
    expect((await read("/api/vehicles", { at: "2021-01-01" })).body.total).toBe(1);
  });
});

describe("a list at a time", () => {
  const ids = async (query: object) => {
    const { body } = await read("/api/items", { at: then, ...query }).expect(200);
    return body.records.map(({ id }: { id: string }) => id);
  };

  it("is sorted and filtered by its names and categories at that time", async () => {
    expect(await ids({})).toEqual(["fork", "knife", "spoon"]);
    expect(await ids({ sort: "id", letter: "K" })).toEqual(["knife"]);
    expect(await ids({ letter: "D" })).toEqual([]);
    expect(await ids({ category: "Weapons" })).toEqual(["knife"]);
    expect(await ids({ category: "Blades" })).toEqual([]);
    const query = new URLSearchParams({ at: then, category: "Weapons" });
    const text = await site.page(`/items?${query}`);
    expect(text).toContain(`/items/knife?at=${encodeURIComponent(then)}`);
    expect(text).toContain("1 item");
  });

  it("has pages that hold every record once, and none before everything", async () => {
    const path = `/api/items?limit=1&at=${encodeURIComponent(then)}`;
    expect(await walkPages((next) => read(next, {}), path)).toEqual([["fork"], ["knife"], ["spoon"]]);
    expect((await read("/api/items", { at: BEFORE })).body).toMatchObject({ total: 0, records: [] });
    await site.page(`/items?at=${BEFORE}`);
  });

  it("shows now on a page for a time in the future, which an endpoint refuses", async () => {
    await read("/api/items", { at: "9000-01-01" }).expect(400);
    expect(await site.page("/items?at=9000-01-01")).toMatch(/You see the past.*Dagger/s);
  });

  it.each(["/items", "/api/items"])("refuses impossible combinations: %s", async (path) => {
    await read(path, { at: "yesterday" }).expect(400);
    const { text } = await read(path, { at: then, q: "a", "a.color": "red", sort: "newest" }).expect(400);
    for (const name of ["q", "a.color", "sort"]) expect(text).toMatch(new RegExp(`\\b${name} `));
    const file = await read("/items.csv", { at: then }).expect(303);
    expect(file.headers.location).toBe(`/items?at=${encodeURIComponent(then)}`);
  });
});
