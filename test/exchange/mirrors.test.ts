import { createHash } from "node:crypto";
import { once } from "node:events";
import http, { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import request from "supertest";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { findEnd } from "../../src/exchange/sync/changes-queries.ts";
import { useReadKey } from "../helpers/api-reads.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { emptyTables } from "../helpers/database.ts";
import { namedRecords } from "../helpers/search.ts";
import { useStatementCount } from "../helpers/statements.ts";

const site = useTestApp();
const reads = useReadKey(site);
const { get } = reads;
const count = useStatementCount();

beforeEach(async () => {
  await emptyCatalogue(site.db);
  await emptyTables(site.db, "catalogue_tombstones");
});

const ask = (query: Record<string, string | number>, kind = "items") =>
  get(`/api/${kind}/changes`).query(query);

const versionOf = async (kind = "items"): Promise<number> =>
  (await site.db("catalogue_versions").where({ kind }).first("version")).version;

describe("GET /api/{kind}/changes", () => {
  it("has whole records, as they are by id, and removals, in order", async () => {
    await insertRecords(site.db, "houses", [{ id: "villa", attributes: { price: 12.5 } }, { id: "shed" }]);
    const since = await versionOf("houses");
    await site.db("houses").where({ id: "shed" }).delete();
    await site.db("houses").where({ id: "villa" }).update({ name: "Villa" });
    const { body } = await ask({ since }, "houses").expect(200);
    const { body: villa } = await get("/api/houses/villa");
    expect(body).toEqual({
      changes: [
        { version: since + 1, id: "shed", change: "removed", at: expect.any(String), record: null },
        { version: since + 2, id: "villa", change: "changed", at: expect.any(String), record: villa },
      ],
      next: expect.stringMatching(new RegExp(`^${since + 2}-[0-9a-f]{12}$`)),
      complete: true,
    });
    expect(villa.name).toBe("Villa");
    expect(Math.abs(Date.now() - Date.parse(body.changes[0].at))).toBeLessThan(60_000);
  });

  it("continues page by page", async () => {
    const since = await versionOf();
    await importRecords(site.db, "items", namedRecords(25));
    const seen: string[] = [];
    let page = { next: `${since}`, complete: false };
    while (!page.complete) {
      const { body } = await ask({ since: page.next, limit: 10 }).expect(200);
      seen.push(...body.changes.map(({ id }: { id: string }) => id));
      page = body;
    }
    const ids = namedRecords(25).map(({ id }) => String(id));
    expect(seen.toSorted()).toEqual(ids.toSorted());
  });

  it("answers 304 while nothing changes, and costs one statement then, two if something did", async () => {
    const since = await versionOf();
    await insertRecords(site.db, "items", namedRecords(3));
    const { body: first } = await ask({ since });
    const { headers, body } = await ask({ since: first.next }).expect(200);
    expect(body).toEqual({ changes: [], next: first.next, complete: true });
    const again = () => ask({ since: first.next }).set("If-None-Match", headers.etag ?? "");
    await again().expect(304);
    // The key, the versions of the data and the beginning of the snapshot, as of every read by key.
    const { statements: ofAny } = await count.costOf(() => get("/api/items/0"));
    const costOf = async (work: () => PromiseLike<unknown>) =>
      (await count.costOf(async () => void (await work()))).statements;
    expect(await costOf(() => ask({ since: first.next, limit: 3 }))).toBe(ofAny - 1);
    expect(await costOf(() => ask({ since, limit: 3 }))).toBe(ofAny);
    await site.db("items").where({ id: "1" }).update({ name: "One" });
    const { body: changed } = await again().expect(200);
    expect(changed.changes).toMatchObject([{ id: "1", change: "changed", record: { name: "One" } }]);
  });

  it("accepts the time of the last request, removals included", async () => {
    await insertRecords(site.db, "items", namedRecords(3));
    await site.db("catalogue_versions").update({ followed_since: "-infinity" });
    await site.db("catalogue_change_lists").update({ at: site.db.raw("at - interval '3 hours'") });
    const looked = new Date(Date.now() - 3_600_000).toISOString();
    await site.db("items").where({ id: "2" }).delete();
    const { body } = await ask({ updated_since: looked }).expect(200);
    expect(body.changes).toMatchObject([{ id: "2", change: "removed" }]);
    expect((await ask({ since: body.next })).body).toMatchObject({ changes: [], complete: true });
    const inMoscow = new Date(Date.now() - 3_600_000 + 3 * 3_600_000).toISOString().replace("Z", "+03:00");
    expect((await ask({ updated_since: inMoscow })).body.changes).toHaveLength(1);
  });

  it("sends a client with a forgotten version back to the dump", async () => {
    await insertRecords(site.db, "items", namedRecords(3));
    const since = await versionOf();
    await emptyCatalogue(site.db);
    const forgotten: Record<string, string | number>[] = [
      { since },
      { since: since + 100 },
      { updated_since: "2020-01-01" },
    ];
    for (const query of forgotten) {
      const { body, headers } = await ask(query).expect(410);
      expect(headers["content-type"]).toContain("application/problem+json");
      expect(body).toMatchObject({ type: "http://almanac.test/docs/errors#gone", status: 410 });
      expect(body.detail).toContain("Start again from http://almanac.test/api/items.ndjson.gz");
      expect(headers.link).toBe('<http://almanac.test/api/items.ndjson.gz>; rel="start"');
    }
  });

  it("distinguishes its cursor from that of a restored database", async () => {
    await insertRecords(site.db, "items", namedRecords(3));
    const { body } = await ask({ since: await versionOf() });
    await ask({ since: body.next }).expect(200);
    // Another change took the same number.
    const stamp = site.db.raw("gen_random_uuid()");
    await site.db("catalogue_stamps").where({ kind: "items" }).update({ stamp });
    await ask({ since: body.next }).expect(410);
  });

  it("explains a wrong request, and requires a key", async () => {
    const wrong = async (query: Record<string, string>) => {
      const { body } = await ask(query).expect(400);
      return body.errors.map(({ param }: { param: string }) => param);
    };
    expect(await wrong({})).toEqual(["since"]);
    expect(await wrong({ since: "1", updated_since: "2026-01-01" })).toEqual(["since"]);
    for (const since of ["-1", "1.5.2", "1-xyz", "1e5", "'", "9".repeat(16), "1.2-0123456789ag"])
      expect(await wrong({ since })).toEqual(["since"]);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    for (const time of ["yesterday", "2026-13-01", "2026-11-25T00:00:00", "12:00", tomorrow])
      expect(await wrong({ updated_since: time })).toEqual(["updated_since"]);
    expect(await wrong({ since: "0", limit: "1001" })).toEqual(["limit"]);
    const { body } = await get("/api/items/changes?updated_since=2026-11-25T00:00:00+02:00").expect(400);
    const message = "must be a time; in an address, write the plus as %2B: 2026-11-25T00:00:00%2B02:00";
    expect(body.errors).toEqual([{ param: "updated_since", message }]);
    await request(site.app).get("/api/items/changes?since=0").expect(401);
    await get("/api/gnomes/changes?since=0").expect(404);
  });
});

const DUMP = "/api/items.ndjson.gz";

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

const dump = (path = DUMP) => get(path).buffer(true).parse(readBytes);

/** The bytes as they are: supertest would unpack them. */
function readBytes(res: request.Response, done: (error: Error | null, body: Buffer) => void): void {
  void buffer(res as unknown as IncomingMessage).then((body) => done(null, body));
}

/** Applies all changes after a dump to its records. */
async function follow(records: Map<string, CopiedRecord>, link: string | undefined): Promise<void> {
  const [, path = ""] =
    /^<http:\/\/almanac\.test(\/api\/items\/changes\?since=[\d.a-f-]+)>; rel="next"$/.exec(link ?? "") ?? [];
  const { body } = await get(path).expect(200);
  expect(body.complete).toBe(true);
  for (const { id, record } of body.changes) {
    if (record) records.set(id, record);
    else records.delete(id);
  }
}

describe("GET /api/{kind}.ndjson.gz", () => {
  it("is every record, a line each, as it is by id, and leads to the changes since", async () => {
    await insertRecords(site.db, "items", namedRecords(450));
    const { body, headers } = await dump().expect(200);
    const records = recordsIn(body);
    expect(records.size).toBe(450);
    const { body: seventh } = await get("/api/items/7");
    expect(records.get("7")).toEqual(seventh);
    await site.db("items").where({ id: "7" }).delete();
    await follow(records, headers.link);
    expect(records.has("7")).toBe(false);
    expect(records.size).toBe(449);
  });

  it("is a file for any client, and 304 for a client that has it", async () => {
    await insertRecords(site.db, "items", namedRecords(3));
    const { headers } = await dump().expect(200);
    expect(headers).toMatchObject({
      "content-type": "application/gzip",
      "cache-control": "private, no-cache",
      "content-disposition": "attachment; filename=items.ndjson.gz",
      "access-control-allow-origin": "*",
    });
    expect(headers["content-encoding"]).toBeUndefined();
    expect(headers.vary).toMatch(/X-API-Key, Cookie/);
    const { headers: ofHead } = await request(site.app).head(DUMP).set("X-API-Key", reads.key).expect(200);
    expect(ofHead.etag).toBe(headers.etag);
    const again = () => dump().set("If-None-Match", headers.etag ?? "");
    const { headers: unchanged } = await again().expect(304);
    expect(unchanged.link).toBe(headers.link);
    await insertRecords(site.db, "items", [{ id: "new" }]);
    const { body, headers: later } = await again().expect(200);
    expect(recordsIn(body).has("new")).toBe(true);
    expect(later.etag).not.toBe(headers.etag);
  });

  it("has another tag if the shape of records differs", async () => {
    expect(await findEnd(site.db, "items", "one")).not.toBe(await findEnd(site.db, "items", "other"));
  });

  it("misses no change while a slow client reads it, and holds no transaction for that client", async () => {
    // Noise does not compress: it is more than the connection buffers before the client reads.
    const noise = (n: number) =>
      createHash("shake256", { outputLength: 10_500 }).update(`${n}`).digest("base64");
    const records = Array.from({ length: 1_400 }, (_, n) => ({ id: `${n + 1_000}`, description: noise(n) }));
    await insertRecords(site.db, "items", records);
    const server = createServer((req, res) => site.app(req, res)).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const asked = http.get({ port, path: DUMP, headers: { "X-API-Key": reads.key } });
    const [res] = (await once(asked, "response")) as [IncomingMessage];
    await site.db("items").whereIn("id", ["1000", "2399"]).delete();
    await site.db("items").whereIn("id", ["1001", "2398"]).update({ name: "Changed" });
    await insertRecords(site.db, "items", [{ id: "0" }, { id: "9" }]);
    const open = site.db("pg_stat_activity").whereRaw("datname = current_database()");
    expect(await open.where({ state: "idle in transaction" }).pluck("query")).toEqual([]);
    const dumped = recordsIn(await buffer(res));
    // The dump has the records of the moment when it began.
    expect(dumped.get("1000")).toBeDefined();
    expect(dumped.get("9")).toBeDefined();
    await follow(dumped, res.headers.link as string | undefined);
    const { body } = await dump().expect(200);
    expect(new Map([...dumped].toSorted())).toEqual(new Map([...recordsIn(body)].toSorted()));
  });

  it("exists for an empty kind, and needs a key", async () => {
    expect(recordsIn((await dump().expect(200)).body).size).toBe(0);
    await dump("/api/gnomes.ndjson.gz").expect(404);
    await request(site.app).get(DUMP).expect(401);
  });
});
