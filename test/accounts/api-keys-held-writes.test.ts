import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
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
  await site.db.raw("truncate items, servers, donate_items, relations, catalogue_tombstones cascade");
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
    const again = await holdForm(
      site.app,
      placeOf(path),
      { ...headers, "X-API-Key": other.key },
      body,
      method,
    );
    expect((await again.finish()).status).toBe(200);
    expect(await everything()).not.toEqual(before);
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
});
