import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import request from "supertest";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createKey } from "../../src/accounts/keys/queries.ts";
import { findEnd } from "../../src/exchange/sync/changes-queries.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { namedRecords } from "../helpers/search.ts";

const site = useTestApp();
const DUMP = "/api/items.ndjson.gz";

let key: string;

beforeEach(async () => {
  await emptyCatalogue(site.db);
  await site.db.raw("truncate catalogue_tombstones");
  key = String(await createKey(site.db, (await site.createUser()).id, { name: "a key", expiry: "never" }));
});

interface CopiedRecord {
  readonly id: string;
}

/** The records of a dump by id. */
function recordsIn(file: Buffer): Map<string, CopiedRecord> {
  const lines = gunzipSync(file).toString().split("\n").slice(0, -1);
  const records: CopiedRecord[] = lines.map((line) => JSON.parse(line));
  expect(records.map(({ id }) => id)).toEqual(records.map(({ id }) => id).toSorted());
  return new Map(records.map((record) => [record.id, record]));
}

const ask = (path = DUMP) => request(site.app).get(path).set("X-API-Key", key).buffer(true).parse(readBytes);

/** The bytes as they are: supertest would unpack them. */
function readBytes(res: request.Response, done: (error: Error | null, body: Buffer) => void): void {
  void buffer(res as unknown as IncomingMessage).then((body) => done(null, body));
}

/** Applies all changes after a dump to its records. */
async function follow(records: Map<string, CopiedRecord>, link: string | undefined): Promise<void> {
  const [, path = ""] =
    /^<http:\/\/almanac\.test(\/api\/items\/changes\?since=[\d.a-f-]+)>; rel="next"$/.exec(link ?? "") ?? [];
  const { body } = await request(site.app).get(path).set("X-API-Key", key).expect(200);
  expect(body.complete).toBe(true);
  for (const { id, record } of body.changes) {
    if (record) records.set(id, record);
    else records.delete(id);
  }
}

describe("GET /api/{kind}.ndjson.gz", () => {
  it("is every record, a line each, as it is by id, and leads to the changes since", async () => {
    await insertRecords(site.db, "items", namedRecords(450));
    const { body, headers } = await ask().expect(200);
    const records = recordsIn(body);
    expect(records.size).toBe(450);
    const { body: seventh } = await request(site.app).get("/api/items/7").set("X-API-Key", key);
    expect(records.get("7")).toEqual(seventh);
    await site.db("items").where({ id: "7" }).delete();
    await follow(records, headers.link);
    expect(records.has("7")).toBe(false);
    expect(records.size).toBe(449);
  });

  it("is a file for any client, and 304 for who has it", async () => {
    await insertRecords(site.db, "items", namedRecords(3));
    const { headers } = await ask().expect(200);
    expect(headers).toMatchObject({
      "content-type": "application/gzip",
      "cache-control": "private, no-cache",
      "content-disposition": "attachment; filename=items.ndjson.gz",
      "access-control-allow-origin": "*",
    });
    expect(headers["content-encoding"]).toBeUndefined();
    expect(headers.vary).toMatch(/X-API-Key, Cookie/);
    const { headers: ofHead } = await request(site.app).head(DUMP).set("X-API-Key", key).expect(200);
    expect(ofHead.etag).toBe(headers.etag);
    const again = () => ask().set("If-None-Match", headers.etag ?? "");
    const { headers: unchanged } = await again().expect(304);
    expect(unchanged.link).toBe(headers.link);
    await insertRecords(site.db, "items", [{ id: "new" }]);
    const { body, headers: later } = await again().expect(200);
    expect(recordsIn(body).has("new")).toBe(true);
    expect(later.etag).not.toBe(headers.etag);
  });

  it("has another tag where records look different", async () => {
    expect(await findEnd(site.db, "items", "one")).not.toBe(await findEnd(site.db, "items", "other"));
  });

  it("misses nothing that changes while a slow client reads it, and holds no transaction for that client", async () => {
    // Noise does not compress: it is more than the connection buffers before the client reads.
    const noise = (n: number) =>
      createHash("shake256", { outputLength: 10_500 }).update(`${n}`).digest("base64");
    const ids = Array.from({ length: 2_000 }, (_, n) => `${n + 1_000}`);
    await insertRecords(
      site.db,
      "items",
      ids.map((id, n) => ({ id, description: noise(n) })),
    );
    const server = createServer((req, res) => site.app(req, res)).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const [res] = (await once(get({ port, path: DUMP, headers: { "X-API-Key": key } }), "response")) as [
      IncomingMessage,
    ];
    await site.db("items").whereIn("id", ["1000", "2999"]).delete();
    await site.db("items").whereIn("id", ["1001", "2998"]).update({ name: "Changed" });
    await insertRecords(site.db, "items", [{ id: "0" }, { id: "9" }]);
    const open = site.db("pg_stat_activity").whereRaw("datname = current_database()");
    expect(await open.where({ state: "idle in transaction" }).pluck("query")).toEqual([]);
    const records = recordsIn(await buffer(res));
    // The record is as it was when it was read.
    expect(records.get("1000")).toBeDefined();
    expect(records.get("9")).toBeDefined();
    await follow(records, res.headers.link as string | undefined);
    const { body } = await ask().expect(200);
    expect(new Map([...records].toSorted())).toEqual(new Map([...recordsIn(body)].toSorted()));
  });

  it("is there for an empty kind, and for those alone who have a key", async () => {
    expect(recordsIn((await ask().expect(200)).body).size).toBe(0);
    await ask("/api/gnomes.ndjson.gz").expect(404);
    await request(site.app).get(DUMP).expect(401);
  });
});
