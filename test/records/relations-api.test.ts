import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { emptyTables } from "../helpers/database.ts";

const site = useTestApp();

beforeEach(async () => {
  await emptyTables(site.db, "relations");
  await emptyCatalogue(site.db);
  await insertRecords(site.db, "items", [
    { id: "knife", name: "Knife" },
    { id: "iron", name: "Iron" },
  ]);
  await insertRecords(site.db, "houses", [{ id: "map", name: "Map house" }]);
});

const relate = (records: unknown[]) => importRecords(site.db, "relations", records);
const ask = (query: Record<string, string | number>) => request(site.app).get("/api/relations").query(query);

describe("GET /api/relations", () => {
  it("lists an entry's relations at both ends", async () => {
    await relate([
      { from: "item:knife", kind: "made-of", to: "item:iron", count: 2.5 },
      { from: "item:knife", kind: "found-in", to: "house:map", chance: 0.125 },
      { from: "item:knife", kind: "taught-by", to: "item:knife" },
      { from: "item:knife", kind: "made-of", to: "item:ghost" },
    ]);
    const { body, headers } = await ask({ kind: "item", id: "knife" }).expect(200);
    const address = "http://almanac.test";
    const knife = { kind: "item", id: "knife", name: "Knife", url: `${address}/items/knife` };
    const iron = { kind: "item", id: "iron", name: "Iron", url: `${address}/items/iron` };
    const map = { kind: "house", id: "map", name: "Map house", url: `${address}/houses/~map` };
    const self = { relation: "taught-by", ...knife, count: null, chance: null };
    expect(body).toEqual({
      ...{ entity_kind: "item", entity_id: "knife", more: false },
      relations: [
        { relation: "found-in", direction: "from", ...map, count: null, chance: 0.125 },
        { relation: "made-of", direction: "from", ...iron, count: 2.5, chance: null },
        { ...self, direction: "from" },
        { ...self, direction: "to" },
      ],
    });
    expect(headers.etag).toBeDefined();
    const reverse = await ask({ kind: "item", id: "iron" }).expect(200);
    expect(reverse.body.relations).toMatchObject([{ relation: "made-of", direction: "to", id: "knife" }]);
  });

  it("returns them in parts without gaps and repetitions", async () => {
    const ids = Array.from({ length: 60 }, (_, n) => `t${n}`);
    const records = ids.map((id) => ({ id }));
    await insertRecords(site.db, "items", records);
    await relate([
      ...ids.map((id) => ({ from: "item:knife", kind: "made-of", to: `item:${id}` })),
      ...ids.map((id) => ({ from: `item:${id}`, kind: "made-of", to: "item:knife" })),
    ]);
    const seen: string[] = [];
    for (let offset = 0, more = true; more; offset += 50) {
      const { body } = await ask({ kind: "item", id: "knife", limit: 50, offset }).expect(200);
      seen.push(...body.relations.map((each: { direction: string; id: string }) => each.direction + each.id));
      more = body.more;
    }
    expect(seen).toHaveLength(120);
    expect(new Set(seen).size).toBe(120);
    expect(seen.slice(0, 2)).toEqual(["fromt0", "fromt1"]);
    const { body } = await ask({ kind: "item", id: "knife", offset: 10_000 }).expect(200);
    expect(body).toMatchObject({ relations: [], more: false });
  });

  it("is empty for an entry without relations, and 404 for an unknown entry", async () => {
    await relate([{ from: "item:ghost", kind: "made-of", to: "item:iron" }]);
    expect((await ask({ kind: "item", id: "knife" }).expect(200)).body.relations).toEqual([]);
    const { body } = await ask({ kind: "item", id: "ghost" }).expect(404);
    expect(body.detail).toBe("There is no such entry.");
    await ask({ kind: "vehicle", id: "knife" }).expect(404);
  });

  it("lists everything that is wrong with a request", async () => {
    const { body } = await ask({ kind: "gnome", limit: 51, offset: -1 }).expect(400);
    const params = body.errors.map(({ param }: { param: string }) => param);
    expect(params.sort()).toEqual(["id", "kind", "limit", "offset"]);
    for (const id of ["'; drop table relations; --", "%", "a\u202eb", "x".repeat(200)])
      await ask({ kind: "item", id }).expect(404);
    await ask({ kind: "item", id: "\0" }).expect(400);
  });

  it("is open to everybody except for callers with a wrong key", async () => {
    await ask({ kind: "item", id: "knife" }).set("X-API-Key", "wrong").expect(401);
    const { headers } = await ask({ kind: "item", id: "knife" }).expect(200);
    expect(headers["access-control-allow-origin"]).toBe("*");
  });
});
