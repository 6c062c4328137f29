import { createHash } from "node:crypto";
import type { Knex } from "knex";
import { beforeEach, describe, expect, it } from "vitest";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import {
  forgetOldChanges,
  listChanges as listChangesOf,
  versionSince,
} from "../../src/exchange/sync/changes-queries.ts";
import { type Cursor, readCursor } from "../../src/exchange/sync/cursor.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { openPool, openTransaction, useTestDatabase, waitForLocks } from "../helpers/database.ts";
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
    const ids = ["before", ...namedRecords(2503).map(({ id }) => String(id))];
    for (const limit of [7, 1000, 5000]) {
      const pages = await follow(since, limit);
      expect(pages.flat()).toHaveLength(pages.length === 1 ? 2504 : 2503 + 1304);
      expect(new Set(pages.flat())).toEqual(new Set(ids));
    }
  });

  it("come in smaller pages where records are large", async () => {
    const noise = (seed: number) =>
      createHash("shake256", { outputLength: 150_000 }).update(`${seed}`).digest("base64");
    const since = await now();
    const records = Array.from({ length: 12 }, (_, n) => ({ id: `${n + 10}`, description: noise(n) }));
    const huge = { id: "huge", description: noise(1).repeat(20) };
    await insertRecords(database.db, "items", records);
    await insertRecords(database.db, "items", [huge, { id: "z" }]);
    const pages = await follow(since);
    expect(pages.slice(0, 2).map((page) => page.length)).toEqual([4, 4]);
    expect(pages.flat()).toHaveLength(14);
  });

  it("leave out what was rolled back", async () => {
    const { db } = database;
    const since = await now();
    const taken = await openTransaction(db);
    await taken("items").insert({ id: "lost", name: "Lost" });
    await taken.rollback();
    await insertRecords(db, "items", [{ id: "kept" }]);
    await importRecords(db, "items", namedRecords(9), { dryRun: true });
    expect(await follow(since)).toEqual([["kept"]]);
  });

  it("have both ids of a renamed record, the removed records of the demo, and restored records", async () => {
    const { db } = database;
    await insertRecords(db, "items", [{ id: "old" }, { id: "shown", demo: true }]);
    const since = await now();
    await db("items").where({ id: "old" }).update({ id: "new" });
    await db("items").where({ demo: true }).delete();
    expect((await follow(since)).flat().toSorted()).toEqual(["new", "old", "shown"]);
    const removed = await now();
    await importRecords(db, "items", [{ id: "shown", name: "Shown" }]);
    expect(await follow(removed)).toEqual([["shown"]]);
  });

  it("exist for a kind that is added later, and go with it", async () => {
    const { db } = database;
    await db.raw("select add_catalogue_kind('pets', 'pet')");
    await db("pets").insert({ id: "cat", name: "Cat" });
    const page = await listChanges(db, "pets" as "items", readCursor("0"), 10);
    expect(page?.changes.map(({ id }) => id)).toEqual(["cat"]);
    await db.raw("select remove_catalogue_kind('pets', 'pet')");
    expect(await db("catalogue_change_lists").where({ kind: "pets" })).toEqual([]);
  });

  it("miss nothing of concurrent writers", { timeout: 120_000 }, async () => {
    const { db, url } = database;
    const start = await now();
    const pools = [openPool(url), openPool(url), openPool(url)];
    let writing = true;
    const write = async (writer: number) => {
      for (let n = 0; n < 40; n++) {
        const transaction = await (pools[writer] as Knex).transaction();
        const id = `${writer} ${n}`;
        const gone = { id: `${id} gone`, name: id };
        await transaction("items").insert([{ id, name: id }, gone]);
        if (n % 3 === 0) await transaction.raw("select pg_sleep(0.003)");
        await transaction("items").where({ id: gone.id }).delete();
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
    const shown = [...seen].filter(([, isThere]) => isThere).map(([id]) => id);
    expect(shown.toSorted()).toEqual(there.toSorted());
    expect(there).toHaveLength(3 * 32);
    expect([...seen.keys()].filter((id) => id.endsWith("gone"))).toHaveLength(3 * 32);
  });
});

describe("the version since a time", () => {
  const clock = async (db: Knex = database.db): Promise<Date> =>
    (await db.raw("select clock_timestamp() as at")).rows[0].at;
  const changedSince = async (time: Date) => {
    const version = await versionSince(database.db, "items", time);
    return version === undefined ? undefined : (await follow(readCursor(`${version}`))).flat();
  };

  it("leaves out nothing that was committed later, though it was written before", async () => {
    const { db, url } = database;
    await db("catalogue_versions").update({ followed_since: "-infinity" });
    await insertRecords(db, "items", [{ id: "first" }]);
    const slow = await openTransaction(openPool(url));
    await slow("items").insert({ id: "slow", name: "Slow" });
    await slow("items").insert({ id: "slower", name: "Slower" });
    const quick = insertRecords(openPool(url), "items", [{ id: "quick" }]);
    await waitForLocks(db, 1);
    const asked = await clock();
    await slow.commit();
    await quick;
    expect(await changedSince(asked)).toEqual(["slow", "slower", "quick"]);
  });

  it("is that of the last change, once this is more than an hour old", async () => {
    const { db } = database;
    await db("catalogue_versions").update({ followed_since: "-infinity" });
    await insertRecords(db, "items", [{ id: "old" }]);
    expect(await changedSince(await clock())).toEqual(["old"]);
    await db("catalogue_change_lists").update({ at: db.raw("at - interval '61 minutes'") });
    expect(await changedSince(await clock())).toEqual([]);
    const [{ at }] = await db("catalogue_change_lists").orderBy("version", "desc").select("at");
    expect(await changedSince(at)).toEqual(["old"]);
  });

  it("is not known before what is kept", async () => {
    const { db } = database;
    await insertRecords(db, "items", [{ id: "old" }]);
    await db("catalogue_change_lists").update({ at: db.raw("at - interval '31 days'") });
    await insertRecords(db, "items", [{ id: "new" }]);
    await db("catalogue_versions").update({ followed_since: "-infinity" });
    await forgetOldChanges(db);
    const [{ at }, ...others] = await db("catalogue_change_lists").where({ kind: "items" }).select("at");
    expect(others).toEqual([]);
    expect(await changedSince(new Date(at.getTime() - 1))).toBeUndefined();
    expect(await changedSince(new Date(at.getTime() + 1))).toEqual(["new"]);
  });

  it("is not known for an hour after the table was emptied", async () => {
    const { db } = database;
    await db("catalogue_versions").update({ followed_since: "-infinity" });
    await db.raw("truncate items cascade");
    expect(await changedSince(await clock())).toBeUndefined();
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

  it("waits for no import", async () => {
    const { db, url } = database;
    await insertRecords(db, "items", [{ id: "a" }]);
    await db("catalogue_change_lists").update({ at: db.raw("at - interval '31 days'") });
    const importing = await openTransaction(openPool(url));
    await importing("items").insert({ id: "b", name: "B" });
    await forgetOldChanges(db);
    expect(await lists()).toHaveLength(1);
    await importing.commit();
    await forgetOldChanges(db);
    expect((await lists()).map(({ ids }) => ids)).toEqual([["b"]]);
  });
});
