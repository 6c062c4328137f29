import request from "supertest";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue } from "../helpers/catalogue.ts";
import { emptyTables } from "../helpers/database.ts";
import { addWriteKey } from "../helpers/write-keys.ts";

const site = useTestApp();
let key: string;

beforeAll(async () => {
  ({ key } = await addWriteKey(site.db, (await site.createUser()).id));
});

beforeEach(async () => {
  await emptyCatalogue(site.db);
  await emptyTables(site.db, "servers, donate_items, relations");
});

function send(records: unknown, path = "/api/items") {
  return request(site.app)
    .post(path)
    .set("X-API-Key", key)
    .send({ records } as object);
}

const items = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: `i${n}`, name: `Item ${n}` }));

describe("a batch of records", () => {
  it("is one import, and returns what it changed", async () => {
    const { body } = await send(items(1_000)).expect(200);
    const all = { records: 1000, added: 1000, changed: 0, unchanged: 0, warnings: [] };
    expect(body).toEqual({ dry_run: false, ...all });
    const again = await send([
      { id: "i1", name: "Other" },
      { id: "i2", name: "Item 2" },
    ]).expect(200);
    expect(again.body).toMatchObject({ added: 0, changed: 1, unchanged: 1 });
    expect(await site.db("imports").where({ kind: "items" })).toHaveLength(2);
  });

  /** What no text can be made of, and what Postgres cannot store. */
  const HOSTILE = [{ toString: 1, valueOf: 1 }, [{ toString: null }], "a\0b", "\ud800", null, 1e300];

  it.each(["/api/items", "/api/servers", "/api/donate-items", "/api/discounts", "/api/relations"])(
    "refuses hostile ids and values in %s, each by its index",
    async (path) => {
      const named = { name: "A", item_key: "vip", title: "A", percent: 5, price: "1", currency: "EUR" };
      const fields = ["id", "name", "announced", "status", "starts_at", "attributes", "kind"];
      const records = fields.flatMap((field) =>
        HOSTILE.map((value, index) => ({ id: `${field}-${index}`, ...named, [field]: value })),
      );
      const { body } = await send(records, path).expect(400);
      const wrong: number[] = body.records.map(({ index }: { index: number }) => index);
      expect(wrong).toContain(records.findIndex(({ id }) => id === "a\0b"));
      // The database can store every record that is not refused.
      const right = records.filter((_, index) => !wrong.includes(index));
      await send(right, path).expect(right.length > 0 ? 200 : 400);
    },
  );

  it("keeps fields that none of its records has", async () => {
    await send([{ id: "a", name: "A", category: "Guns", attributes: { price: 1 } }]).expect(200);
    await send([{ id: "a", name: "B" }]).expect(200);
    const item = { name: "B", category: "Guns", attributes: { price: 1 } };
    expect(await site.db("items").first("name", "category", "attributes")).toEqual(item);
  });

  it("accepts the records of a list", async () => {
    await send(items(3)).expect(200);
    const { body } = await request(site.app).get("/api/items").set("X-API-Key", key).expect(200);
    const { body: answer } = await send(body.records).expect(200);
    expect(answer).toMatchObject({ records: 3, unchanged: 3 });
  });

  it("may be NDJSON", async () => {
    const lines = items(2)
      .map((item) => JSON.stringify(item))
      .join("\n");
    const post = (body: string, type = "application/x-ndjson") =>
      request(site.app).post("/api/items").set("X-API-Key", key).set("Content-Type", type).send(body);
    await post(`${lines}\n`).expect(200);
    const { body } = await post(`${lines}\n{"id":`).expect(400);
    expect(body.errors[0].param).toBe("records[2]");
    await post(lines, "text/csv").expect(415);
  });

  it("writes nothing if one record is wrong, and lists each by index, id and path", async () => {
    const records = [
      { id: "a", name: "A" },
      { id: "b", name: "" },
      { name: "C", popularity: "much" },
      7,
      { id: "a", name: "again" },
      { id: "e", nmae: "E", name: "E" },
    ];
    const { body } = await send(records).expect(400);
    expect(body.records.map(({ index, id, path }: Record<string, unknown>) => [index, id, path])).toEqual([
      [1, "b", "name"],
      [2, null, "id"],
      [2, null, "popularity"],
      [3, null, ""],
      [4, "a", "id"],
      [5, "e", "nmae"],
    ]);
    const params = body.errors.map(({ param }: { param: string }) => param.replace("records", ""));
    expect(params).toEqual(["[1].name", "[2].id", "[2].popularity", "[3]", "[4].id", "[5].nmae"]);
    expect(body.records[4].message).toBe("repeats that of records[0]");
    // All are listed, not only the first fifty.
    const many = await send(items(80).map((item) => ({ ...item, name: "" }))).expect(400);
    expect(many.body.records).toHaveLength(80);
    expect(await site.db("items")).toEqual([]);
  });

  it("reports in a dry run what it would change, and changes nothing", async () => {
    await send(items(2)).expect(200);
    const records = [
      { id: "i0", name: "Other" },
      { id: "new", name: "New" },
    ];
    const dry = (form: unknown) => send(form, "/api/items?dry_run=true");
    const { body } = await dry(records).set("Idempotency-Key", "dry").expect(200);
    expect(body).toMatchObject({ dry_run: true, added: 1, changed: 1 });
    expect(await site.db("items").pluck("name")).toEqual(["Item 0", "Item 1"]);
    await dry([{ id: "x" }]).expect(400);
    // It claims no name.
    await send(records).set("Idempotency-Key", "dry").expect(200);
    await send(records, "/api/items?dry_run=maybe").expect(400);
  });

  it("has 1 to 1,000 records and 5 MiB", async () => {
    for (const records of [[], items(1_001), "all", undefined]) await send(records).expect(400);
    await send([{ id: "a", name: "A", description: "a".repeat(5_300_000) }]).expect(413);
    expect(await site.db("items")).toEqual([]);
  });

  it("takes effect once under one Idempotency-Key", async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => send(items(3)).set("Idempotency-Key", "batch")),
    );
    for (const { status, body } of answers) expect([status, body.added]).toEqual([200, 3]);
    await send(items(4)).set("Idempotency-Key", "batch").expect(422);
    expect(await site.db("items").max("revision")).toEqual([{ max: 1 }]);
  });

  it("writes relations and servers too", async () => {
    await send(items(2)).expect(200);
    const relations = [{ from: "item:i0", kind: "made-of", to: "item:i1", count: 2 }];
    await send(relations, "/api/relations").expect(200);
    const { body } = await send([{ from: "item:i0", kind: "made-of", to: "item:none" }], "/api/relations");
    expect(body.warnings[0]).toContain("item:none");
    expect(await site.db("relations").pluck("to_id")).toEqual(["i1", "none"]);
    await send([{ id: "s", name: "S", online: 7 }], "/api/servers").expect(200);
    expect(await site.db("servers").first("name", "online")).toEqual({ name: "S", online: null });
  });
});
