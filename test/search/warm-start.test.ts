import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pino } from "pino";
import request from "supertest";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createApp } from "../../src/app.ts";
import type { LiveSearch } from "../../src/search/live-search.ts";
import { buildAssets } from "../../src/web/assets/build.ts";
import { TEST_CONFIG } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { createTestDatabase, useTestDatabase } from "../helpers/database.ts";
import { makeFolder } from "../helpers/folder.ts";
import { captureLog } from "../helpers/log.ts";
import { findIds, namedRecords, openSearch } from "../helpers/search.ts";

const database = useTestDatabase();

beforeEach(() => emptyCatalogue(database.db));

/** A folder for indexes, beside so many items. */
async function folderFor(items: number): Promise<string> {
  const folder = makeFolder();
  await insertRecords(database.db, "items", namedRecords(items));
  return folder;
}

/** A process that starts over a folder: its search, once it has every index, and how many of them it built. */
async function start(directory: string, place: Parameters<typeof openSearch>[0] = database) {
  const { log, messages } = captureLog("info");
  let built = 0;
  const count = () => {
    built += 1;
  };
  process.on("worker", count);
  onTestFinished(() => void process.off("worker", count));
  const search = openSearch(place, { inlineRecords: 10, indexFolder: directory, log });
  await search.refresh();
  return { search, built, messages: messages() };
}

const answersOf = (search: LiveSearch) =>
  Promise.all(
    ["thing", "thing 12", "rifle", "299", "thnig 7", "t", ""].map((query) =>
      search.search("items", query, { limit: 50, offset: 0 }),
    ),
  );

describe("a start", () => {
  it("after one that built an index reads it from disk with what has changed since, and answers the same", async () => {
    const folder = await folderFor(300);
    const cold = await start(folder);
    const warm = await start(folder);
    expect([cold.built, warm.built]).toEqual([1, 0]);
    expect(await answersOf(warm.search)).toEqual(await answersOf(cold.search));
    await insertRecords(database.db, "items", [{ id: "later", name: "Later" }]);
    await warm.search.refresh();
    expect(await findIds(warm.search, "later")).toEqual(["later"]);
    await database.db("items").where({ id: "7" }).update({ name: "Changed" });
    const { search, built } = await start(folder);
    expect([built, await findIds(search, "changed"), await findIds(search, "later")]).toEqual([
      ...[0, ["7"], ["later"]],
    ]);
  });

  it("rebuilds when more has changed since than is listed", async () => {
    const folder = await folderFor(1_500);
    await start(folder);
    await database.db("items").update({ name: database.db.raw("name || ' changed'") });
    const { search, built } = await start(folder);
    expect(built).toBe(1);
    expect(await findIds(search, "thing changed 7")).toContain("7");
    expect((await start(folder)).built).toBe(0);
  });

  it("rebuilds over another database, even one with the same version numbers", async () => {
    const folder = await folderFor(300);
    await using other = Object.assign(await createTestDatabase(), {
      [Symbol.asyncDispose]: () => other.drop(),
    });
    await insertRecords(other.db, "items", namedRecords(300, "Other"));
    const version = await database.db("catalogue_versions").where({ kind: "items" }).first("version");
    await other.db("catalogue_versions").where({ kind: "items" }).update({ version: version?.version });
    await start(folder);
    const { search, built } = await start(folder, other);
    expect([built, await findIds(search, "other 299")]).toEqual([1, ["299"]]);
    await search.close();
  });

  it("rebuilds when a restored backup has reached the same version", async () => {
    const folder = await folderFor(300);
    const { db } = database;
    const backup = await db("catalogue_versions").where({ kind: "items" }).first("version");
    await db("items").where({ id: "7" }).update({ name: "Lost" });
    await start(folder);
    await db("items").where({ id: "7" }).update({ name: "Thing thing 7" });
    await db("catalogue_versions").where({ kind: "items" }).update({ version: backup?.version });
    await db("catalogue_changes").where("version", ">", backup?.version).delete();
    await db("items").where({ id: "7" }).update({ name: "Found" });
    const { search, built } = await start(folder);
    expect([built, await findIds(search, "found"), await findIds(search, "lost")]).toEqual([1, ["7"], []]);
  });

  it("rebuilds when the file is damaged, logs that, and replaces it", async () => {
    const folder = await folderFor(300);
    const file = path.join(folder, "items.index");
    await start(folder);
    const bytes = await readFile(file);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    await writeFile(file, bytes);
    const { search, built, messages } = await start(folder);
    expect([built, messages]).toEqual([1, ["a search index on disk is of no use"]]);
    expect(await findIds(search, "thing")).toHaveLength(10);
    expect((await start(folder)).built).toBe(0);
    // A kind that is built faster than read keeps nothing.
    expect(await readdir(folder)).toEqual(["items.index"]);
    await database.db("items").where("id", "<>", "7").delete();
    expect((await start(folder)).built).toBe(0);
    expect(await readdir(folder)).toEqual([]);
  });

  it("goes on where nothing can be written, and says so once", async () => {
    const folder = path.join(await folderFor(300), "search");
    await writeFile(folder, "a file in the folder's place");
    await insertRecords(database.db, "vehicles", namedRecords(300));
    const { search, built, messages } = await start(folder);
    expect([built, await findIds(search, "thing 7")]).toEqual([2, expect.arrayContaining(["7"])]);
    expect(messages.filter((line) => line.includes("cannot be kept"))).toHaveLength(1);
  });

  it("of two processes at once leaves an index that a third reads", async () => {
    const folder = await folderFor(300);
    await Promise.all([start(folder), start(folder)]);
    const { search, built } = await start(folder);
    expect([built, await findIds(search, "299")]).toEqual([0, ["299"]]);
  });
});

/** The database's address through a gate, which lets nothing pass before it is opened. */
async function startGate(): Promise<{ url: string; open(): void }> {
  const opened = Promise.withResolvers<void>();
  const { hostname, port } = new URL(database.url);
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) socket.on("error", () => undefined);
    void opened.promise.then(() => client.pipe(upstream).pipe(client));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const own = { hostname: "127.0.0.1", port: String((server.address() as AddressInfo).port) };
  return { url: Object.assign(new URL(database.url), own).href, open: opened.resolve };
}

describe("a process without an index yet", () => {
  it("answers 503 to its searches only, at once, with a time after which the answer is there", async () => {
    await insertRecords(database.db, "items", namedRecords(300));
    const log = pino({ level: "silent" });
    const gate = await startGate();
    const place = { db: database.db, url: gate.url };
    const search = openSearch(place, { inlineRecords: 10, firstLoadWaitMs: 0, log });
    const app = createApp({ assets: await buildAssets(), config: TEST_CONFIG, db: database.db, log, search });
    const refreshed = search.refresh();
    await expect.poll(() => search.ready.vehicles, { interval: 20 }).toBe(true);
    const ask = () => request(app).get("/api/search?q=thing");
    let answer = await ask();
    const codes = ["/items?q=a", "/search?q=a", "/vehicles?q=a", "/docs/errors"].map(async (page) => {
      return (await request(app).get(page)).status;
    });
    expect([answer.status, ...(await Promise.all(codes))]).toEqual([503, 503, 503, 200, 200]);
    const { text } = await request(app).get("/ru/search?q=a").expect(503);
    expect(text).toContain("Поиск готовится");
    gate.open();
    // On an idle machine the first pause is enough.
    while (answer.status === 503) {
      const pauseS = Number(answer.headers["retry-after"]);
      expect(pauseS).toBeGreaterThanOrEqual(1);
      await delay(pauseS * 1_000);
      answer = await ask();
    }
    expect(answer.status).toBe(200);
    await refreshed;
  });

  it("waits for it if it is there soon", async () => {
    await insertRecords(database.db, "items", namedRecords(300));
    const search = openSearch(database, { inlineRecords: 10, firstLoadWaitMs: 60_000 });
    const answer = findIds(search, "299");
    void search.refresh();
    expect(await answer).toEqual(["299"]);
  });
});
