import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import type { Knex } from "knex";
import { pino } from "pino";
import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { createKey } from "../src/api-keys/queries.ts";
import { importRecords } from "../src/import/import-records.ts";
import { startBackground } from "../src/jobs/background.ts";
import { BUILT_IN_KINDS } from "../src/kinds/kinds.ts";
import { listDumpStates, PART_BYTES, removeReplacedDumps } from "../src/mirror/dump-queries.ts";
import { isDumpDue, makeDueDump, makeDump } from "../src/mirror/make-dump.ts";
import type { RecordReader } from "../src/record-api/record.ts";
import { Vocabulary } from "../src/vocabulary/vocabulary.ts";
import { TEST_CONFIG, useTestApp } from "./helpers/app.ts";
import { emptyCatalogue, insertRecords } from "./helpers/catalogue.ts";
import { openTransaction } from "./helpers/database.ts";
import { namedRecords } from "./helpers/search.ts";

const site = useTestApp();
const reader: RecordReader = { site: { baseUrl: "http://almanac.test", vocabulary: new Vocabulary([{}]) } };
const never = new AbortController().signal;

let key: string;

beforeEach(async () => {
  await emptyCatalogue(site.db);
  await site.db.raw("truncate catalogue_tombstones, catalogue_dumps cascade");
  key = String(await createKey(site.db, (await site.createUser()).id, { name: "a key", expiry: "never" }));
});

const make = (with_ = reader) =>
  site.db.transaction((transaction) => makeDump(transaction, "items", with_, never), {
    isolationLevel: "repeatable read",
  });

/** The bytes as they are: supertest would unpack them. */
function ask(path = "/api/items.ndjson.gz") {
  return request(site.app)
    .get(path)
    .set("X-API-Key", key)
    .buffer(true)
    .parse((res, done) => {
      const chunks: Buffer[] = [];
      res.on("data", (chunk: Buffer) => chunks.push(chunk));
      res.on("end", () => done(null, Buffer.concat(chunks)));
    });
}

const linesOf = (body: Buffer) => gunzipSync(body).toString().split("\n").slice(0, -1);

describe("GET /api/{kind}.ndjson.gz", () => {
  it("is every record, a line each, as it is by id, and leads to the changes since", async () => {
    await insertRecords(site.db, "items", namedRecords(450));
    await make();
    const { body, headers } = await ask().expect(200);
    const records = linesOf(body).map((line) => JSON.parse(line));
    expect(records.map(({ id }) => id)).toEqual(
      namedRecords(450)
        .map(({ id }) => id)
        .toSorted(),
    );
    const { text } = await request(site.app).get("/api/items/7").set("X-API-Key", key);
    expect(linesOf(body)).toContain(text);
    const [, next] =
      /^<(http:\/\/almanac\.test\/api\/items\/changes\?since=[\d.a-f-]+)>; rel="next"$/.exec(
        headers.link ?? "",
      ) ?? [];
    await site.db("items").where({ id: "7" }).delete();
    const { body: changes } = await request(site.app)
      .get(String(next).slice(19))
      .set("X-API-Key", key)
      .expect(200);
    expect(changes.changes).toMatchObject([{ id: "7", change: "removed" }]);
    expect(changes.complete).toBe(true);
  });

  it("has headers that tell a copy of it, and 304 for who has it", async () => {
    await insertRecords(site.db, "items", namedRecords(3));
    await make();
    const { body, headers } = await ask().expect(200);
    const digest = `sha-256=:${createHash("sha256").update(body).digest("base64")}:`;
    expect(headers).toMatchObject({
      "content-type": "application/gzip",
      "content-length": String(body.length),
      "content-digest": digest,
      "repr-digest": digest,
      "cache-control": "private, no-cache",
      "content-disposition": "attachment; filename=items.ndjson.gz",
      "access-control-allow-origin": "*",
    });
    expect(headers["content-encoding"]).toBeUndefined();
    expect(headers.vary).toMatch(/X-API-Key, Cookie/);
    const lastModified = headers["last-modified"] ?? "";
    expect(Math.abs(Date.now() - Date.parse(lastModified))).toBeLessThan(60_000);
    await ask()
      .set("If-None-Match", headers.etag ?? "")
      .expect(304);
    await ask().set("If-Modified-Since", lastModified).expect(304);
    const { headers: ofHead } = await request(site.app)
      .head("/api/items.ndjson.gz")
      .set("X-API-Key", key)
      .expect(200);
    expect(ofHead).toMatchObject({
      "content-length": String(body.length),
      etag: headers.etag,
      "repr-digest": digest,
    });
    expect(ofHead["content-digest"]).toBeUndefined();
    await insertRecords(site.db, "items", [{ id: "new" }]);
    await ask()
      .set("If-None-Match", headers.etag ?? "")
      .expect(304);
    await make();
    const { headers: later } = await ask()
      .set("If-None-Match", headers.etag ?? "")
      .expect(200);
    expect(later.etag).not.toBe(headers.etag);
  });

  it("gives any part of it, so that a download can be taken up again", async () => {
    // Of noise, which no compression makes smaller: three parts.
    const noise = Array.from({ length: 60 }, (_, n) => ({
      id: `${n}`,
      description: createHash("shake256", { outputLength: 21_000 }).update(`${n}`).digest("base64"),
    }));
    await insertRecords(site.db, "items", noise);
    await make();
    const { body: whole, headers } = await ask().expect(200);
    expect(whole.length).toBeGreaterThan(2 * PART_BYTES);
    expect(linesOf(whole)).toHaveLength(60);
    const ranges: [string, number, number][] = [
      ["0-0", 0, 1],
      [`${PART_BYTES - 1}-${PART_BYTES}`, PART_BYTES - 1, PART_BYTES + 1],
      [`${PART_BYTES}-`, PART_BYTES, whole.length],
      ["-5", whole.length - 5, whole.length],
      [`5-${whole.length + 100}`, 5, whole.length],
    ];
    for (const [range, from, to] of ranges) {
      const part = await ask()
        .set("Range", `bytes=${range}`)
        .set("If-Range", headers.etag ?? "")
        .expect(206);
      expect(Buffer.compare(part.body, whole.subarray(from, to)), range).toBe(0);
      expect(part.headers["content-range"]).toBe(`bytes ${from}-${to - 1}/${whole.length}`);
      expect(part.headers["content-digest"]).toBeUndefined();
      expect(part.headers["repr-digest"]).toBe(headers["repr-digest"]);
    }
    await ask().set("Range", "bytes=0-0").set("If-Range", '"another"').expect(200);
    await ask().set("Range", "bytes=0-0,5-6").expect(200);
    await ask().set("Range", "lines=1-2").expect(200);
    const { headers: refused } = await ask().set("Range", `bytes=${whole.length}-`).expect(416);
    expect(refused["content-range"]).toBe(`bytes */${whole.length}`);
  });

  it("is there for an empty kind, and 503 before it is made", async () => {
    const { headers } = await ask().expect(503);
    expect(Number(headers["retry-after"])).toBeGreaterThan(0);
    await make();
    expect(linesOf((await ask().expect(200)).body)).toEqual([]);
    await ask("/api/gnomes.ndjson.gz").expect(404);
    await request(site.app).get("/api/items.ndjson.gz").expect(401);
  });

  it("is not given where the changes since are not known any more", async () => {
    await make();
    await site.db.raw("truncate items cascade");
    await ask().expect(503);
    await make();
    await ask().expect(200);
  });

  it("is not given where attributes are hidden by now that it shows", async () => {
    await insertRecords(site.db, "items", [{ id: "a", attributes: { drop: 1 } }]);
    await make({
      site: { ...reader.site, vocabulary: new Vocabulary([{ attributes: { drop: { hidden: true } } }]) },
    });
    await ask().expect(503);
    await make();
    await ask().expect(200);
  });
});

describe("a dump is made", () => {
  const dumps = async () => site.db("catalogue_dumps").where({ kind: "items" }).orderBy("id");
  const makeDue = (with_ = reader) => makeDueDump(site.db, "items", with_, never);
  const age = (db: Knex, interval: string) =>
    db("catalogue_dumps").update({ made_at: db.raw(`made_at - interval '${interval}'`) });

  it("at first, then after an import, but not again and again", async () => {
    const { db } = site;
    await makeDue();
    await makeDue();
    expect(await dumps()).toHaveLength(1);
    await importRecords(db, "items", namedRecords(3));
    await makeDue();
    expect(await dumps()).toHaveLength(1);
    await age(db, "61 seconds");
    await makeDue();
    expect((await dumps()).map(({ records }) => records)).toEqual([0, 3]);
    await age(db, "61 seconds");
    await makeDue();
    expect(await dumps()).toHaveLength(2);
  });

  it("a day after anything else changed", async () => {
    const { db } = site;
    await makeDue();
    await insertRecords(db, "items", namedRecords(3));
    await age(db, "23 hours");
    await makeDue();
    expect(await dumps()).toHaveLength(1);
    await age(db, "1 hour");
    await makeDue();
    expect((await dumps()).map(({ records }) => records)).toEqual([0, 3]);
    await age(db, "2 days");
    await makeDue();
    expect(await dumps()).toHaveLength(2);
  });

  it("less often the longer it takes, and soon where records look different", () => {
    const state = {
      kind: "items",
      shape: "a",
      is_followed: true,
      is_outdated: true,
      is_imported: true,
      age: 1000,
      seconds: 49,
    };
    expect(isDumpDue(state, "a")).toBe(true);
    expect(isDumpDue({ ...state, seconds: 51 }, "a")).toBe(false);
    const fresh = { ...state, is_outdated: false, is_imported: false, seconds: 1 };
    expect(isDumpDue({ ...fresh, age: 31 }, "b")).toBe(true);
    expect(isDumpDue({ ...fresh, age: 29 }, "b")).toBe(false);
    expect(isDumpDue({ ...fresh, age: 31 }, "a")).toBe(false);
    expect(isDumpDue({ ...fresh, age: 31, is_followed: false }, "a")).toBe(true);
  });

  it("for each kind by the background work of a site", async () => {
    const config = { ...TEST_CONFIG, mailFrom: undefined };
    const background = startBackground({ db: site.db, log: pino({ level: "silent" }), config });
    try {
      const made = () => site.db("catalogue_dumps").orderBy("kind").pluck("kind");
      await expect.poll(made).toEqual(BUILT_IN_KINDS.toSorted());
    } finally {
      await background.stop();
    }
    await ask().expect(200);
  });

  it("by one process at a time, and not at all where it stops", async () => {
    const { db } = site;
    await Promise.all([makeDue(), makeDue(), makeDue()]);
    expect(await dumps()).toHaveLength(1);
    await db("catalogue_dumps").delete();
    await insertRecords(db, "items", namedRecords(900));
    const stopping = new AbortController();
    const making = makeDueDump(db, "items", reader, stopping.signal);
    stopping.abort();
    await expect(making).rejects.toThrow(/abort/i);
    expect(await dumps()).toEqual([]);
    expect(await db("catalogue_dump_parts").count()).toEqual([{ count: 0 }]);
  });

  it("of one state, whatever is committed meanwhile", async () => {
    const { db } = site;
    await insertRecords(db, "items", namedRecords(2));
    const transaction = await openTransaction(db);
    await transaction.raw("set transaction isolation level repeatable read");
    const [state] = await listDumpStates(transaction, "items");
    expect(state).toMatchObject({ shape: null });
    await db("items").where({ id: "1" }).delete();
    await makeDump(transaction, "items", reader, never);
    await transaction.commit();
    const { body, headers } = await ask().expect(200);
    expect(linesOf(body)).toHaveLength(2);
    const path = /<http:\/\/almanac\.test([^>]+)>/.exec(headers.link ?? "")?.[1] ?? "";
    const { body: changes } = await request(site.app).get(path).set("X-API-Key", key);
    expect(changes.changes).toMatchObject([{ id: "1", change: "removed" }]);
  });

  it("beside the one before, which stays for those who are reading it", async () => {
    const { db } = site;
    await make();
    await make();
    await removeReplacedDumps(db);
    expect(await dumps()).toHaveLength(2);
    await age(db, "16 minutes");
    await make();
    await removeReplacedDumps(db);
    const kept = await dumps();
    expect(kept).toHaveLength(2);
    expect(await db("catalogue_dump_parts").distinct("dump").orderBy("dump").pluck("dump")).toEqual(
      kept.map(({ id }) => id),
    );
  });
});
