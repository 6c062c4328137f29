import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { createKey } from "../../src/accounts/keys/queries.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { kind, makeTables, QUESTS, useOwnKinds } from "../helpers/own-kinds.ts";

useOwnKinds(QUESTS);
const site = useTestApp();

let key: string;

beforeEach(async () => {
  await makeTables(site.db);
  await emptyCatalogue(site.db);
  await site.db.raw("truncate quests, camps, relations, catalogue_tombstones cascade");
  key = String(await createKey(site.db, (await site.createUser()).id, { name: "a key", expiry: "never" }));
  await insertRecords(site.db, "items", [
    { id: "knife", name: "Knife", category: "Tools" },
    { id: "iron", name: "Iron", names: { ru: "Железо" }, category: "Metals" },
  ]);
  await insertRecords(site.db, "houses", [{ id: "forge", name: "Forge" }]);
});

const relate = (records: unknown[]) => importRecords(site.db, "relations", records);
const ask = (path: string) => request(site.app).get(path).set("X-API-Key", key);

const IRON = {
  relation: "made-of",
  direction: "from",
  kind: "item",
  id: "iron",
  count: 2.5,
  chance: null,
  name: "Iron",
  names: { ru: "Железо" },
  category: "Metals",
  url: "http://almanac.test/items/iron",
};

describe("GET /api/{kind}/{id}/relations", () => {
  it("lists what leads from a record, then what leads to it, without what is not there", async () => {
    await relate([
      { from: "item:knife", kind: "made-of", to: "item:iron", count: 2.5 },
      { from: "item:knife", kind: "made-of", to: "item:ghost" },
      { from: "house:forge", kind: "makes", to: "item:knife", chance: 0.5 },
    ]);
    const { body } = await ask("/api/items/knife/relations").expect(200);
    expect(body).toEqual({
      total: 2,
      next: null,
      records: [
        IRON,
        expect.objectContaining({
          relation: "makes",
          direction: "to",
          kind: "house",
          id: "forge",
          chance: 0.5,
        }),
      ],
    });
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
    const idsOf = async (query: string) =>
      (await ask(`/api/items/knife/relations?${query}`).expect(200)).body.records.map(
        ({ id }: { id: string }) => id,
      );
    expect(await idsOf("relation=made-of")).toEqual(["iron", "iron"]);
    expect(await idsOf("direction=from")).toEqual(["iron", "forge"]);
    expect(await idsOf("relation=made-of&direction=to")).toEqual(["iron"]);
    expect(await idsOf("relation=nothing")).toEqual([]);
    const { body } = await ask("/api/items/knife/relations?lang=ru&fields=name,count&limit=1").expect(200);
    expect(body.records).toEqual([{ name: "Железо", count: 2.5 }]);
    const csv = await ask("/api/items/knife/relations?fields=relation,id")
      .set("Accept", "text/csv")
      .expect(200);
    expect(csv.text).toBe("relation,id\r\nmade-of,iron\r\nsold-at,forge\r\nmade-of,iron\r\n");
    const { body: wrong } = await ask("/api/items/knife/relations?direction=up&fields=colour").expect(400);
    expect(wrong.errors.map(({ param }: { param: string }) => param)).toEqual(["direction", "fields"]);
  });

  it("goes on after the last one of a page, whatever came and went meanwhile", async () => {
    const ids = Array.from({ length: 9 }, (_, place) => `part-${place}`);
    await insertRecords(
      site.db,
      "items",
      ids.map((id) => ({ id, name: id })),
    );
    await relate(ids.map((id) => ({ from: "item:knife", kind: "made-of", to: `item:${id}` })));
    const seen: string[] = [];
    let address: string | null = "http://almanac.test/api/items/knife/relations?limit=4";
    while (address) {
      const { pathname, search } = new URL(address);
      const { body, headers } = await ask(pathname + search).expect(200);
      expect(headers.link).toBe(body.next === null ? undefined : `<${body.next}>; rel="next"`);
      seen.push(...body.records.map(({ id }: { id: string }) => id));
      address = body.next;
      // The first one goes, which must hide no other.
      await site.db("relations").where({ to_id: "part-0" }).delete();
    }
    expect(seen).toEqual(ids);
    const { body } = await ask("/api/items/knife/relations?limit=2");
    const { search } = new URL(body.next);
    await ask(`/api/items/iron/relations${search}`).expect(400);
    await ask(`/api/items/knife/relations${search}&direction=to`).expect(400);
  });

  it("is there for kinds of the operator's own", async () => {
    await insertRecords(site.db, kind("quests"), [{ id: "hunt", name: "Hunt" }]);
    await relate([{ from: "quest:hunt", kind: "rewards", to: "item:knife" }]);
    const { body } = await ask("/api/quests/hunt/relations").expect(200);
    expect(body.records).toMatchObject([{ kind: "item", id: "knife" }]);
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
