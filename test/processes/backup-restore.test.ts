import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Knex } from "knex";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { readArchive } from "../../src/commands/backup/archive-reader.ts";
import { ArchiveWriter, openFile } from "../../src/commands/backup/archive-writer.ts";
import { checkBackup } from "../../src/commands/backup/read-backup.ts";
import { restoreBackup } from "../../src/commands/backup/restore.ts";
import { LEFT_OUT_TABLES, SESSIONS } from "../../src/commands/backup/tables.ts";
import { type BackupSummary, takeBackup } from "../../src/commands/backup/take-backup.ts";
import { claimBackup, noteCommand, readFailedCommand } from "../../src/db/backup-state-queries.ts";
import { createDb } from "../../src/db/connect.ts";
import { migrate, pendingMigrations, rollback } from "../../src/db/migrate.ts";
import { addLostJobs } from "../../src/notifications/deliveries-queries.ts";
import { DatabaseStore, FolderStore } from "../../src/records/pictures/store.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { createEmptyDatabase, createTestDatabase, openPool, type TestDatabase } from "../helpers/database.ts";
import { fillSite, makePlaces, placesIn, readJobs, readRows, readSchema } from "../helpers/full-site.ts";
import { addDiscount, addDonateItem } from "../helpers/things.ts";

const LEFT_OUT = LEFT_OUT_TABLES.map(({ table }) => table);
const run = promisify(execFile);

/** A filled site and its backups, which the tests only read: one with secrets, and one without. */
let source: TestDatabase;
let folder: string;
let file: string;
let plain: BackupSummary & { file: string };

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "almanac-restore-"));
  file = path.join(folder, "a.tar");
  source = await createTestDatabase();
  await fillSite(source.db);
  await addDonateItem(source.db, "begun");
  await addDiscount(source.db, "begun", "begun");
  await takeBackup(source.db, file, { site: placesIn(folder), secrets: true });
  const other = path.join(folder, "plain.tar");
  plain = { ...(await takeBackup(source.db, other, { site: placesIn(folder) })), file: other };
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

/** An empty database with a backup in it. */
async function restored(backup: string, options: Parameters<typeof restoreBackup>[2] = {}): Promise<Knex> {
  const { db } = await open(createEmptyDatabase);
  await restoreBackup(db, backup, options);
  return db;
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

describe("the file", () => {
  it("is for its owner only, opens with tar, and holds against sha256sum", async () => {
    const { bytes, file, sha256, rows } = plain;
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(file)).size).toBe(bytes);
    expect((await readdir(folder)).sort()).toEqual(["a.tar", "plain.tar"]);
    const { folder: unpacked } = await makePlaces();
    await run("tar", ["-xf", file, "-C", unpacked]);
    const lists = await readdir(path.join(unpacked, "checksums"));
    for (const list of lists)
      await run("sha256sum", ["--check", "--strict", `checksums/${list}`], { cwd: unpacked });
    expect((await run("sha256sum", [file])).stdout).toContain(sha256);
    const header = JSON.parse(await readFile(path.join(unpacked, "backup.json"), "utf8"));
    const { columns } = header.tables.find(({ name }: { name: string }) => name === "users");
    const users = gunzipSync(await readFile(path.join(unpacked, "data/users/000001.tsv.gz"))).toString();
    expect(users.split("\t")[columns.indexOf("email")]).toBe("ann@example.org");
    const seal = JSON.parse(await readFile(path.join(unpacked, "complete.json"), "utf8"));
    expect(Object.values<number>(seal.rows).reduce((sum, count) => sum + count, 0)).toBe(rows);
  });
});

describe("a backup, restored into an empty database", () => {
  it("has every row, sequence, index, constraint, trigger and waiting job, and goes on where the site was", async () => {
    const { db } = source;
    const other = await restored(file);
    expect(await readRows(other, LEFT_OUT)).toEqual(await readRows(db, LEFT_OUT));
    expect(await readSchema(other)).toEqual(await readSchema(db));
    expect(await readJobs(other)).toEqual(await readJobs(db));
    expect(await readJobs(other)).toHaveLength(2);
    expect(await pendingMigrations(other)).toEqual([]);
    const known = await other.raw("select reltuples from pg_class where relname = 'items'");
    expect(known.rows[0].reltuples).toBe(2);

    const version = () => other("catalogue_versions").where({ kind: "quests" }).first("version");
    const { version: before } = await version();
    await other("quests").insert({ id: "new", name: "New" });
    expect((await version()).version).toBe(before + 1);
    const [user] = await other("users")
      .insert({ name: "Bob", name_key: "bob", password_hash: "$argon2id$" })
      .returning("id");
    expect(user.id).toBe((await db("users").max("id as id").first())?.id + 1);
    await other.raw("update deliveries set created_at = now() - interval '1 hour'");
    // The delivery by e-mail has its job, from the backup; the daily mail and the webhook had lost theirs.
    expect(await addLostJobs(other)).toBe(2);
  });

  it("has no log-ins and no secrets unless requested", async () => {
    expect(plain.leftOut.map(({ what }) => what)).toEqual([
      "log-ins",
      path.join(placesIn(folder).dataDir, "secrets"),
      "the environment",
    ]);
    const other = await restored(plain.file);
    expect(await other(SESSIONS)).toEqual([]);
    const rows = await readRows(source.db, [...LEFT_OUT, SESSIONS]);
    expect(await readRows(other, [...LEFT_OUT, SESSIONS])).toEqual(rows);
  });

  it("has no backup under way, although the site's own was when it was taken", async () => {
    const { db } = await open(createTestDatabase);
    expect(await claimBackup(db, 24)).toBe(true);
    await noteCommand(db, { file: "lost.tar", reason: "the disk is full" });
    const own = path.join(folder, "own.tar");
    await takeBackup(db, own, { site: placesIn(folder) });
    const other = await restored(own);
    expect(await readFailedCommand(other, new Date())).toBeUndefined();
    expect(await claimBackup(other, 24)).toBe(true);
  });

  it("with --as-sent sends nothing that waited or came due since", async () => {
    const other = await restored(plain.file, { asSent: true });
    expect(await readJobs(other)).toEqual([]);
    expect(await other("deliveries").where({ state: "waiting" })).toEqual([]);
    expect(await other("webhook_news")).toEqual([]);
    expect(await other("discounts").whereNull("told_at").where("starts_at", "<=", other.fn.now())).toEqual(
      [],
    );
    expect(await other("server_crossings").whereNull("alerted_at").orWhere({ webhooks_told: false })).toEqual(
      [],
    );
    expect(await other("deliveries").where({ state: "sent" })).toHaveLength(1);
  });
});

describe("a backup, taken while others write", () => {
  it("has each transaction whole or not at all, and all that were acknowledged before", async () => {
    const { db, url } = await open(createTestDatabase);
    const writers = openPool(url);
    let written = 0;
    let isOver = false;
    const write = async () => {
      while (!isOver) {
        const id = String(written + 1);
        await writers.transaction(async (transaction) => {
          await insertRecords(transaction, "items", [{ id }]);
          await insertRecords(transaction, "vehicles", [{ id }]);
        });
        written += 1;
      }
    };
    const writing = write();
    await expect.poll(() => written).toBeGreaterThan(20);
    const { folder, site } = await makePlaces();
    const acknowledged = written;
    await takeBackup(db, path.join(folder, "a.tar"), { site });
    await expect.poll(() => written).toBeGreaterThan(acknowledged + 5);
    isOver = true;
    await writing;
    const other = await restored(path.join(folder, "a.tar"));
    const ids = (table: string) => other(table).pluck<string[]>("id").orderBy("id");
    expect(await ids("items")).toEqual(await ids("vehicles"));
    expect((await ids("items")).length).toBeGreaterThanOrEqual(acknowledged);
    expect((await ids("items")).length).toBeLessThan(written);
    const { rows } = await other.raw(
      "select v.version = (select count(*) from items)::bigint as whole from catalogue_versions v where kind = 'items'",
    );
    expect(rows).toEqual([{ whole: true }]);
  });
});

describe("a backup of an older schema", () => {
  it("is restored as it was and brought up to date", async () => {
    const { db } = await open(createTestDatabase);
    await fillSite(db);
    for (let step = 0; step < 6; step++) await rollback(db);
    const { folder, site } = await makePlaces();
    await takeBackup(db, path.join(folder, "old.tar"), { site });
    const { header } = await checkBackup(path.join(folder, "old.tar"));
    expect(header.migrations).toEqual(await db("knex_migrations").pluck("name").orderBy("name"));
    const { db: other } = await open(createTestDatabase);
    await restoreBackup(other, path.join(folder, "old.tar"));
    await migrate(db);
    expect(await pendingMigrations(other)).toEqual([]);
    const now = [...LEFT_OUT, SESSIONS, "catalogue_versions", "catalogue_stamps"];
    expect(await readRows(other, now)).toEqual(await readRows(db, now));
    expect(await readSchema(other)).toEqual(await readSchema(db));
  });
});

describe("pictures", () => {
  const picture = "0123456789abcdef0123456789abcdef";
  const files = new Map([
    ["640.webp", Buffer.from([0, 1, 2, 255, 10])],
    ["32.webp", Buffer.from("small")],
  ] as const);

  it.each([
    ["files", "database"],
    ["database", "files"],
  ] as const)("come from %s and go into %s", async (from, to) => {
    const { db } = await open(createTestDatabase);
    const { folder, site } = await makePlaces();
    const inFolder = new FolderStore(path.join(site.dataDir, "pictures"));
    await (from === "files" ? inFolder : new DatabaseStore(db)).write(picture, files);
    const file = path.join(folder, "a.tar");
    await takeBackup(db, file, { site: { ...site, pictures: from } });
    const { db: other } = await open(createEmptyDatabase);
    const target = new FolderStore(path.join(folder, "restored"));
    const { pictureFiles } = await restoreBackup(other, file, {
      pictures: (transaction) => (to === "files" ? target : new DatabaseStore(transaction)),
    });
    expect(pictureFiles).toBe(2);
    const store = to === "files" ? target : new DatabaseStore(other);
    for (const [name, bytes] of files) expect(await store.read(picture, name)).toEqual(bytes);
  });
});

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
