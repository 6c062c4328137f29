import type { Knex } from "knex";
import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { revokeGrant } from "../../src/accounts/keys/grant-queries.ts";
import { revokeKey } from "../../src/accounts/keys/queries.ts";
import { isScope } from "../../src/words/scopes.ts";
import { useTestApp } from "../helpers/app.ts";
import { openTransaction, waitForLocks } from "../helpers/database.ts";
import { declaredEndpoints } from "../helpers/declared-endpoints.ts";
import { holdForm } from "../helpers/raw-http.ts";
import { addServer } from "../helpers/servers.ts";
import { addDonateItem, addEntity } from "../helpers/things.ts";
import { addWriteKey } from "../helpers/write-keys.ts";

const site = useTestApp();

interface Writer {
  readonly userId: number;
  readonly id: number;
  readonly key: string;
}

async function newWriter(): Promise<Writer> {
  const { id: userId } = await site.createUser();
  return { userId, ...(await addWriteKey(site.db, userId)) };
}

/** Every operation that writes with a key, as its method and path; of the catalogue's kinds, those of items. */
const WRITES = declaredEndpoints()
  .filter(({ method, access }) => method !== "GET" && isScope(access))
  .filter(({ path }) => !/\/(vehicles|scripts|houses|businesses)\b/.test(path))
  .map(({ method, path }) => [method, path] as const);

const DAY = { starts_at: "2026-01-01", ends_at: "2026-01-02" };

/** A record of each kind as it is sent, and a batch of one. */
function bodyFor(method: string, path: string): unknown {
  if (path.endsWith("/measurements")) return { online: 5 };
  if (path === "/api/relations")
    return { records: [{ from: "item:held", kind: "made-of", to: "item:other", count: 3 }] };
  const kind = path.split("/")[2];
  const id = kind === "servers" ? "far" : "held";
  const fields = {
    servers: { name: "Changed" },
    "donate-items": { name: "Changed", price: "1.00", currency: "EUR" },
    discounts: { item_key: "held", percent: 10, ...DAY },
  }[kind ?? ""] ?? { name: "Changed" };
  if (method === "PATCH") return kind === "discounts" ? { title: "Changed" } : { name: "Changed" };
  return method === "PUT" ? fields : { records: [{ id, ...fields }] };
}

const placeOf = (path: string) => path.replace("{id}", path.startsWith("/api/servers/") ? "far" : "held");

beforeEach(async () => {
  for (const table of ["discounts", "relations", "items", "servers", "donate_items", "catalogue_tombstones"])
    await site.db(table).delete();
  for (const id of ["held", "other"]) await addEntity(site.db, "items", id);
  await addServer(site.db, { id: "far", name: "Far" });
  await addDonateItem(site.db, "held");
  await site.db("discounts").insert({ id: "held", item_key: "held", percent: 50, ...DAY });
});

/** All that these writes could change. */
async function everything(): Promise<unknown> {
  const tables = ["items", "servers", "donate_items", "discounts", "relations"];
  const more = [...tables, "online_records", "write_answers", "catalogue_tombstones"];
  return Promise.all(more.map((table) => site.db(table).orderByRaw("1, 2")));
}

/** The ways to revoke a key's right to write, and the answer then. */
const ENDS: [how: string, status: number, end: (writer: Writer) => PromiseLike<unknown>][] = [
  ["the key is revoked", 401, ({ userId, id }) => revokeKey(site.db, userId, id)],
  ["the key expires", 401, ({ id }) => expire(site.db, id)],
  ["the grant is taken back", 403, ({ id }) => takeBack(id)],
  ["the user is deleted", 401, ({ userId }) => site.db("users").where({ id: userId }).delete()],
];

const takeBack = async (id: number) => {
  await revokeGrant(site.db, id, "write:records");
  await revokeGrant(site.db, id, "write:servers");
};

const expire = (db: Knex, id: number) => {
  const [created_at, expires_at] = [2, 1].map((days) => db.raw(`now() - interval '${days} days'`));
  return db("api_keys").where({ id }).update({ created_at, expires_at });
};

describe("a write whose body is held back", () => {
  const withBody = WRITES.filter(([method]) => method !== "DELETE");

  it.each(withBody)("stores nothing once the key is revoked: %s %s", async (method, path) => {
    const writer = await newWriter();
    const headers = { "X-API-Key": writer.key, "Content-Type": "application/json", "Idempotency-Key": "one" };
    const body = JSON.stringify(bodyFor(method, path));
    const held = await holdForm(site.app, placeOf(path), headers, body, method);
    const before = await everything();
    await revokeKey(site.db, writer.userId, writer.id);
    expect((await held.finish()).status).toBe(401);
    expect(await everything()).toEqual(before);
    // It would have been stored.
    const other = await newWriter();
    await request(site.app)
      [method.toLowerCase() as "put"](placeOf(path))
      .set({ ...headers, "X-API-Key": other.key })
      .send(body)
      .expect(200);
    expect(await everything()).not.toEqual(before);
  });

  it.each(ENDS)("stores nothing once %s", async (_how, status, end) => {
    for (const [method, path] of [
      ["POST", "/api/servers/{id}/measurements"],
      ["POST", "/api/items"],
      ["PATCH", "/api/items/{id}"],
    ] as const) {
      const writer = await newWriter();
      const headers = { "X-API-Key": writer.key, "Content-Type": "application/json" };
      const body = JSON.stringify(bodyFor(method, path));
      const held = await holdForm(site.app, placeOf(path), headers, body, method);
      const before = await everything();
      await end(writer);
      expect([path, (await held.finish()).status]).toEqual([path, status]);
      expect(await everything()).toEqual(before);
    }
  });

  it("stores nothing in the middle of lines of NDJSON either", async () => {
    const writer = await newWriter();
    const headers = { "X-API-Key": writer.key, "Content-Type": "application/x-ndjson" };
    const lines = ['{"id":"held","name":"Changed"}', '{"id":"new","name":"New"}', ""].join("\n");
    const held = await holdForm(site.app, "/api/items", headers, lines);
    const before = await everything();
    await revokeKey(site.db, writer.userId, writer.id);
    expect((await held.finish()).status).toBe(401);
    expect(await everything()).toEqual(before);
  });
});

describe("a write that takes long in the database", () => {
  it.each(WRITES)("is undone where the key is revoked meanwhile: %s %s", async (method, path) => {
    const { userId, id, key } = await newWriter();
    const before = await everything();
    const lock = await openTransaction(site.db);
    // Each write comes to one of these after it has begun.
    await lock.raw("lock table items, servers, donate_items, discounts, relations in share mode");
    const sending = request(site.app)
      [method.toLowerCase() as "put"](placeOf(path))
      .set("X-API-Key", key)
      .send(method === "DELETE" ? undefined : (bodyFor(method, path) as object))
      .then(({ status }) => status);
    await waitForLocks(site.db, 1);
    await revokeKey(site.db, userId, id);
    await lock.rollback();
    expect(await sending).toBe(403);
    expect(await everything()).toEqual(before);
  });

  it("is refused alone among those that wait, and the others are stored", async () => {
    const [revoked, other] = [await newWriter(), await newWriter()];
    const lock = await openTransaction(site.db);
    await lock.raw("lock table items in share mode");
    const put = (id: string, { key }: Writer) =>
      request(site.app)
        .put(`/api/items/${id}`)
        .set("X-API-Key", key)
        .send({ name: id })
        .then(({ status }) => status);
    const first = put("first", other);
    await waitForLocks(site.db, 1);
    const sent = [put("a", other), put("b", revoked), put("c", other)];
    const waiting = Promise.all([first, ...sent]);
    await revokeGrant(site.db, revoked.id, "write:records");
    await lock.rollback();
    expect((await waiting).toSorted()).toEqual([201, 201, 201, 403]);
    const stored = site.db("items").whereNotIn("id", ["held", "other"]).orderBy("id");
    expect(await stored.pluck("id")).toEqual(["a", "c", "first"]);
  });

  it("is committed before the user who revokes the key gets the answer", async () => {
    const { userId, id, key } = await newWriter();
    const grant = await openTransaction(site.db);
    await site.keys.isAllowed(grant, { keyId: id, scope: "write:records" });
    const revoking = revokeKey(site.db, userId, id);
    const order: string[] = [];
    const revoked = revoking.then(() => order.push("revoked"));
    await waitForLocks(site.db, 1);
    order.push("committed");
    await grant.commit();
    await revoked;
    expect(order).toEqual(["committed", "revoked"]);
    await request(site.app).put("/api/items/held").set("X-API-Key", key).send({ name: "x" }).expect(401);
  });
});
