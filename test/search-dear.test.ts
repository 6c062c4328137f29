import { setImmediate } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { HttpError } from "../src/http/errors.ts";
import { IndexBuilder } from "../src/search/index/build.ts";
import type { IndexedRecord } from "../src/search/index/records.ts";
import { SearchIndex } from "../src/search/index/search-index.ts";
import { LiveSearch } from "../src/search/live-search.ts";
import { SearchThread } from "../src/search/search-thread.ts";
import { insertRecords } from "./helpers/catalogue.ts";
import { useTestDatabase } from "./helpers/database.ts";
import { captureLog, openSearch } from "./helpers/search.ts";

const database = useTestDatabase();
const RANGE = { limit: 20, offset: 0 };

const WORDS = "golden iron silver heavy rusty infernal police racing night horse sniper pistol knife".split(
  " ",
);
/** Names of three words each, all different. */
const nameOf = (n: number) =>
  [WORDS[n % 13], WORDS[Math.floor(n / 13) % 13], WORDS[Math.floor(n / 169) % 13], n].join(" ");

const QUERIES = [
  "goldne",
  "infrenus sniper",
  "policeracing",
  "ырщке",
  "найт хорс",
  "n",
  "or er ir in",
  "a".repeat(200),
  "goldenironsilver".repeat(12),
  "lantern",
];

beforeAll(async () => {
  const records = Array.from({ length: 3_000 }, (_, n) => ({ id: `item-${n}`, name: nameOf(n) }));
  await insertRecords(database.db, "items", records);
});

/** Leaves every search to the thread that looks at a few hundred records. */
const openThreaded = async () => {
  const search = openSearch(database, { loopLimitMs: 0 });
  await search.refresh();
  return search;
};

describe("a search that takes long", () => {
  it("finds in the thread what it would find without one, also after changes", async () => {
    const [threaded, alone] = [await openThreaded(), openSearch(database, { loopLimitMs: 60_000 })];
    await alone.refresh();
    const expectSame = async () => {
      for (const query of QUERIES) {
        expect(await threaded.search("items", query, RANGE), query).toEqual(
          await alone.search("items", query, RANGE),
        );
      }
    };
    await expectSame();
    await database
      .db("items")
      .where({ id: "item-7" })
      .update({ name: "Golden lantern", updated_at: new Date() });
    await database.db("items").where({ id: "item-0" }).delete();
    await insertRecords(database.db, "items", [{ id: "new", name: "Infernal lantern" }]);
    await Promise.all([threaded.refresh(), alone.refresh()]);
    await expectSame();
    expect(await threaded.ids("items", "lantren", 5)).toEqual(["item-7", "new"].sort());
  });

  it("ends the search itself no sooner than its thread", async () => {
    const search = await openThreaded();
    const found = search.search("items", "goldne", RANGE);
    await search.close();
    await expect(found).rejects.toMatchObject({ headers: { "Retry-After": expect.any(String) } });
  });
});

describe("the thread for searches", () => {
  const record = (n: number): IndexedRecord => ({
    id: `${n}`,
    name: nameOf(n),
    names: {},
    category: null,
    image: null,
    popularity: null,
  });
  const lantern = { ...record(0), id: "lantern", name: "Lantern" };
  const indexOf = (records: readonly IndexedRecord[]) => {
    const builder = new IndexBuilder();
    for (const one of records) builder.add(one);
    return builder.finish();
  };
  const firstRecords = (count: number) => Array.from({ length: count }, (_, n) => record(n));
  const data = indexOf(firstRecords(500));
  const expected = new SearchIndex(data).search("goldne", RANGE);

  const open = (onFailure: (error: unknown) => void = () => undefined) => {
    const thread = new SearchThread(onFailure);
    onTestFinished(() => thread.close());
    thread.use("items", data);
    thread.start();
    return thread;
  };

  it("turns away whom it has no room for, and makes some for who asks seldom", async () => {
    const thread = open();
    const ask = (address: string) => thread.search("items", "goldne", { ...RANGE, address });
    const many = Array.from({ length: 60 }, () => ask("192.0.2.1"));
    const other = ask("192.0.2.2");
    const answers = await Promise.allSettled(many);
    const refused = answers.filter(({ status }) => status === "rejected");
    expect(refused.length).toBeGreaterThanOrEqual(30);
    for (const answer of refused) {
      expect(answer).toMatchObject({ reason: expect.any(HttpError) });
      expect(answer).toMatchObject({
        reason: { headers: { "Retry-After": expect.stringMatching(/^\d+$/) } },
      });
    }
    expect(answers.filter(({ status }) => status === "fulfilled").length).toBeGreaterThanOrEqual(20);
    expect(await other).toEqual(expected);
  });

  it("is replaced with a large index, finishes its searches, and ends", async () => {
    const begun: Worker[] = [];
    const note = (worker: Worker) => void begun.push(worker);
    process.on("worker", note);
    onTestFinished(() => void process.off("worker", note));
    const many = indexOf(firstRecords(2_001));
    const changed = indexOf([...firstRecords(2_001), lantern]);
    const thread = new SearchThread((error) => expect.unreachable(String(error)));
    onTestFinished(() => thread.close());
    thread.use("items", many);
    thread.start();
    const [before, stillBefore] = [
      thread.search("items", "lantren", RANGE),
      thread.search("items", "goldne", RANGE),
    ];
    await setImmediate();
    thread.use("items", changed);
    const after = thread.search("items", "lantren", RANGE);
    expect((await before).total).toBe(0);
    expect(await stillBefore).toEqual(new SearchIndex(many).search("goldne", RANGE));
    expect((await after).hits.map(({ record: { id } }) => id)).toEqual(["lantern"]);
    expect(begun).toHaveLength(2);
    await expect.poll(() => begun[0]?.threadId).toBe(-1);
    // A small index takes too little memory for that.
    thread.use("vehicles", data);
    thread.use("vehicles", data);
    expect((await thread.search("vehicles", "goldne", RANGE)).total).toBe(expected.total);
    expect(begun).toHaveLength(2);
  });

  it("that fails refuses who waits, is started again, and has all changes by then", async () => {
    const failures: unknown[] = [];
    const thread = open((error) => failures.push(error));
    thread.change("items", [{ ...record(1), name: "Goldne thing" }], ["0"]);
    // No index of this kind was given to it.
    await expect(thread.search("vehicles", "goldne", RANGE)).rejects.toBeInstanceOf(HttpError);
    expect(failures).toHaveLength(1);
    await expect(thread.search("items", "goldne", RANGE)).rejects.toBeInstanceOf(HttpError);
    await expect.poll(() => thread.isRunning).toBe(true);
    const index = new SearchIndex(data);
    index.change([{ ...record(1), name: "Goldne thing" }], ["0"]);
    expect(await thread.search("items", "goldne", RANGE)).toEqual(index.search("goldne", RANGE));
  });
});

describe("a catalogue that is small", () => {
  it("has no thread", async () => {
    const { log, messages } = captureLog();
    const search = new LiveSearch({ db: database.db, databaseUrl: "", log, loopLimitMs: 0 });
    onTestFinished(() => search.close());
    await insertRecords(database.db, "vehicles", [{ id: "411", name: "Infernus" }]);
    await search.refresh().catch(() => undefined);
    expect(await search.ids("vehicles", "infrenus", 1)).toEqual(["411"]);
    expect(messages).toEqual([expect.stringContaining("could not be made")]);
  });
});
