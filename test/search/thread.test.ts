import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { beforeEach, describe, expect, it } from "vitest";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { openTransaction, useTestDatabase } from "../helpers/database.ts";
import { captureLog } from "../helpers/log.ts";
import { findIds, namedRecords, openSearch } from "../helpers/search.ts";

const database = useTestDatabase();

beforeEach(() => emptyCatalogue(database.db));

describe("an index of many records", () => {
  const BIG = { inlineRecords: 10 };

  /** The next thread that begins; until `release`, it waits for the records. */
  async function catchThread(): Promise<{ thread: Worker; release(): Promise<void> }> {
    const [thread] = await once(process, "worker");
    const transaction = await openTransaction(database.db);
    await transaction.raw("lock table items in access exclusive mode");
    return { thread, release: async () => void (await transaction.rollback()) };
  }

  const threadConnections = () =>
    database
      .db("pg_stat_activity")
      .where({ application_name: "almanac search index" })
      // Other files' threads are at work in the same server.
      .whereRaw("datname = current_database()");

  /** Cuts every connection until the thread gives up, as it reopens one that was cut before its first statement. */
  async function cutConnection(_thread: Worker, refreshed: Promise<void>): Promise<void> {
    await expect.poll(async () => (await threadConnections()).length > 0).toBe(true);
    let isOver = false;
    void refreshed.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await threadConnections().select(database.db.raw("pg_terminate_backend(pid)"));
      await delay(50);
    }
  }

  it("is made in a thread, and is the same as one that is made without", async () => {
    const names = { ru: "Вещь", ja: "物" };
    const mixed = namedRecords(300).map((record, index) => ({ ...record, popularity: index % 7, names }));
    await insertRecords(database.db, "items", mixed);
    const [inThread, inline] = [openSearch(database, BIG), openSearch(database)];
    const thread = once(process, "worker");
    await inThread.refresh();
    await thread;
    await inline.refresh();
    for (const query of ["thing", "thing 12", "вещь", "299"]) {
      const range = { limit: 50, offset: 0 };
      const found = await inThread.search("items", query, range);
      expect(found.total).toBeGreaterThan(0);
      expect(found).toEqual(await inline.search("items", query, range));
    }
    expect(await threadConnections()).toEqual([]);
  });

  // They are read by 5,000.
  it.each([5_000, 5_001])("holds all of %i records, however many are read at once", async (count) => {
    await database.db.raw(
      "insert into items (id, name, popularity) select n, 'Thing ' || n, n from generate_series(1, ?::integer) as n",
      [count],
    );
    const search = openSearch(database, { inlineRecords: 10_000 });
    await search.refresh();
    const best = Array.from({ length: 1_000 }, (_, index) => `${count - index}`);
    expect(await search.ids("items", "thing", 1_000)).toEqual(best);
    for (const id of ["1", "4999", "5000", `${count}`])
      expect(await search.ids("items", id, 1)).toEqual([id]);
  });

  it.each([
    ["the thread dies", (thread: Worker) => thread.terminate(), /^the thread ended without a result/],
    ["the thread's connection is cut", cutConnection, /connection|ECONNRESET/i],
  ])(
    "that cannot be made because %s leaves the one before, and is tried again",
    async (_why, breakIt, told) => {
      await insertRecords(database.db, "items", namedRecords(20));
      const { log, lines } = captureLog();
      const search = openSearch(database, { ...BIG, log });
      await search.refresh();
      await insertRecords(database.db, "items", [{ id: "later", name: "Later" }]);
      // As after a huge import: what has changed is not listed.
      await database.db("catalogue_versions").update({ listed_from: database.db.ref("version") });
      const caught = catchThread();
      const refreshed = search.refresh();
      const { thread, release } = await caught;
      await breakIt(thread, refreshed);
      await refreshed;
      await release();
      const errors = lines.flatMap(({ err }) => err ?? []);
      expect(errors).toMatchObject([{ message: expect.stringMatching(told) }]);
      expect(await findIds(search, "thing")).toHaveLength(10);
      expect(await findIds(search, "later")).toEqual([]);
      const isThere = async () => {
        await search.refresh();
        return (await findIds(search, "later")).length === 1;
      };
      await expect.poll(isThere).toBe(true);
    },
  );

  it("does not keep a site from stopping", async () => {
    await insertRecords(database.db, "items", namedRecords(20));
    const search = openSearch(database, { ...BIG, firstLoadWaitMs: 50 });
    const caught = catchThread();
    const refreshed = search.refresh();
    const { thread, release } = await caught;
    const ended = once(thread, "exit");
    await search.close();
    await Promise.all([ended, refreshed]);
    await release();
    await search.refresh();
    await expect(findIds(search, "thing")).rejects.toThrow();
  });
});
