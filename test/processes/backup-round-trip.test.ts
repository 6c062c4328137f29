import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import type { Knex } from "knex";
import { describe, expect, it, onTestFinished } from "vitest";
import { checkBackup } from "../../src/commands/backup/read-backup.ts";
import { restoreBackup } from "../../src/commands/backup/restore.ts";
import { LEFT_OUT_TABLES, SESSIONS } from "../../src/commands/backup/tables.ts";
import { takeBackup } from "../../src/commands/backup/take-backup.ts";
import { migrate, pendingMigrations, rollback } from "../../src/db/migrate.ts";
import { addLostJobs } from "../../src/notifications/deliveries-queries.ts";
import { DatabaseStore, FolderStore } from "../../src/records/pictures/store.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { createEmptyDatabase, createTestDatabase, openPool, type TestDatabase } from "../helpers/database.ts";
import { fillSite, makePlaces, readJobs, readRows, readSchema } from "../helpers/full-site.ts";
import { addDiscount, addDonateItem } from "../helpers/things.ts";

const LEFT_OUT = LEFT_OUT_TABLES.map(({ table }) => table);
const run = promisify(execFile);

async function database(create: () => Promise<TestDatabase>): Promise<Knex> {
  const made = await create();
  onTestFinished(() => made.drop());
  return made.db;
}

async function filledSite(): Promise<Knex> {
  const db = await database(createTestDatabase);
  await fillSite(db);
  return db;
}

describe("a backup, restored into an empty database", () => {
  it("has every row of every table, every sequence, index, constraint and trigger, and the jobs that wait", async () => {
    const db = await filledSite();
    const { folder, site } = await makePlaces();
    const file = path.join(folder, "all.tar");
    await takeBackup(db, file, { site, secrets: true });
    const other = await database(createEmptyDatabase);
    await restoreBackup(other, file);
    expect(await readRows(other, LEFT_OUT)).toEqual(await readRows(db, LEFT_OUT));
    expect(await readSchema(other)).toEqual(await readSchema(db));
    expect(await readJobs(other)).toEqual(await readJobs(db));
    expect(await readJobs(other)).toHaveLength(2);
    expect(await pendingMigrations(other)).toEqual([]);
    const known = await other.raw("select reltuples from pg_class where relname = 'items'");
    expect(known.rows[0].reltuples).toBe(2);
  });

  it("goes on where the site was: ids are new ones, changes are followed, queued messages come once", async () => {
    const db = await filledSite();
    const { folder, site } = await makePlaces();
    await takeBackup(db, path.join(folder, "a.tar"), { site });
    const other = await database(createEmptyDatabase);
    await restoreBackup(other, path.join(folder, "a.tar"));
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
    const db = await filledSite();
    const { folder, site } = await makePlaces();
    const { leftOut } = await takeBackup(db, path.join(folder, "a.tar"), { site });
    expect(leftOut.map(({ what }) => what)).toEqual([
      "log-ins",
      path.join(site.dataDir, "secrets"),
      "the environment",
    ]);
    const other = await database(createEmptyDatabase);
    await restoreBackup(other, path.join(folder, "a.tar"));
    expect(await other(SESSIONS)).toEqual([]);
    const rows = await readRows(db, [...LEFT_OUT, SESSIONS]);
    expect(await readRows(other, [...LEFT_OUT, SESSIONS])).toEqual(rows);
  });

  it("with --as-sent sends nothing that waited or came due since", async () => {
    const db = await filledSite();
    await addDonateItem(db, "begun");
    await addDiscount(db, "begun", "begun");
    const { folder, site } = await makePlaces();
    await takeBackup(db, path.join(folder, "a.tar"), { site });
    const other = await database(createEmptyDatabase);
    await restoreBackup(other, path.join(folder, "a.tar"), { asSent: true });
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
    const created = await createTestDatabase();
    onTestFinished(() => created.drop());
    const { db } = created;
    const writers = openPool(created.url);
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
    const other = await database(createEmptyDatabase);
    await restoreBackup(other, path.join(folder, "a.tar"));
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
    const db = await filledSite();
    for (let step = 0; step < 6; step++) await rollback(db);
    const { folder, site } = await makePlaces();
    await takeBackup(db, path.join(folder, "old.tar"), { site });
    const { header } = await checkBackup(path.join(folder, "old.tar"));
    expect(header.migrations).toEqual(await db("knex_migrations").pluck("name").orderBy("name"));
    const other = await database(createTestDatabase);
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
    const db = await database(createTestDatabase);
    const { folder, site } = await makePlaces();
    const inFolder = new FolderStore(path.join(site.dataDir, "pictures"));
    await (from === "files" ? inFolder : new DatabaseStore(db)).write(picture, files);
    const file = path.join(folder, "a.tar");
    await takeBackup(db, file, { site: { ...site, pictures: from } });
    const other = await database(createEmptyDatabase);
    const target = new FolderStore(path.join(folder, "restored"));
    const { pictureFiles } = await restoreBackup(other, file, {
      pictures: (transaction) => (to === "files" ? target : new DatabaseStore(transaction)),
    });
    expect(pictureFiles).toBe(2);
    const store = to === "files" ? target : new DatabaseStore(other);
    for (const [name, bytes] of files) expect(await store.read(picture, name)).toEqual(bytes);
  });
});

describe("the file", () => {
  it("is for its owner only, opens with tar, and holds against sha256sum", async () => {
    const db = await filledSite();
    const { folder, site } = await makePlaces();
    const file = path.join(folder, "a.tar");
    const { bytes, sha256, rows } = await takeBackup(db, file, { site });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(file)).size).toBe(bytes);
    expect(await readdir(folder)).toEqual(["a.tar"]);
    const unpacked = path.join(folder, "unpacked");
    await mkdir(unpacked);
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
