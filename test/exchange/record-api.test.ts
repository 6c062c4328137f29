import request from "supertest";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { useReadKey, walkPages } from "../helpers/api-reads.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { emptyTables } from "../helpers/database.ts";
import { declaredEndpoints } from "../helpers/declared-endpoints.ts";
import { addDiscount, addItem } from "../helpers/donate.ts";
import { kind, makeTables, QUESTS, useOwnKinds } from "../helpers/own-kinds.ts";
import { addServer } from "../helpers/servers.ts";

/** One is called as a fixed path is. */
const DATA = { one: "datum", name: { one: "Datum", many: "Data" } };
useOwnKinds({ kinds: { ...QUESTS.kinds, data: DATA } });
const site = useTestApp();
const { get: ask } = useReadKey(site);

beforeAll(() => makeTables(site.db));

beforeEach(async () => {
  await emptyCatalogue(site.db);
  await emptyTables(site.db, "quests, camps, data, servers, donate_items, relations, catalogue_tombstones");
});

describe("GET /api/{kind}/{id}", () => {
  it("returns everything known of an entry, with values in their own types", async () => {
    const villa = {
      ...{ id: "a/b c", name: "Villa", names: { ru: "Вилла" }, category: "Villas" },
      ...{ description: "By the **sea**.", popularity: 3 },
      attributes: { price: 12.5, garage: true, rooms: "4", tags: ["sea", 7], x: 1, y: -2.5 },
      ...{ created_at: "2026-01-02T03:04:05.000Z", updated_at: "2026-01-03T03:04:05.678Z" },
    };
    await insertRecords(site.db, "houses", [{ ...villa, image: "/images/villa.png" }]);
    const { body } = await ask("/api/houses/a%2Fb%20c").expect(200);
    expect(body).toEqual({
      ...{ kind: "house", ...villa, descriptions: {}, place: { x: 1, y: -2.5, z: null } },
      images: [{ url: "http://almanac.test/images/villa.png", width: null, height: null }],
      url: "http://almanac.test/houses/a%2Fb%20c",
    });
  });

  it("returns the picture of the site's store with its size", async () => {
    const picture = `${"0123456789abcdef".repeat(2)}_640x360`;
    await site.db("items").insert({ id: "a", name: "A", picture, image: "https://elsewhere.test/a.png" });
    const { body } = await ask("/api/items/a").expect(200);
    const url = `http://almanac.test/pictures/${"0123456789abcdef".repeat(2)}-640.webp`;
    expect(body.images).toEqual([{ url, width: 640, height: 360 }]);
  });

  it("has the price of an item of the shop", async () => {
    await insertRecords(site.db, "vehicles", [{ id: "411", name: "Infernus" }]);
    await addItem(site.db, { id: "car", price: "10.00", entity_kind: "vehicle", entity_id: "411" });
    await addDiscount(site.db, { id: "sale", item_key: "car", percent: 25, title: "Autumn" });
    const { body } = await ask("/api/donate-items/car").expect(200);
    expect(body).toMatchObject({
      ...{ kind: "shop_item", id: "car", price: "10.00", currency: "EUR" },
      discount: { id: "sale", title: "Autumn", percent: 25, price: "7.50" },
      entry: { kind: "vehicle", id: "411", url: "http://almanac.test/vehicles/411" },
      url: "http://almanac.test/donate/car",
    });
  });

  it("keeps a discount secret that has neither started nor been announced", async () => {
    await addItem(site.db, { id: "car" });
    await addDiscount(site.db, { id: "now", item_key: "car", price: "6.00" });
    const later = { item_key: "car", percent: 50, starts: 1, ends: 2 };
    await addDiscount(site.db, { id: "soon", ...later, announced: true });
    await addDiscount(site.db, { id: "secret", ...later });
    const { body } = await ask("/api/discounts/now").expect(200);
    expect(body).toMatchObject({ phase: "running", percent: null, price: "6.00", price_before: "10.00" });
    const soon = await ask("/api/discounts/soon").expect(200);
    expect(soon.body).toMatchObject({ phase: "coming", percent: 50, price: "5.00" });
    await ask("/api/discounts/secret").expect(404);
  });

  it("has the fields of lists for a server, without outdated figures", async () => {
    const checked_at = new Date(Date.now() - 60_000);
    const figures = { status: "online", online: 5, queue: 0, max_online: 50, checked_at };
    await addServer(site.db, { id: "one", url: "https://one.example/", ...figures });
    await addServer(site.db, { id: "old", ...figures, checked_at: new Date("2020-01-01") });
    const { body } = await ask("/api/servers/one").expect(200);
    expect(body).toMatchObject({
      ...{ kind: "server", website: "https://one.example/", url: "http://almanac.test/servers/one" },
      ...{ ...figures, checked_at: checked_at.toISOString(), peak_24h: null },
    });
    const old = { status: "unknown", online: null, checked_at: "2020-01-01T00:00:00.000Z" };
    expect((await ask("/api/servers/old").expect(200)).body).toMatchObject(old);
  });

  it("reads the operator's own kinds too, with their changes", async () => {
    const { version } = await site.db("catalogue_versions").where({ kind: "quests" }).first("version");
    await insertRecords(site.db, kind("quests"), [{ id: "q", attributes: { level: 3 } }]);
    const quest = { kind: "quest", attributes: { level: 3 }, url: "http://almanac.test/quests/q" };
    expect((await ask("/api/quests/q").expect(200)).body).toMatchObject(quest);
    const { body } = await ask(`/api/quests/changes?since=${version}`).expect(200);
    expect(body.changes).toMatchObject([{ id: "q", record: quest }]);
  });

  it("keeps fixed paths, whatever ids and kinds there are", async () => {
    await insertRecords(site.db, "items", [{ id: "search", name: "Search light" }]);
    const { body } = await ask("/api/items/search?q=light").expect(200);
    expect(body.results).toHaveLength(1);
    await site.db("data").insert({ id: "a", name: "A" });
    expect((await ask("/api/data").expect(200)).body).toHaveProperty("servers");
    expect((await ask("/api/data/a").expect(200)).body).toMatchObject({ kind: "datum", id: "a" });
    const paths = declaredEndpoints().map(({ method, path }) => `${method} ${path}`);
    expect(paths.filter((path, place) => paths.indexOf(path) !== place)).toEqual([]);
  });

  it("answers 410 with the time for what was removed, and 404 for what never was", async () => {
    await insertRecords(site.db, "items", [{ id: "gone" }]);
    await site.db("items").delete();
    const { removed_at } = await site.db("catalogue_tombstones").first();
    const { body, type } = await ask("/api/items/gone").expect(410);
    expect(type).toBe("application/problem+json");
    expect(body).toMatchObject({ status: 410, removed_at: removed_at.toISOString() });
    expect((await ask("/api/items/never").expect(404)).body.removed_at).toBeUndefined();
    await ask("/api/vehicles/gone").expect(404);
    await insertRecords(site.db, "items", [{ id: "gone", name: "Back" }]);
    expect((await ask("/api/items/gone").expect(200)).body.name).toBe("Back");
  });

  it("needs a key or a session, and says so to caches", async () => {
    await insertRecords(site.db, "items", [{ id: "a" }]);
    await request(site.app).get("/api/items/a").expect(401);
    const { headers } = await ask("/api/items/a").expect(200);
    expect(headers["cache-control"]).toBe("private, no-cache");
    expect(headers.vary).toContain("X-API-Key, Cookie");
    expect(headers["access-control-allow-origin"]).toBe("*");
    const again = () => ask("/api/items/a").set("If-None-Match", String(headers.etag));
    await again().expect(304);
    await site.db("items").update({ name: "Other" });
    await again().expect(200);
  });
});

const relate = (records: unknown[]) => importRecords(site.db, "relations", records);

const IRON = {
  ...{ relation: "made-of", direction: "from", kind: "item", id: "iron", count: 2.5, chance: null },
  ...{ name: "Iron", names: { ru: "Железо" }, category: "Metals", url: "http://almanac.test/items/iron" },
};

describe("GET /api/{kind}/{id}/relations", () => {
  beforeEach(async () => {
    await insertRecords(site.db, "items", [
      { id: "knife", name: "Knife", category: "Tools" },
      { id: "iron", name: "Iron", names: { ru: "Железо" }, category: "Metals" },
    ]);
    await insertRecords(site.db, "houses", [{ id: "forge", name: "Forge" }]);
  });

  it("lists what leads from a record, then what leads to it, without what is not there", async () => {
    await relate([
      { from: "item:knife", kind: "made-of", to: "item:iron", count: 2.5 },
      { from: "item:knife", kind: "made-of", to: "item:ghost" },
      { from: "house:forge", kind: "makes", to: "item:knife", chance: 0.5 },
    ]);
    const { body } = await ask("/api/items/knife/relations").expect(200);
    const made = { relation: "makes", direction: "to", kind: "house", id: "forge", chance: 0.5 };
    const records = [IRON, expect.objectContaining(made)];
    expect(body).toEqual({ total: 2, next: null, records });
    const open = await request(site.app).get("/api/relations?kind=item&id=knife").expect(200);
    const inBoth = ({ relation, id }: { relation: string; id: string }) => [relation, id];
    expect(body.records.map(inBoth)).toEqual(open.body.relations.map(inBoth));
  });

  it("takes one relation, one direction, fields, a language and CSV", async () => {
    await relate([
      { from: "item:knife", kind: "made-of", to: "item:iron", count: 2.5 },
      { from: "item:knife", kind: "sold-at", to: "house:forge" },
      { from: "item:iron", kind: "made-of", to: "item:knife" },
    ]);
    const idsOf = async (query: string) => {
      const { body } = await ask(`/api/items/knife/relations?${query}`).expect(200);
      return body.records.map(({ id }: { id: string }) => id);
    };
    expect(await idsOf("relation=made-of")).toEqual(["iron", "iron"]);
    expect(await idsOf("direction=from")).toEqual(["iron", "forge"]);
    expect(await idsOf("relation=made-of&direction=to")).toEqual(["iron"]);
    expect(await idsOf("relation=nothing")).toEqual([]);
    const { body } = await ask("/api/items/knife/relations?lang=ru&fields=name,count&limit=1").expect(200);
    expect(body.records).toEqual([{ name: "Железо", count: 2.5 }]);
    const path = "/api/items/knife/relations?fields=relation,id";
    const csv = await ask(path).set("Accept", "text/csv").expect(200);
    expect(csv.text).toBe("relation,id\r\nmade-of,iron\r\nsold-at,forge\r\nmade-of,iron\r\n");
    const { body: wrong } = await ask("/api/items/knife/relations?direction=up&fields=colour").expect(400);
    expect(wrong.errors.map(({ param }: { param: string }) => param)).toEqual(["direction", "fields"]);
  });

  it("continues after the last relation of a page, whatever was added or removed meanwhile", async () => {
    const ids = Array.from({ length: 9 }, (_, place) => `part-${place}`);
    const parts = ids.map((id) => ({ id, name: id }));
    await insertRecords(site.db, "items", parts);
    await relate(ids.map((id) => ({ from: "item:knife", kind: "made-of", to: `item:${id}` })));
    // The first one goes, which must hide no other.
    const removeFirst = () => site.db("relations").where({ to_id: "part-0" }).delete();
    const pages = await walkPages(ask, "/api/items/knife/relations?limit=4", removeFirst);
    expect(pages.flat()).toEqual(ids);
    const { body } = await ask("/api/items/knife/relations?limit=2");
    const { search } = new URL(body.next);
    await ask(`/api/items/iron/relations${search}`).expect(400);
    await ask(`/api/items/knife/relations${search}&direction=to`).expect(400);
  });

  it("distinguishes unknown from removed records, and follows changes", async () => {
    await ask("/api/items/none/relations").expect(404);
    await ask("/api/servers/none/relations").expect(404);
    await request(site.app).get("/api/items/knife/relations").expect(401);
    const { headers } = await ask("/api/items/knife/relations").expect(200);
    const again = () => ask("/api/items/knife/relations").set("If-None-Match", String(headers.etag));
    await again().expect(304);
    await relate([{ from: "item:knife", kind: "made-of", to: "item:iron" }]);
    await again().expect(200);
    await importRecords(site.db, "items", [{ id: "iron", name: "Iron" }], { prune: true, force: true });
    const { body } = await ask("/api/items/knife/relations").expect(410);
    expect(Date.parse(body.removed_at)).toBeGreaterThan(0);
  });
});
