import { pino } from "pino";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { ChangeFeed } from "../../src/db/change-feed.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { openPool, openTransaction, useTestDatabase } from "../helpers/database.ts";
import { findIds, namedRecords, openSearch } from "../helpers/search.ts";

const database = useTestDatabase();
const log = pino({ level: "silent" });

beforeEach(() => emptyCatalogue(database.db));

describe("a search", () => {
  it("sees what was added, changed and removed, once it has looked", async () => {
    const search = openSearch(database);
    const { db } = database;
    const steps: [change: () => PromiseLike<unknown>, found: string[]][] = [
      [() => insertRecords(db, "items", [{ id: "7", name: "Pistol" }]), ["7"]],
      [() => db("items").update({ name: "Shield" }), []],
      [() => db("items").update({ name: "Pistol", names: { ru: "Пистолет" } }), ["7"]],
      [() => db("items").delete(), []],
      [() => importRecords(db, "items", [{ id: "8", name: "Pistol" }]), ["8"]],
      [() => db.raw("truncate items cascade"), []],
    ];
    await search.refresh();
    for (const [change, found] of steps) {
      const before = await findIds(search, "pistol");
      await change();
      expect(await findIds(search, "pistol")).toEqual(before);
      await search.refresh();
      expect(await findIds(search, "pistol")).toEqual(found);
    }
  });

  it("checks for changes before each search if that is required", async () => {
    const search = openSearch(database, { checkEachSearch: true });
    for (const id of ["1", "2"]) {
      await insertRecords(database.db, "houses", [{ id, name: `Villa ${id}` }]);
      expect(await findIds(search, "villa", "houses")).toHaveLength(Number(id));
    }
  });

  it("sees changes within a second in every process that serves", async () => {
    const feeds = [1, 2].map(() => new ChangeFeed({ db: openPool(database.url), log }));
    const searches = feeds.map((feed) => openSearch(database, { feed }));
    for (const feed of feeds) {
      onTestFinished(() => feed.stop());
      await feed.start();
    }
    for (const search of searches) expect(await findIds(search, "pistol")).toEqual([]);
    await importRecords(database.db, "items", [{ id: "7", name: "Pistol" }]);
    const seen = async () => (await Promise.all(searches.map((search) => findIds(search, "pistol")))).flat();
    await expect.poll(async () => (await seen()).join() === "7,7").toBe(true);
  });

  it("answers the old records until an import is committed, then the new ones, and never both", async () => {
    // More than a thousand changes are not listed, so that all records are loaded again.
    await importRecords(database.db, "items", namedRecords(1_500, "Old"));
    const feed = new ChangeFeed({ db: database.db, log, maxAgeMs: 0 });
    const search = openSearch(database, { feed });
    await search.refresh();
    /** The first words of the names in an answer, and its total. */
    const ask = async () => {
      await feed.confirm();
      const { hits, total } = await search.search("items", "thing", { limit: 50, offset: 0 });
      return `${[...new Set(hits.map(({ record }) => record.name.split(" ")[0]))]} ${total}`;
    };
    const transaction = await openTransaction(database.db);
    let isImported = false;
    const imported = importRecords(transaction, "items", namedRecords(1_500, "New"), { prune: true });
    void imported.finally(() => {
      isImported = true;
    });
    while (!isImported) expect(await ask()).toBe("Old 100");
    await imported;
    expect(await ask()).toBe("Old 100");
    await transaction.commit();
    const seen: string[] = [];
    await expect.poll(async () => seen.push(await ask()) && seen.at(-1)).toBe("New 100");
    expect(["New 100", "Old 100,New 100"]).toContain([...new Set(seen)].join());
  });

  it("never sees an import that was taken back", async () => {
    const search = openSearch(database);
    await search.refresh();
    const before = search.epoch;
    const transaction = await openTransaction(database.db);
    await importRecords(transaction, "items", namedRecords(100));
    await search.refresh();
    expect(await findIds(search, "thing")).toEqual([]);
    await transaction.rollback();
    await search.refresh();
    expect([await findIds(search, "thing"), search.epoch]).toEqual([[], before]);
  });
});

describe("while the database is away", () => {
  it("searches answer as before, and follow again when it is back", async () => {
    const db = openPool(database.url);
    await insertRecords(database.db, "items", namedRecords(1));
    const search = openSearch({ db, url: database.url });
    await search.refresh();
    await db.destroy();
    for (let round = 0; round < 3; round++) await search.refresh();
    expect(await findIds(search, "thing")).toEqual(["0"]);
    db.initialize();
    await insertRecords(database.db, "items", [{ id: "later", name: "Later" }]);
    await search.refresh();
    expect(await findIds(search, "later")).toEqual(["later"]);
  });
});
