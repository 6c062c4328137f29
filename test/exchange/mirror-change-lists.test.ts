import type { Knex } from "knex";
import { beforeEach, describe, expect, it } from "vitest";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { forgetOldChanges, listChanges as listChangesOf } from "../../src/exchange/sync/changes-queries.ts";
import { type Cursor, readCursor } from "../../src/exchange/sync/cursor.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { openPool, useTestDatabase } from "../helpers/database.ts";
import { namedRecords } from "../helpers/search.ts";

const database = useTestDatabase();

beforeEach(async () => {
  await emptyCatalogue(database.db);
  await database.db.raw("truncate catalogue_tombstones");
});

/** Lists do not know the shape of records. */
const listChanges = (db: Knex, kind: "items", after: Cursor, limit: number) =>
  listChangesOf(db, kind, { after, limit, shape: "any" });

const versionOf = async (kind = "items"): Promise<number> => {
  const row = await database.db("catalogue_versions").where({ kind }).first("version");
  return row?.version;
};

/** The end of what there is now. */
async function now(db: Knex = database.db): Promise<Cursor> {
  const since = readCursor(`${await versionOf()}`);
  return readCursor((await listChanges(db, "items", since, 1))?.next ?? "");
}

/** All pages after a cursor, of `limit` changes each. */
async function follow(after: Cursor, limit = 1000): Promise<string[][]> {
  const pages: string[][] = [];
  for (let cursor = after; ; ) {
    const page = await listChanges(database.db, "items", cursor, limit);
    if (page === undefined) throw new Error("the changes are not known any more");
    pages.push(page.changes.map(({ id }) => id));
    cursor = readCursor(page.next);
    if (page.complete) return pages;
  }
}

describe("the changes after a version", () => {
  it("are known through an import of many records, page by page", async () => {
    const { db } = database;
    await insertRecords(db, "items", [{ id: "before" }]);
    const since = await now();
    await importRecords(db, "items", namedRecords(2503));
    await importRecords(db, "items", namedRecords(1200), { prune: true, force: true });
    for (const limit of [7, 999, 1000, 1001, 5000]) {
      const pages = await follow(since, limit);
      expect(pages.flat()).toHaveLength(pages.length === 1 ? 2504 : 2503 + 1304);
      expect(new Set(pages.flat())).toEqual(
        new Set(["before", ...namedRecords(2503).map(({ id }) => String(id))]),
      );
    }
  });

  it("have what is brought back", async () => {
    const { db } = database;
    await insertRecords(db, "items", namedRecords(2));
    await db("items").delete();
    const since = await now();
    await importRecords(db, "items", namedRecords(1));
    expect(await follow(since)).toEqual([["0"]]);
  });

  it.each<[string, (db: Knex, version: number) => PromiseLike<unknown>, (version: number) => string]>([
    ["the table was emptied", (db) => db.raw("truncate items cascade"), (version) => `${version}`],
    ["the version is yet to come", (db) => db.raw("select 1"), (version) => `${version + 1}`],
    ["the version had another stamp", (db) => db.raw("select 1"), (version) => `${version}-000000000000`],
    [
      "they are forgotten",
      (db) => forgetOldChanges(db, { days: 0, ids: 1, versions: 1 }),
      (version) => `${version - 1}`,
    ],
  ])("are not known where %s", async (_what, change, asked) => {
    await insertRecords(database.db, "items", namedRecords(2));
    const version = await versionOf();
    await change(database.db, version);
    expect(await listChanges(database.db, "items", readCursor(asked(version)), 10)).toBeUndefined();
    const current = await now();
    expect(await listChanges(database.db, "items", current, 10)).toMatchObject({
      changes: [],
      complete: true,
    });
  });

  it("miss nothing of writers at the same time", { timeout: 120_000 }, async () => {
    const { db, url } = database;
    const start = await now();
    const pools = [openPool(url), openPool(url), openPool(url)];
    let writing = true;
    const write = async (writer: number) => {
      for (let n = 0; n < 40; n++) {
        const transaction = await (pools[writer] as Knex).transaction();
        const id = `${writer} ${n}`;
        await transaction("items").insert([
          { id, name: id },
          { id: `${id} gone`, name: id },
        ]);
        if (n % 3 === 0) await transaction.raw("select pg_sleep(0.003)");
        await transaction("items")
          .where({ id: `${id} gone` })
          .delete();
        await (n % 5 === 4 ? transaction.rollback() : transaction.commit());
      }
    };
    const seen = new Map<string, boolean>();
    const read = async () => {
      let cursor = start;
      for (let isLast = false; ; ) {
        if (!writing) isLast = true;
        const page = await listChanges(db, "items", cursor, 3);
        for (const { id } of page?.changes ?? []) {
          seen.set(id, (await db("items").where({ id }).first("id")) !== undefined);
        }
        cursor = readCursor(page?.next ?? "");
        if (isLast && page?.complete) return;
      }
    };
    const reading = read();
    await Promise.all([write(0), write(1), write(2)]).finally(() => {
      writing = false;
    });
    await reading;
    const there: string[] = await db("items").pluck("id");
    expect(
      [...seen]
        .filter(([, isThere]) => isThere)
        .map(([id]) => id)
        .toSorted(),
    ).toEqual(there.toSorted());
    expect(there).toHaveLength(3 * 32);
    expect([...seen.keys()].filter((id) => id.endsWith("gone"))).toHaveLength(3 * 32);
  });
});

describe("what is kept", () => {
  const lists = async () => database.db("catalogue_change_lists").where({ kind: "items" }).orderBy("version");

  it("is the last ids, whole transactions of them, and the last versions", async () => {
    const { db } = database;
    await insertRecords(db, "items", [{ id: "a" }]);
    await db.transaction(async (transaction) => {
      for (const id of ["b", "c", "d"]) await transaction("items").insert({ id, name: id });
    });
    const version = await versionOf();
    await forgetOldChanges(db, { days: 30, ids: 2, versions: 100 });
    expect((await lists()).map(({ ids }) => ids)).toEqual([["b"], ["c"], ["d"]]);
    expect(await listChanges(db, "items", readCursor(`${version - 3}`), 10)).toBeDefined();
    expect(await listChanges(db, "items", readCursor(`${version - 4}`), 10)).toBeUndefined();
    await insertRecords(db, "items", [{ id: "e" }]);
    await forgetOldChanges(db, { days: 30, ids: 100, versions: 1 });
    expect((await lists()).map(({ ids }) => ids)).toEqual([["e"]]);
  });
});
