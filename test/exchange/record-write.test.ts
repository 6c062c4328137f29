import pino from "pino";
import request from "supertest";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ChangeFeed } from "../../src/db/change-feed.ts";
import { BUILT_IN_KINDS } from "../../src/words/kinds/kinds.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue } from "../helpers/catalogue.ts";
import { emptyTables, openTransaction, shortenLockTimeouts, waitForLocks } from "../helpers/database.ts";
import { addWriteKey } from "../helpers/write-keys.ts";

const site = useTestApp();

let key: string;
let keyId: number;

beforeAll(async () => {
  ({ key, id: keyId } = await addWriteKey(site.db, (await site.createUser()).id));
});

beforeEach(async () => {
  await emptyCatalogue(site.db);
  await emptyTables(site.db, "servers, donate_items, discounts, relations, catalogue_tombstones");
});

type Method = "get" | "put" | "patch" | "delete" | "post";

function ask(method: Method, path: string, body?: object | string) {
  const test = request(site.app)[method](path).set("X-API-Key", key);
  if (body === undefined) return test;
  const type = method === "patch" ? "application/merge-patch+json" : "application/json";
  return test.set("Content-Type", type).send(body);
}

const revisions = async (id: string) => (await site.db("items").where({ id }).first("revision"))?.revision;

describe("PUT of a record", () => {
  it("makes it, with its address and what a read of it answers, then replaces it", async () => {
    const made = await ask("put", "/api/items/ak%2F47", { name: "AK", category: "Guns" }).expect(201);
    expect(made.headers.location).toBe("http://almanac.test/api/items/ak%2F47");
    expect(made.body).toMatchObject({ kind: "item", id: "ak/47", name: "AK", category: "Guns" });
    const read = await ask("get", "/api/items/ak%2F47").expect(200);
    expect(read.body).toEqual(made.body);
    expect(read.headers.etag).toBe(made.headers.etag);
    const changed = await ask("put", "/api/items/ak%2F47", { name: "AK-47" }).expect(200);
    expect(changed.body).toMatchObject({ name: "AK-47", category: null });
    expect(changed.headers).not.toHaveProperty("location");
    expect(changed.headers.etag).not.toBe(made.headers.etag);
  });

  it("empties the descriptions of languages that it leaves out or names as empty", async () => {
    for (const empty of [{}, { descriptions: {} }, { descriptions: null }]) {
      await ask("put", "/api/items/a", { name: "A", descriptions: { ru: "Текст" } });
      const { body } = await ask("put", "/api/items/a", { name: "A", ...empty });
      expect(body.descriptions, JSON.stringify(empty)).toEqual({});
    }
  });

  it("trims the id of the path, as an import trims ids, and refuses one that an import refuses", async () => {
    for (const id of ["%20a", "a%20", "%C2%A0a", "%EF%BB%BFa"])
      expect((await ask("put", `/api/items/${id}`, { name: id })).body, id).toMatchObject({
        id: "a",
        name: id,
      });
    await ask("patch", "/api/items/a%20", { name: "B" }).expect(200);
    await ask("delete", "/api/items/%20a").expect(204);
    const { body } = await ask("put", "/api/items/a%07", { name: "A" }).expect(400);
    expect(body.errors).toEqual([expect.objectContaining({ param: "id" })]);
  });

  it("takes the answer of a read as it is, and changes nothing then, for each kind", async () => {
    const entry = {
      ...{ name: "One", names: { en: "One", ru: "Один" }, category: "Guns", image: "/pictures/one.png" },
      ...{ description: "**Bold**", descriptions: { ru: "Текст" }, popularity: 4 },
      attributes: { x: 1, y: 2, z: 3, price: 900, tags: ["a"] },
    };
    const server = { name: "One", game: "samp", url: "https://one.example", position: 7, adapter: "gamedig" };
    const offer = { name: "One", price: "12.50", currency: "EUR", entity_kind: "item", entity_id: "one" };
    const discount = { item_key: "one", starts_at: "2026-01-01T00:00:00Z" };
    const records: [path: string, body: object][] = [
      ...BUILT_IN_KINDS.map((kind): [string, object] => [`/api/${kind}/one`, entry]),
      ["/api/servers/one", { ...server, adapter_options: { type: "gtasam" } }],
      ["/api/donate-items/one", offer],
      ["/api/discounts/one", { ...discount, title: "Less", percent: 25, announced: true }],
      ["/api/discounts/two", { ...discount, price: "5.00", ends_at: "2026-01-02T00:00:00Z" }],
    ];
    for (const [path, body] of records) {
      await ask("put", path, body).expect(201);
      const [table = "", id = ""] = path.slice("/api/".length).replace("-", "_").split("/");
      const before = await site.db(table).where({ id }).first();
      expect(before, path).toBeDefined();
      const { body: read } = await ask("get", path).expect(200);
      await ask("put", path, read).expect(200);
      expect(await site.db(table).where({ id }).first(), path).toEqual(before);
    }
  });

  it("brings back one that was removed, with its history", async () => {
    await ask("put", "/api/items/a", { name: "A" }).expect(201);
    await ask("delete", "/api/items/a").expect(204);
    await ask("put", "/api/items/a", { name: "B" }).expect(201);
    expect(await revisions("a")).toBe(2);
    expect(await site.db("catalogue_tombstones")).toEqual([]);
  });

  it("keeps the picture, which reads do not return, unless it is null", async () => {
    const image = "https://pictures.example/a.png";
    await ask("put", "/api/items/a", { name: "A", image }).expect(201);
    await ask("put", "/api/items/a", { name: "B" }).expect(200);
    expect(await site.db("items").first("name", "image")).toEqual({ name: "B", image });
    await ask("put", "/api/items/a", { name: "B", image: null }).expect(200);
    expect(await site.db("items").first("image")).toEqual({ image: null });
  });

  const wrong: [what: string, body: object | string, params: string[]][] = [
    ["no name", { category: "a" }, ["name"]],
    [
      "several wrong fields",
      { name: "A", popularity: -1, names: { a_b_c: "B" } },
      ["popularity", "names.a_b_c"],
    ],
    ["a member that is none", { nmae: "A", name: "A" }, ["nmae"]],
    ["another id", { id: "b", name: "A" }, ["id"]],
    ["another kind", { kind: "vehicle", name: "A" }, ["kind"]],
    ["a list", "[]", ["body"]],
    ["no JSON", "{", ["body"]],
    ["nothing", "", ["body"]],
  ];
  it.each(wrong)("refuses %s with its name", async (_what, body, params) => {
    const { body: problem } = await ask("put", "/api/items/a", body).expect(400);
    const named = problem.errors.map(({ param }: { param: string }) => param);
    expect(named.sort()).toEqual([...params].sort());
    expect(await site.db("items")).toEqual([]);
  });

  it("refuses other types, too large bodies and what is no UTF-8", async () => {
    const put = (type: string, body: string | Buffer) =>
      request(site.app)
        .put("/api/items/a")
        .set("X-API-Key", key)
        .set("Content-Type", type)
        .serialize((raw) => raw)
        .send(body);
    await put("text/plain", "{}").expect(415);
    await put("application/x-www-form-urlencoded", "name=a").expect(415);
    await put("application/json", `{"name":"${"a".repeat(600_000)}"}`).expect(413);
    const { body } = await put("application/json", Buffer.from([0x7b, 0xff, 0x7d])).expect(400);
    expect(body.errors[0].message).toContain("UTF-8");
  });

  it("writes only if the conditions hold", async () => {
    const put = (headers: Record<string, string>, name: string) =>
      ask("put", "/api/items/a", { name }).set(headers);
    await put({ "If-Match": "*" }, "A").expect(412);
    const { headers } = await put({ "If-None-Match": "*" }, "A").expect(201);
    await put({ "If-None-Match": "*" }, "B").expect(412);
    await put({ "If-Match": '"other"' }, "B").expect(412);
    await put({ "If-Match": `W/${headers.etag}` }, "B").expect(412);
    await put({ "If-Match": `"other", ${headers.etag}` }, "B").expect(200);
    await put({ "If-Match": String(headers.etag) }, "C").expect(412);
    await put({ "If-Match": "*" }, "C").expect(200);
    await put({ "If-Match": "nonsense" }, "D").expect(400);
    await put({ "If-None-Match": '"x"' }, "D").expect(400);
    expect(await site.db("items").first("name")).toEqual({ name: "C" });
  });

  it("names the reason of a 412: a changed or a missing record", async () => {
    const change = (method: "patch" | "delete") =>
      ask(method, "/api/items/a", method === "patch" ? { name: "B" } : undefined).set("If-Match", '"x"');
    const missing = "There is no such record (If-Match).";
    expect((await change("patch").expect(412)).body.detail).toBe(missing);
    await ask("put", "/api/items/a", { name: "A" }).expect(201);
    expect((await change("patch").expect(412)).body.detail).toContain("has changed");
    await ask("delete", "/api/items/a").expect(204);
    expect((await change("delete").expect(412)).body.detail).toBe(missing);
  });

  it("matches the tag of a read in any encoding", async () => {
    const body = { name: "A", description: "long ".repeat(400) };
    await ask("put", "/api/items/a", body).expect(201);
    const read = await ask("get", "/api/items/a").set("Accept-Encoding", "gzip").expect(200);
    expect(read.headers.etag).toMatch(/-gzip"$/);
    await ask("put", "/api/items/a", body).set("If-Match", String(read.headers.etag)).expect(200);
  });
});

describe("PATCH of a record", () => {
  it("changes what it names, merges objects, and empties by null (RFC 7396)", async () => {
    const body = { name: "A", category: "Guns", attributes: { price: 900, ammo: { kind: "x", size: 7 } } };
    await ask("put", "/api/items/a", body).expect(201);
    const patch = { category: null, attributes: { price: 750, ammo: { size: null } } };
    const { body: record } = await ask("patch", "/api/items/a", patch).expect(200);
    expect(record).toMatchObject({ name: "A", category: null });
    expect(record.attributes).toEqual({ price: 750, ammo: { kind: "x" } });
    await ask("patch", "/api/items/a", { name: null }).expect(400);
    await ask("patch", "/api/items/a", {}).expect(200);
    expect(await revisions("a")).toBe(2);
  });

  it("shows in the next read of its process, although reads are cached", async () => {
    const feed = new ChangeFeed({ db: site.db, log: pino({ level: "silent" }), maxAgeMs: 60_000 });
    const app = await site.another({}, { feed });
    const path = "/api/items/a";
    const read = () => request(app).get(path).set("X-API-Key", key).expect(200);
    await ask("put", path, { name: "A" }).expect(201);
    for (let n = 0; n < 3; n++) await read();
    const patch = request(app).patch(path).set("X-API-Key", key).send({ name: "B" });
    const { headers } = await patch.expect(200);
    expect((await read()).headers.etag).toBe(headers.etag);
  });

  it("is 404 for an unknown record and 410 for a removed one, as DELETE is", async () => {
    const change = (method: "patch" | "delete") =>
      ask(method, "/api/items/a", method === "patch" ? { name: "B" } : undefined);
    await change("patch").expect(404);
    await change("delete").expect(404);
    await ask("put", "/api/items/a", { name: "A" }).expect(201);
    await ask("delete", "/api/items/a").expect(204);
    for (const answer of [await change("patch").expect(410), await change("delete").expect(410)])
      expect(answer.body).toHaveProperty("removed_at");
  });

  it("of a shop item refuses an entry that it cannot read, and keeps the link", async () => {
    const link = { entity_kind: "item", entity_id: "zz" };
    await ask("put", "/api/donate-items/a", { name: "A", price: 10, currency: "EUR", ...link }).expect(201);
    const unreadable = ["item:zz", 5, [1], {}, { kind: "item" }, { id: null, kind: "item" }];
    const bodies = [...unreadable.map((entry) => ({ entry })), { entry: null, entity_id: "other" }];
    for (const body of bodies) {
      const { body: problem } = await ask("patch", "/api/donate-items/a", body).expect(400);
      expect(problem.errors, JSON.stringify(body)).toEqual([expect.objectContaining({ param: "entry" })]);
    }
    const batch = { records: [{ id: "a", name: "A", entry: "item:zz" }] };
    const { body: problem } = await ask("post", "/api/donate-items", batch).expect(400);
    expect(problem.errors[0].param).toBe("records[0].entry");
    expect(await site.db("donate_items").first("entity_kind", "entity_id")).toEqual(link);
    await ask("patch", "/api/donate-items/a", { entry: { kind: "item", id: 7 } }).expect(200);
    expect(await site.db("donate_items").first("entity_id")).toEqual({ entity_id: "7" });
    await ask("patch", "/api/donate-items/a", { entry: null }).expect(200);
    expect(await site.db("donate_items").first("entity_id")).toEqual({ entity_id: null });
  });

  it("names what is wrong by the names of the body", async () => {
    const wrong = async (path: string, body: object) => {
      const { body: problem } = await ask("patch", path, body).expect(400);
      return problem.errors.map(({ param }: { param: string }) => param);
    };
    await ask("put", "/api/servers/a", { name: "A" }).expect(201);
    expect(await wrong("/api/servers/a", { website: "nope" })).toEqual(["website"]);
    expect(await wrong("/api/servers/a", { url: "nope" })).toEqual(["url"]);
    await ask("put", "/api/donate-items/a", { name: "A", price: 10, currency: "EUR" }).expect(201);
    expect(await wrong("/api/donate-items/a", { entry: { kind: "zz", id: "1" } })).toEqual(["entry.kind"]);
    expect(await wrong("/api/donate-items/a", { entity_kind: "zz", entity_id: "1" })).toEqual([
      "entity_kind",
    ]);
    const batch = {
      records: [{ id: "a", name: "A", price: 1, currency: "EUR", entry: { kind: "zz", id: 1 } }],
    };
    const { body } = await ask("post", "/api/donate-items", batch).expect(400);
    expect(body.errors[0].param).toBe("records[0].entry.kind");
  });

  it("of a server keeps its measured state and how it is polled", async () => {
    const adapter = { adapter: "gamedig", adapter_options: { type: "gtasam" } };
    await ask("put", "/api/servers/a", { name: "A", ...adapter }).expect(201);
    await site.db("servers").update({ status: "online", online: 5, checked_at: site.db.fn.now() });
    await ask("patch", "/api/servers/a", { website: "https://a.example", online: 99 }).expect(200);
    expect(await site.db("servers").first("url", "online", "adapter", "adapter_options")).toEqual({
      ...{ url: "https://a.example", online: 5, ...adapter },
    });
  });
});

describe("DELETE of a record", () => {
  it("leaves a tombstone, and may require the record as it was read", async () => {
    const { headers } = await ask("put", "/api/items/a", { name: "A" });
    await ask("delete", "/api/items/a").set("If-Match", '"x"').expect(412);
    await ask("delete", "/api/items/a").set("If-Match", String(headers.etag)).expect(204);
    await ask("get", "/api/items/a").expect(410);
    const tombstones = await site.db("catalogue_tombstones").select("kind", "id", "import_id");
    expect(tombstones).toEqual([{ kind: "items", id: "a", import_id: expect.anything() }]);
  });
});

describe("who may write", () => {
  it("is a key with the scope of the kind, and nobody else", async () => {
    const { id } = await site.createUser();
    const { key: ofServers } = await addWriteKey(site.db, id, ["write:servers"]);
    const { key: ofRecords } = await addWriteKey(site.db, id, ["write:records"]);
    const put = (path: string) => request(site.app).put(path).send({ name: "A" });
    await put("/api/items/a").set("X-API-Key", ofServers).expect(403);
    await put("/api/servers/a").set("X-API-Key", ofRecords).expect(403);
    await put("/api/items/a").set("X-API-Key", ofRecords).expect(201);
    await put("/api/servers/a").set("X-API-Key", ofServers).expect(201);
    await put("/api/items/a").expect(401);
    const { agent } = await site.logIn(await site.createUser({ role: "operator" }));
    await agent.put("/api/items/a").send({ name: "A" }).expect(401);
    await put("/api/items/a").set("X-API-Key", ofRecords).set("Sec-Fetch-Site", "cross-site").expect(403);
  });

  it("is 405 with the possible methods for another method", async () => {
    const { headers } = await ask("post", "/api/items/a").expect(405);
    expect(headers.allow).toBe("GET, HEAD, PUT, PATCH, DELETE, OPTIONS");
  });
});

describe("many writes at once", () => {
  it("have an outcome each, in one order for a record, and refuse no other", async () => {
    const names = Array.from({ length: 40 }, (_, n) => (n % 5 === 4 ? "" : `Name ${n}`));
    const answers = await Promise.all(names.map((name, n) => ask("put", `/api/items/r${n % 8}`, { name })));
    for (const [n, { status }] of answers.entries())
      expect(names[n] === "" ? [400] : [200, 201], names[n]).toContain(status);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(8);
    const rows = await site.db("items").select("id", "revision");
    expect(rows.reduce((sum, { revision }) => sum + revision, 0)).toBe(32);
  });

  it("refuse a discount of an unknown item, and accept those that are right", async () => {
    await ask("put", "/api/donate-items/a", { name: "A", price: 10, currency: "EUR" }).expect(201);
    const discount = (item_key: string) => ({ item_key, percent: 10, starts_at: "2030-01-01T00:00:00Z" });
    const [right, wrong] = await Promise.all([
      ask("put", "/api/discounts/a", discount("a")),
      ask("put", "/api/discounts/b", discount("nothing")),
    ]);
    expect([right.status, wrong.status]).toEqual([201, 400]);
    expect(wrong.body.errors[0].param).toBe("item_key");
    expect(right.body).toMatchObject({ id: "a", phase: "coming" });
    await ask("get", "/api/discounts/a").expect(404);
  });

  it("refuse a discount whose item is removed at the same time", async () => {
    await ask("put", "/api/donate-items/a", { name: "A", price: 10, currency: "EUR" }).expect(201);
    const removal = await openTransaction(site.db);
    await removal("donate_items").delete();
    const discount = { item_key: "a", percent: 10, starts_at: "2030-01-01T00:00:00Z" };
    const written = ask("put", "/api/discounts/a", discount).then((answer) => answer);
    await waitForLocks(site.db, 1);
    await removal.commit();
    const { status, body } = await written;
    expect([status, body.errors]).toEqual([400, [expect.objectContaining({ param: "item_key" })]]);
  });

  it("change a discount whose item is removed at the same time without a deadlock", async () => {
    await ask("put", "/api/donate-items/a", { name: "A", price: 10, currency: "EUR" }).expect(201);
    const discount = { item_key: "a", percent: 10, starts_at: "2030-01-01T00:00:00Z" };
    await ask("put", "/api/discounts/a", discount).expect(201);
    const removal = await openTransaction(site.db);
    await removal.raw("select from donate_items for update");
    const written = ask("put", "/api/discounts/a", { ...discount, percent: 20 }).then((answer) => answer);
    await waitForLocks(site.db, 1);
    await removal("donate_items").delete();
    await removal.commit();
    expect((await written).status).toBe(400);
  });

  it("wait for an import of the kind, and get 503 if it takes long", async () => {
    shortenLockTimeouts();
    const held = await openTransaction(site.db);
    await held.raw("select pg_advisory_xact_lock(hashtext('almanac import items'))");
    const waiting = ["a", "b", "c"].map((id) =>
      ask("put", `/api/items/${id}`, { name: "A" }).then((answer) => answer),
    );
    await ask("put", "/api/vehicles/a", { name: "A" }).expect(201);
    const { headers, body } = await Promise.race(waiting);
    // Each of them would be written now if it had waited by itself, after the one before it.
    await held.rollback();
    expect(headers["retry-after"]).toBe("5");
    expect(body.detail).toContain("import");
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([503, 503, 503]);
    await ask("put", "/api/items/a", { name: "A" }).expect(201);
  });
});

describe("Idempotency-Key", () => {
  const put = (name: string, idempotency: string, path = "/api/items/a") =>
    ask("put", path, { name }).set("Idempotency-Key", idempotency);

  it("returns the first answer to a repeat and changes nothing, whatever has happened since", async () => {
    const first = await put("A", "one").expect(201);
    await put("B", "two").expect(200);
    const again = await put("A", '"one"').expect(201);
    expect(again.body).toEqual(first.body);
    expect(again.headers).toMatchObject({ etag: first.headers.etag, location: first.headers.location });
    expect(await revisions("a")).toBe(2);
    await ask("delete", "/api/items/a").set("Idempotency-Key", "gone").expect(204);
    await ask("delete", "/api/items/a").set("Idempotency-Key", "gone").expect(204);
    await ask("delete", "/api/items/a").expect(410);
  });

  it("remembers refusals that depend on what was there, and none of the body", async () => {
    const patch = (body: object) => ask("patch", "/api/items/n", body).set("Idempotency-Key", "p1");
    const first = await patch({ name: "A" }).expect(404);
    await ask("put", "/api/items/n", { name: "N" }).expect(201);
    const again = await patch({ name: "A" }).expect(404);
    expect(again.body).toEqual(first.body);
    await put("", "w1", "/api/items/n").expect(400);
    await put("Right", "w1", "/api/items/n").expect(200);
  });

  it("belongs to one request of one API key", async () => {
    await put("A", "r1").expect(201);
    for (const other of [put("B", "r1"), put("A", "r1", "/api/items/b"), ask("delete", "/api/items/a")]) {
      const { body } = await other.set("Idempotency-Key", "r1").expect(422);
      expect(body.type).toContain("idempotency-key-reused");
    }
    const { key: own } = await addWriteKey(site.db, (await site.createUser()).id);
    const theirs = request(site.app).put("/api/items/a").set("X-API-Key", own).set("Idempotency-Key", "r1");
    await theirs.send({ name: "Theirs" }).expect(200);
  });

  it("takes effect once for all who send it at the same time", async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => put("A", "same")));
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(201));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await revisions("a")).toBe(1);
  });

  it("waits for the first of two processes", async () => {
    const held = await openTransaction(site.db);
    await held("write_answers").insert({ key_id: keyId, idempotency_key: "far", request: Buffer.from("x") });
    const waiting = put("A", "far").then(({ status }) => status);
    await waitForLocks(site.db, 1);
    await held.rollback();
    expect(await waiting).toBe(201);
  });

  it("is free again after a day, and must be visible ASCII", async () => {
    await put("A", "old").expect(201);
    await site.db("write_answers").update({ at: site.db.raw("now() - interval '25 hours'") });
    await put("B", "old").expect(200);
    for (const bad of ["", " ", "a b", "x".repeat(256)]) await put("C", bad).expect(400);
  });
});
