import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Knex } from "knex";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { readArchive } from "../../src/commands/backup/archive-reader.ts";
import { ArchiveWriter, openFile } from "../../src/commands/backup/archive-writer.ts";
import { restoreBackup } from "../../src/commands/backup/restore.ts";
import { LEFT_OUT_TABLES } from "../../src/commands/backup/tables.ts";
import { takeBackup } from "../../src/commands/backup/take-backup.ts";
import { createDb } from "../../src/db/connect.ts";
import { migrate } from "../../src/db/migrate.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from "../helpers/database.ts";
import { fillSite, placesIn, readJobs, readRows, readSchema } from "../helpers/full-site.ts";

const LEFT_OUT = LEFT_OUT_TABLES.map(({ table }) => table);

/** A filled site and its backup, which the tests only read. */
let source: TestDatabase;
let folder: string;
let file: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "almanac-restore-"));
  file = path.join(folder, "a.tar");
  source = await createTestDatabase();
  await fillSite(source.db);
  await takeBackup(source.db, file, { site: placesIn(folder), secrets: true });
});
afterAll(async () => {
  await source?.drop();
  await rm(folder, { recursive: true, force: true });
});

async function open(create: () => Promise<TestDatabase>): Promise<TestDatabase> {
  const database = await create();
  onTestFinished(() => database.drop());
  return database;
}

/** All that a failed restore must not touch. */
async function stateOf(db: Knex): Promise<unknown> {
  return [await readRows(db, ["knex_migrations_lock"]), await readSchema(db), await readJobs(db)];
}

/** The same backup with other content in some files, as somebody who knows the format would write it. */
async function rewrite(name: string, change: (content: Buffer) => Buffer): Promise<string> {
  const other = path.join(folder, "rewritten.tar");
  const writer = new ArchiveWriter(await openFile(other, { replaces: true }), new Date());
  const bytes = await readFile(file);
  for await (const entry of readArchive(piecesOf(bytes))) {
    if (entry.name === "complete.json") {
      const { rows, pictureFiles } = JSON.parse(entry.content.toString());
      await writer.complete({ rows, pictureFiles });
    } else await writer.add(entry.name, entry.name === name ? change(entry.content) : entry.content);
  }
  return other;
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
}

describe("restore onto a site", () => {
  /** As it is before each test: only the last one changes it. */
  let target: TestDatabase;
  let before: unknown;
  beforeAll(async () => {
    target = await createTestDatabase();
    await fillSite(target.db);
    await insertRecords(target.db, "vehicles", [{ id: "only here" }]);
    await target.db.raw("select add_catalogue_kind('camps', 'camp', placed => true, favorite => true)");
    await target.db("own_kinds").insert({ kind: "camps", one: "camp" });
    before = await stateOf(target.db);
  });
  afterAll(() => target?.drop());

  it("refuses without --force, names what is there, and changes nothing", async () => {
    await expect(restoreBackup(target.db, file)).rejects.toThrow(
      "the database is not empty: it has 1 account and 11 records; --force replaces all of it",
    );
    expect(await stateOf(target.db)).toEqual(before);
  });

  it("refuses while the site runs on the database, also with --force", async () => {
    const running = createDb({ url: target.url });
    onTestFinished(() => running.destroy());
    await running.raw("select 1");
    await expect(restoreBackup(target.db, file, { force: true })).rejects.toThrow(
      'the site or a command of it works on this database (connections: 1 of "almanac"); stop it first',
    );
    expect(await stateOf(target.db)).toEqual(before);
  });

  it.each([
    [
      "a favorite of nobody",
      "data/entity_favorites/000001.tsv.gz",
      (rows: string) => rows.replaceAll(/^\d+/gm, "77"),
    ],
    ["a row that is none", "data/users/000001.tsv.gz", (rows: string) => rows.replace("\t", " ")],
    [
      "a number that is none",
      "data/servers/000001.tsv.gz",
      (rows: string) => rows.replaceAll(/\t\d+\t/g, "\tx\t"),
    ],
  ])("leaves the old site as it was where the backup cannot be loaded: %s", async (_, name, change) => {
    const bad = await rewrite(name, (content) => gzipSync(change(gunzipSync(content).toString())));
    await expect(restoreBackup(target.db, bad, { force: true })).rejects.toThrow();
    expect(await stateOf(target.db)).toEqual(before);
  });

  it("leaves the old site as it was when it is interrupted", async () => {
    const interruption = new AbortController();
    const onProgress = ({ doing }: { doing: string }) => {
      if (doing === "indexes") interruption.abort(new Error("interrupted here"));
    };
    const restoring = restoreBackup(target.db, file, {
      force: true,
      signal: interruption.signal,
      onProgress,
    });
    await expect(restoring).rejects.toThrow("interrupted here");
    expect(await stateOf(target.db)).toEqual(before);
  });

  it("refuses a backup of a newer schema, and names what it does not know", async () => {
    const newer = await rewrite("backup.json", (content) => {
      const header = JSON.parse(content.toString());
      header.migrations.push("20991231000000_come_later.ts");
      return Buffer.from(JSON.stringify(header));
    });
    await expect(restoreBackup(target.db, newer, { force: true })).rejects.toThrow(
      "the backup is of a newer version of Almanac (unknown here: 20991231000000_come_later.ts)",
    );
  });

  it("refuses rows of a table that the backup does not name", async () => {
    const odd = await rewrite("backup.json", (content) => {
      const header = JSON.parse(content.toString());
      header.tables = header.tables.filter(({ name }: { name: string }) => name !== "users");
      return Buffer.from(JSON.stringify(header));
    });
    await expect(restoreBackup(target.db, odd, { force: true })).rejects.toThrow("it has rows of users");
  });

  it("with --force replaces all of it: rows, kinds, jobs", async () => {
    await restoreBackup(target.db, file, { force: true });
    expect(await readRows(target.db, LEFT_OUT)).toEqual(await readRows(source.db, LEFT_OUT));
    expect(await readSchema(target.db)).toEqual(await readSchema(source.db));
    expect(await readJobs(target.db)).toEqual(await readJobs(source.db));
  });
});

describe("restore beside other tables", () => {
  it("leaves them alone", async () => {
    const empty = await open(createEmptyDatabase);
    await empty.db.raw("create table somebody_elses (id integer)");
    await empty.db("somebody_elses").insert({ id: 1 });
    await migrate(empty.db);
    await restoreBackup(empty.db, file, { force: true });
    expect(await empty.db("somebody_elses")).toEqual([{ id: 1 }]);
  });

  it("names the obstacle in an empty database, and changes nothing", async () => {
    const empty = await open(createEmptyDatabase);
    await empty.db.raw("create table items (id integer)");
    await expect(restoreBackup(empty.db, file)).rejects.toThrow('relation "items" already exists');
    expect(Object.keys(await readRows(empty.db))).toEqual(["items", "sequences"]);
  });
});

describe("backup", () => {
  it("reports tables that are not Almanac's, and leaves them out", async () => {
    await source.db.raw("create table somebody_elses (id integer)");
    const { leftOut } = await takeBackup(source.db, path.join(folder, "b.tar"), { site: placesIn(folder) });
    expect(leftOut).toContainEqual({ what: "table somebody_elses", why: "it is not Almanac's" });
    const target = await open(createTestDatabase);
    await restoreBackup(target.db, path.join(folder, "b.tar"), { force: true });
    expect(Object.keys(await readRows(target.db))).not.toContain("somebody_elses");
  });

  it("refuses a database without a site", async () => {
    const empty = await open(createEmptyDatabase);
    await expect(
      takeBackup(empty.db, path.join(folder, "b.tar"), { site: placesIn(folder) }),
    ).rejects.toThrow("there is no site in this database");
  });
});
