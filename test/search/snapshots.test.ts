import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rm, stat, truncate, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { IndexData } from "../../src/search/index/build.ts";
import { SearchIndex } from "../../src/search/index/search-index.ts";
import { arraysOf, HEADER_BYTES } from "../../src/search/snapshot/arrays.ts";
import type { Origin } from "../../src/search/snapshot/origin.ts";
import { codeOfIndexes } from "../../src/search/snapshot/origin.ts";
import { type SnapshotIndex, Snapshots } from "../../src/search/snapshot/snapshots.ts";
import { writeIndexFile } from "../../src/search/snapshot/write-file.ts";
import { builtIndex } from "../helpers/built-index.ts";
import { captureLog } from "../helpers/search.ts";
import { emptyFolder, isSameOrigin, startWriter } from "../helpers/snapshots.ts";

const QUERIES = [
  ..."аяabпnт7",
  ...[
    "thing",
    "rifle 12",
    "пистолет",
    "пистолеты",
    "snipr",
    "gbcnjktn",
    "pistolet",
    "achut",
    "ナイフ",
    "411",
    "axte",
  ],
  ...["th ri", "vision nigth", "nrg500", "вещь 12", "mk 9", "", "%", "no such thing at all"],
];

function answersOf(data: IndexData): unknown[] {
  const index = new SearchIndex(data);
  return QUERIES.map((query) => index.search(query, { limit: 20, offset: 0 }));
}

/** Equal for equal indexes. */
function digestOf(data: IndexData | undefined): string | undefined {
  if (!data) return undefined;
  const hash = createHash("sha256").update(`${data.size}`);
  for (const { name, array } of arraysOf(data))
    hash.update(name).update(array.constructor.name).update(array);
  return hash.digest("hex");
}

/** Snapshots in a folder, with what they log. */
async function openSnapshots(directory?: string) {
  const { log, messages } = captureLog();
  const folder = directory ?? (await emptyFolder());
  return {
    folder,
    file: path.join(folder, "items.index"),
    messages,
    snapshots: new Snapshots({ directory: folder, log }),
  };
}

/** The same with an index written. */
async function openWritten(index: SnapshotIndex) {
  const opened = await openSnapshots();
  opened.snapshots.write("items", index);
  await opened.snapshots.settled();
  return opened;
}

const anything = () => true;

describe("an index that was kept on disk", () => {
  it("answers as the one that was built", async () => {
    const index = builtIndex(3_000);
    const { snapshots, messages } = await openWritten(index);
    const found = await snapshots.read("items", anything);
    expect(found?.origin).toEqual(index.origin);
    expect(digestOf(found?.data)).toBe(digestOf(index.data));
    expect(found && answersOf(found.data)).toEqual(answersOf(index.data));
    expect(messages).toEqual([]);
  });

  it("is there for its own kind and origin only", async () => {
    const { origin, ...rest } = builtIndex(10);
    const { snapshots, file, folder } = await openWritten({ origin, ...rest });
    const read = (current: Origin) => snapshots.read("items", (kept) => isSameOrigin(kept, current));
    expect(await read(origin)).toBeDefined();
    expect(await read({ ...origin, version: origin.version + 1 })).toBeUndefined();
    expect(await read({ ...origin, stamp: randomUUID() })).toBeUndefined();
    expect(await read({ ...origin, table: 1 })).toBeUndefined();
    expect(await snapshots.read("vehicles", anything)).toBeUndefined();
    await writeFile(path.join(folder, "vehicles.index"), await readFile(file));
    expect(await snapshots.read("vehicles", anything)).toBeUndefined();
  });

  it("is replaced by the next one, and removed where it is not needed", async () => {
    const [first, second] = [builtIndex(10, "Old"), builtIndex(20, "New")];
    const { snapshots, folder } = await openWritten(first);
    snapshots.write("items", builtIndex(15, "Between"));
    snapshots.write("items", second);
    await snapshots.settled();
    expect(digestOf((await snapshots.read("items", anything))?.data)).toBe(digestOf(second.data));
    expect(await readdir(folder)).toEqual(["items.index"]);
    await snapshots.remove("items");
    expect(await readdir(folder)).toEqual([]);
    await snapshots.remove("items");
  });
});

describe("an index on disk is not taken", () => {
  it("with a changed byte anywhere", async () => {
    const { snapshots, file } = await openWritten(builtIndex(50));
    const whole = await readFile(file);
    const placesInArrays = Array.from({ length: 300 }, () =>
      Math.floor(Math.random() * (whole.length - HEADER_BYTES)),
    );
    const places = [
      ...Array.from({ length: HEADER_BYTES / 8 }, (_, block) => block * 8 + Math.floor(Math.random() * 8)),
      ...placesInArrays.map((place) => HEADER_BYTES + place),
      HEADER_BYTES,
      whole.length - 1,
    ];
    for (const place of places) {
      const damaged = Buffer.from(whole);
      damaged[place] = (damaged[place] ?? 0) ^ (1 << Math.floor(Math.random() * 8));
      await writeFile(file, damaged);
      expect(await snapshots.read("items", anything), `byte ${place}`).toBeUndefined();
    }
    await writeFile(file, whole);
    expect(await snapshots.read("items", anything)).toBeDefined();
  });

  it("cut short anywhere, or too long", async () => {
    const { snapshots, file } = await openWritten(builtIndex(50));
    const whole = await readFile(file);
    const lengths = Array.from({ length: 50 }, () => Math.floor(Math.random() * whole.length));
    for (const length of [0, 1, HEADER_BYTES - 1, HEADER_BYTES, whole.length - 1, ...lengths]) {
      await writeFile(file, whole);
      await truncate(file, length);
      expect(await snapshots.read("items", anything), `${length} bytes`).toBeUndefined();
    }
    await writeFile(file, Buffer.concat([whole, Buffer.from("x")]));
    expect(await snapshots.read("items", anything)).toBeUndefined();
  });

  it("of other code, without a word in the log", async () => {
    const { snapshots, file, messages } = await openSnapshots();
    const { data, ...rest } = builtIndex(10);
    const write = (code: string) =>
      writeIndexFile(file, { about: { kind: "items", code, ...rest }, data }, new AbortController().signal);
    await write(`${await codeOfIndexes()}0`);
    expect(await snapshots.read("items", anything)).toBeUndefined();
    expect(messages).toEqual([]);
    await write(await codeOfIndexes());
    expect(await snapshots.read("items", anything)).toBeDefined();
  });

  it("of other arrays than this code's", async () => {
    const { snapshots, file, messages } = await openSnapshots();
    const { data, ...rest } = builtIndex(10);
    const about = { kind: "items", code: await codeOfIndexes(), ...rest };
    const { starts, ...records } = data.records;
    const renamed = { ...data, records: { ...records, begins: starts, starts } };
    await writeIndexFile(file, { about, data: renamed }, new AbortController().signal);
    expect(await snapshots.read("items", anything)).toBeUndefined();
    expect(messages).toEqual(["a search index on disk is of no use"]);
  });

  it("if it cannot be read", async () => {
    const { snapshots, file, messages } = await openSnapshots();
    expect(await snapshots.read("items", anything)).toBeUndefined();
    expect(messages).toEqual([]);
    await mkdir(file);
    expect(await snapshots.read("items", anything)).toBeUndefined();
    expect(messages).toEqual(["a search index on disk is of no use"]);
  });
});

describe("a process that is killed while it writes", () => {
  it("leaves the index from before or the new one, and drafts that the next writer removes", async () => {
    const folder = await emptyFolder();
    const whole = digestOf(builtIndex(5_000, "Thing").data);
    let drafts = 0;
    for (let kill = 0; kill < 8; kill++) {
      const writer = await startWriter([folder, "Thing"]);
      await delay(Math.random() * 150);
      await writer.kill();
      const { snapshots, messages } = await openSnapshots(folder);
      const found = await snapshots.read("items", anything);
      if (found) expect(digestOf(found.data)).toBe(whole);
      expect(messages).toEqual([]);
      drafts = (await readdir(folder)).filter((name) => name.endsWith(".draft")).length;
    }
    expect(drafts).toBeGreaterThan(0);
    const left = await readdir(folder);
    const hourAgo = new Date(Date.now() - 3_600_000);
    for (const name of left) await utimes(path.join(folder, name), hourAgo, hourAgo);
    const { snapshots } = await openSnapshots(folder);
    snapshots.write("items", builtIndex(10));
    await snapshots.settled();
    expect(await readdir(folder)).toEqual(["items.index"]);
  });
});

describe("two processes on one folder", () => {
  it("never mix their files", async () => {
    const folder = await emptyFolder();
    const digests = ["One", "Two"].map((word) => digestOf(builtIndex(5_000, word).data));
    const writers = [await startWriter([folder, "One"]), await startWriter([folder, "Two"])];
    const { snapshots, messages } = await openSnapshots(folder);
    const seen = new Set<string | undefined>();
    for (let read = 0; read < 200 && (read < 40 || seen.size < 2); read++) {
      const found = await snapshots.read("items", anything);
      if (!found) continue;
      const digest = digestOf(found.data);
      expect(digests).toContain(digest);
      seen.add(digest);
    }
    for (const writer of writers) {
      expect(writer.output()).toBe("begins\n");
      await writer.kill();
    }
    expect([seen.size, messages]).toEqual([2, []]);
  });

  it("leave drafts alone that are still written", async () => {
    const { snapshots, folder } = await openSnapshots();
    await writeFile(path.join(folder, "items.index.1-a.draft"), "");
    snapshots.write("items", builtIndex(10));
    await snapshots.settled();
    expect(await readdir(folder)).toContain("items.index.1-a.draft");
  });
});

describe("where nothing can be written", () => {
  it("logs that once, and again when it works", async () => {
    const { snapshots, folder, messages } = await openSnapshots(path.join(await emptyFolder(), "search"));
    await writeFile(folder, "a file in the folder's place");
    for (let time = 0; time < 3; time++) {
      snapshots.write("items", builtIndex(10));
      await snapshots.settled();
    }
    const told = ["search indexes cannot be kept on disk: the next start has to build them"];
    expect(messages).toEqual(told);
    await rm(folder);
    snapshots.write("items", builtIndex(10));
    await snapshots.settled();
    expect(messages).toEqual([...told, "search indexes can be kept on disk again"]);
  });

  it("a disk that gets full leaves the index from before, and no draft", async () => {
    const folder = await emptyFolder();
    const before = await startWriter([folder, "Before", "10"]);
    await before.ended;
    // In blocks of 512 bytes: the small index fits, the large one does not.
    const { size } = await stat(path.join(folder, "items.index"));
    const full = await startWriter([folder, "After", "20000"], `ulimit -f ${Math.ceil(size / 512) + 200};`);
    await full.ended;
    expect(full.output()).toContain("search indexes cannot be kept on disk");
    const { snapshots } = await openSnapshots(folder);
    const found = await snapshots.read("items", anything);
    expect(digestOf(found?.data)).toBe(digestOf(builtIndex(10, "Before").data));
    expect(await readdir(folder)).toEqual(["items.index"]);
  });

  it("is finished by a site that stops, which then begins no other", async () => {
    const { snapshots, folder } = await openSnapshots();
    snapshots.write("items", builtIndex(100));
    await snapshots.close();
    snapshots.write("vehicles", builtIndex(100));
    await snapshots.settled();
    expect(await readdir(folder)).toEqual(["items.index"]);
  });
});
