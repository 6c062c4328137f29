import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { closeConnection, createDb, openConnection } from "../../src/db/connect.ts";
import { DatabaseSetupError } from "../../src/db/failures.ts";
import { addJobs } from "../../src/db/jobs.ts";
import {
  MIGRATIONS_DIRECTORY,
  migrate,
  migrationSource,
  pendingMigrations,
  rollback,
} from "../../src/db/migrate.ts";
import { MIGRATION_LOCK } from "../../src/db/migration-lock.ts";
import { useCli } from "../helpers/cli.ts";
import {
  createEmptyDatabase,
  createTestDatabase,
  openTransaction,
  type TestDatabase,
} from "../helpers/database.ts";
import { PATIENT } from "../helpers/patience.ts";
import { addEntity } from "../helpers/things.ts";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const SCRIPT = fileURLToPath(new URL("../helpers/migrate-process.ts", import.meta.url));

const cli = useCli();

/** An empty one, unless a test uses a migrated one. */
let database: TestDatabase;
let directory: string;
beforeEach(async () => {
  database = await createEmptyDatabase();
  directory = await mkdtemp(path.join(tmpdir(), "almanac-migrations-"));
});
afterEach(async () => {
  await database.drop();
  await rm(directory, { recursive: true, force: true });
});

/** A clone, because all migrations take seconds. */
async function useMigrated(): Promise<void> {
  await database.drop();
  database = await createTestDatabase();
}

/** A migration that makes a table of its own name; `before` is SQL that it runs first. */
async function addMigration(name: string, before = "select 1"): Promise<string> {
  const file = `${name}.ts`;
  await writeFile(
    path.join(directory, file),
    `export async function up(knex: any) {
      await knex.raw(${JSON.stringify(before)});
      await knex.raw("create table ${name} (id integer)");
    }
    export async function down(knex: any) { await knex.raw("drop table ${name}"); }\n`,
  );
  return file;
}

async function tables(): Promise<string[]> {
  return database.db("pg_tables").where({ schemaname: "public" }).orderBy("tablename").pluck("tablename");
}

const KNEX_TABLES = ["knex_migrations", "knex_migrations_lock"];

/** The queue of jobs brings migrations of its own, for a schema of its own. */
const QUEUE = "graphile_worker";

describe("the repository's migrations", () => {
  const schemas = () => database.db("pg_namespace").where({ nspname: QUEUE }).pluck("nspname");

  it("go down and up again, the queue's with them", async () => {
    await useMigrated();
    const names = readdirSync(MIGRATIONS_DIRECTORY).sort();
    const before = await tables();
    const inDatabase = await database.db.withSchema(QUEUE).from("migrations").orderBy("id").pluck("id");
    const newest = path.join(REPOSITORY, "node_modules/graphile-worker/sql");
    expect(inDatabase).toEqual(readdirSync(newest).map((name) => Number.parseInt(name, 10)));
    await addJobs(database.db, [{ task: "tell_discount", payload: { discountId: "d" } }]);
    expect(await rollback(database.db, { all: true })).toEqual([...names].reverse());
    expect(await tables()).toEqual(KNEX_TABLES);
    expect(await schemas()).toEqual([]);
    expect(await pendingMigrations(database.db)).toEqual([...names, QUEUE]);
    expect(await migrate(database.db)).toEqual([...names, QUEUE]);
    expect(await tables()).toEqual(before);
    expect(await pendingMigrations(database.db)).toEqual([]);
  });
});

/** Undoes migrations one by one until it has undone this one; without a look at what is lost by each. */
async function undoDownTo(number: string): Promise<void> {
  for (let undone = ""; !undone.startsWith(number); )
    [, [undone = ""]] = await database.db.migrate.down({ migrationSource: migrationSource() });
}

describe("a kind of the operator's own from the version before", () => {
  it("gets the columns that lock fields, and loses them on the way down", async () => {
    await useMigrated();
    const { db } = database;
    await undoDownTo("20261129071000");
    await db.raw("select add_catalogue_kind('skins', 'skin', placed => true, favorite => true)");
    await db("own_kinds").insert({ kind: "skins", one: "skin" });
    await db("skins").insert({ id: "a", name: "A" });
    await migrate(db);
    expect(await db("skins").select("id", "locked", "locked_at")).toEqual([
      { id: "a", locked: [], locked_at: null },
    ]);
    await undoDownTo("20261129071000");
    expect(Object.keys(await db("skins").first())).not.toContain("locked");
  });
});

describe("notifications of the version before", () => {
  it("keep their discounts on the way up, and down; those that are gone by then are forgotten", async () => {
    for (const name of readdirSync(MIGRATIONS_DIRECTORY).filter((each) => each < "20261121101200")) {
      const stub = `export { up, down } from ${JSON.stringify(path.join(MIGRATIONS_DIRECTORY, name))};`;
      await writeFile(path.join(directory, name), stub);
    }
    const { db } = database;
    await migrate(db, { directory });
    const [{ id: user_id }] = await db("users")
      .insert({ name: "ann", name_key: "ann", password_hash: "$argon2id$none" })
      .returning("id");
    await db("donate_items").insert({ id: "item", name: "Item", price: "10.00", currency: "EUR" });
    for (const id of ["stays", "goes"]) {
      await db("discounts").insert({ id, item_key: "item", percent: "10", starts_at: db.fn.now() });
      const notification = { user_id, discount_id: id, item_name: id, new_price: "9.00", currency: "EUR" };
      await db("notifications").insert(notification);
    }
    await migrate(db);
    const discounts = () => db("notifications").orderBy("id").pluck("discount_id");
    await db("discounts").where({ id: "goes" }).delete();
    expect(await discounts()).toEqual(["stays", "goes"]);
    expect(await db("discount_runs").orderBy("discount_id").pluck("run")).toEqual([1, 1]);
    await undoDownTo("20261121101200");
    expect(await discounts()).toEqual(["stays", null]);
    await db("discounts").where({ id: "stays" }).delete();
    expect(await discounts()).toEqual([null, null]);
  });
});

describe("the queue's schema", () => {
  it("is pending, and applied by the next run, where only it is missing or old", async () => {
    await useMigrated();
    await database.db.raw(`delete from ${QUEUE}.migrations where id = 19`);
    expect(await pendingMigrations(database.db)).toEqual([QUEUE]);
    expect(await migrate(database.db)).toEqual([QUEUE]);
    await database.db.raw(`drop schema ${QUEUE} cascade`);
    expect(await migrate(database.db)).toEqual([QUEUE]);
    expect(await migrate(database.db)).toEqual([]);
  });

  it("gives up in time where somebody keeps a table of it", async () => {
    await useMigrated();
    await database.db.raw(`delete from ${QUEUE}.migrations where id = 19`);
    const held = await openTransaction(database.db);
    await held.raw(`lock table ${QUEUE}.migrations in share mode`);
    const failure = await migrate(database.db, { waitMs: 500 }).catch((error: unknown) => error);
    await held.rollback();
    expect(String(failure)).toMatch(/^DatabaseSetupError: The tables are in use/);
    expect(await migrate(database.db)).toEqual([QUEUE]);
  });

  it("asks for the right to make it before anything is changed", async () => {
    const name = `almanac_test_${randomBytes(4).toString("hex")}`;
    const own = new URL(database.url).pathname.slice(1);
    const admin = createDb({ url: new URL(`/${own}`, inject("adminUrl")).href, poolMax: 1, ...PATIENT });
    const as = (user: string) => Object.assign(new URL(database.url), { username: user, password: "secret" });
    await admin.raw(`create role ?? login password 'secret'`, [name]);
    const db = createDb({ url: as(name).href, ...PATIENT });
    try {
      await admin.raw("grant all on schema public to ??", [name]);
      const failure = await migrate(db).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(DatabaseSetupError);
      expect(String(failure)).toContain(`GRANT CREATE ON DATABASE ${own} TO ${name};`);
      expect(await tables()).toEqual([]);
      await admin.raw("grant create on database ?? to ??", [own, name]);
      expect(await migrate(db)).toContain(QUEUE);
      // What is there already needs no right to make it.
      await admin.raw("revoke create on database ?? from ??", [own, name]);
      expect(await migrate(db)).toEqual([]);
    } finally {
      await db.destroy();
      await admin.raw("drop owned by ?? cascade", [name]);
      await admin.raw("drop role ??", [name]);
      await admin.destroy();
    }
  });

  it("is made once by several processes at the same moment", async () => {
    await useMigrated();
    await database.db.raw(`drop schema ${QUEUE} cascade`);
    const pools = [0, 1, 2].map(() => createDb({ url: database.url, poolMax: 1, ...PATIENT }));
    const results = await Promise.all(pools.map((db) => migrate(db)));
    await Promise.all(pools.map((db) => db.destroy()));
    expect(results.filter((done) => done.includes(QUEUE))).toHaveLength(1);
  });
});

describe("migrate", () => {
  it("applies what is pending, in order, and then nothing", async () => {
    const second = await addMigration("m2");
    const first = await addMigration("m1");
    expect(await pendingMigrations(database.db, { directory })).toEqual([first, second]);
    expect(await tables()).toEqual([]);
    expect(await migrate(database.db, { directory })).toEqual([first, second]);
    expect(await migrate(database.db, { directory })).toEqual([]);
    expect(await pendingMigrations(database.db, { directory })).toEqual([]);
    const third = await addMigration("m3");
    expect(await pendingMigrations(database.db, { directory })).toEqual([third]);
    expect(await migrate(database.db, { directory })).toEqual([third]);
    expect(await tables()).toEqual([...KNEX_TABLES, "m1", "m2", "m3"]);
  });

  it("is done once when several pools do it at the same moment, and all wait for it", async () => {
    const names = [await addMigration("m1", "select pg_sleep(0.5)"), await addMigration("m2")];
    const lines: string[] = [];
    const pools = [0, 1, 2, 3].map(() => createDb({ url: database.url, poolMax: 1, ...PATIENT }));
    const results = await Promise.all(
      pools.map(async (db) => {
        const done = await migrate(db, { directory, log: (line) => lines.push(line) });
        // The caller finds the whole schema.
        await db.raw("select * from m1, m2");
        return done;
      }),
    );
    await Promise.all(pools.map((db) => db.destroy()));
    expect(results.filter((done) => done.length > 0)).toEqual([names]);
    expect(lines).toEqual(
      Array(3).fill(
        expect.stringMatching(
          /^Another process is migrating the database; waiting for it \(connection \d+ of "/,
        ),
      ),
    );
  });

  it("names who keeps its lock, and gives up in time", async () => {
    await addMigration("m1");
    const holder = createDb({ url: database.url, applicationName: "holder", ...PATIENT });
    const connection = await openConnection(holder);
    await connection.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    const lines: string[] = [];
    const failure = await migrate(database.db, {
      directory,
      waitMs: 600,
      log: (line) => lines.push(line),
    }).catch((error: unknown) => error);
    await closeConnection(connection);
    await holder.destroy();
    expect(lines).toEqual([expect.stringMatching(/waiting for it \(connection \d+ of "holder"/)]);
    expect(failure).toBeInstanceOf(DatabaseSetupError);
    expect(String(failure)).toMatch(
      /has kept the lock of migrations for 0\.6 s \(connection \d+ of "holder"/,
    );
    expect(await migrate(database.db, { directory })).toHaveLength(1);
  });

  it("names who uses a table that it waits for, and gives up in time with nothing changed", async () => {
    await addMigration("m1");
    await migrate(database.db, { directory });
    const second = await addMigration("m2", "alter table m1 add column more integer");
    const holder = createDb({ url: database.url, applicationName: "holder", ...PATIENT });
    const held = await holder.transaction();
    await held.raw("select * from m1");
    const lines: string[] = [];
    const options = { directory, waitMs: 3_000, log: (line: string) => lines.push(line) };
    const failure = await migrate(database.db, options).catch((error: unknown) => error);
    await held.rollback();
    await holder.destroy();
    expect(lines).toEqual([
      expect.stringMatching(/^The migration waits for tables .*connection \d+ of "holder"/),
    ]);
    expect(String(failure)).toMatch(/^DatabaseSetupError: The tables are in use/);
    expect(await pendingMigrations(database.db, { directory })).toEqual([second]);
    expect(await migrate(database.db, { directory })).toEqual([second]);
  });

  it("is done once when several processes do it at the same moment, from any working directory", async () => {
    const names = [await addMigration("m1", "select pg_sleep(0.5)"), await addMigration("m2")];
    const args = [SCRIPT, database.url, directory];
    const runs = [0, 1].map(() => promisify(execFile)(process.execPath, args, { cwd: "/" }));
    const results = (await Promise.all(runs)).map(({ stdout }) => JSON.parse(stdout));
    expect(results.sort((one, other) => other.length - one.length)).toEqual([names, []]);
    expect(await database.db("knex_migrations").pluck("name")).toEqual(names);
  });

  it("leaves nothing behind when its process is killed, and nothing in the next one's way", async () => {
    await addMigration("m1");
    const slow = await addMigration("m2", "select pg_sleep(60)");
    const args = [SCRIPT, database.url, directory];
    const child = spawn(process.execPath, args, { cwd: REPOSITORY, stdio: "ignore" });
    const sleepers = () =>
      database.db("pg_stat_activity").whereRaw("datname = current_database() and wait_event = 'PgSleep'");
    await expect.poll(async () => (await sleepers()).length === 1).toBe(true);
    child.kill("SIGKILL");
    // The server notices a lost client only when the query ends; pg_sleep would take its time.
    await database.db.raw(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where wait_event = 'PgSleep' and datname = current_database()`,
    );
    expect(await tables()).toEqual(KNEX_TABLES);
    await addMigration("m2");
    expect(await migrate(database.db, { directory })).toEqual(["m1.ts", slow]);
  });

  it("takes no notice of a lock row that Knex' command line left when it was killed", async () => {
    await addMigration("m1");
    await migrate(database.db, { directory });
    await database.db("knex_migrations_lock").update({ is_locked: 1 });
    const next = await addMigration("m2");
    expect(await migrate(database.db, { directory })).toEqual([next]);
    expect(await database.db("knex_migrations_lock").pluck("is_locked")).toEqual([0]);
  });

  it("writes nothing where nothing is pending, so that it may be called on a read-only database", async () => {
    await addMigration("m1");
    await migrate(database.db, { directory });
    await database.db.raw("alter database ?? set default_transaction_read_only to on", [
      new URL(database.url).pathname.slice(1),
    ]);
    const readOnly = createDb({ url: database.url });
    try {
      expect(await migrate(readOnly, { directory })).toEqual([]);
      await addMigration("m2");
      await expect(migrate(readOnly, { directory })).rejects.toThrow("read-only transaction");
    } finally {
      await readOnly.destroy();
    }
  });

  it("applies all or nothing", async () => {
    await addMigration("m1");
    await addMigration("m2", "select 1/0");
    await expect(migrate(database.db, { directory })).rejects.toThrow("division by zero");
    expect(await tables()).toEqual(KNEX_TABLES);
    expect(await database.db("knex_migrations")).toEqual([]);
    await rm(path.join(directory, "m2.ts"));
    expect(await migrate(database.db, { directory })).toEqual(["m1.ts"]);
  });

  it("may take longer than a query of the site", async () => {
    await addMigration("m1", "select pg_sleep(0.4)");
    const db = createDb({ url: database.url, statementTimeoutMs: 200 });
    expect(await migrate(db, { directory }).finally(() => db.destroy())).toEqual(["m1.ts"]);
  });

  it("refuses a database of a newer version, and changes nothing", async () => {
    await addMigration("m1");
    await addMigration("m2");
    await migrate(database.db, { directory });
    await rm(path.join(directory, "m2.ts"));
    await addMigration("m3");
    for (const work of [migrate, rollback, pendingMigrations]) {
      const failure = await work(database.db, { directory }).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(DatabaseSetupError);
      expect(String(failure)).toMatch(/another version of Almanac \(unknown here: m2\.ts\)/);
    }
    expect(await tables()).toEqual([...KNEX_TABLES, "m1", "m2"]);
  });
});

describe("rollback", () => {
  it("takes back one migration at a time, newest first, also of those that were applied together", async () => {
    await addMigration("m1");
    await migrate(database.db, { directory });
    await addMigration("m2");
    await addMigration("m3");
    await migrate(database.db, { directory });
    expect(await rollback(database.db, { directory })).toEqual(["m3.ts"]);
    expect(await tables()).toEqual([...KNEX_TABLES, "m1", "m2"]);
    expect(await rollback(database.db, { directory })).toEqual(["m2.ts"]);
    expect(await rollback(database.db, { directory })).toEqual(["m1.ts"]);
    expect(await rollback(database.db, { directory })).toEqual([]);
  });

  it("takes back all or nothing", async () => {
    await addMigration("m1");
    await addMigration("m2");
    await migrate(database.db, { directory });
    await database.db.raw("create view needs_m1 as select * from m1");
    await expect(rollback(database.db, { directory, all: true })).rejects.toThrow("cannot drop table m1");
    expect(await tables()).toEqual([...KNEX_TABLES, "m1", "m2"]);
    expect(await database.db("knex_migrations").pluck("name")).toEqual(["m1.ts", "m2.ts"]);
  });
});

describe("what a rollback would destroy", () => {
  const change = `
    export async function up(knex: any) {
      await knex.raw("create table kept (id integer, note text, renamed text)");
      await knex.raw("create table parted (at integer) partition by range (at)");
      await knex.raw("create table parted_1 partition of parted for values from (0) to (9)");
      await knex.raw("create schema other");
      await knex.raw("create table other.gone (id integer)");
    }
    export async function down(knex: any) {
      await knex.raw("alter table kept drop column note");
      await knex.raw("alter table kept rename column renamed to name");
      await knex.raw("delete from kept where id > 1");
      await knex.raw("drop table parted");
      await knex.raw("drop schema other cascade");
    }`;

  it("is shown with its content, and stays without consent", async () => {
    const { db } = database;
    await writeFile(path.join(directory, "m1.ts"), change);
    await migrate(db, { directory });
    await db("kept").insert([{ id: 1, note: "a" }, { id: 2 }, { id: 3, note: "b" }]);
    await db("parted").insert([{ at: 1 }, { at: 2 }]);
    const before = await tables();
    const told: unknown[] = [];
    const agrees = (...what: unknown[]) => told.push(what) > 1;
    expect(await rollback(db, { directory, agrees })).toEqual([]);
    expect(await tables()).toEqual(before);
    expect(await db("kept").orderBy("id").pluck("note")).toEqual(["a", null, "b"]);
    expect(await rollback(db, { directory, agrees })).toEqual(["m1.ts"]);
    expect(await db("kept").columnInfo()).not.toHaveProperty("note");
    const losses = [
      { kind: "table", table: "other.gone", rows: 0 },
      { kind: "column", table: "kept", column: "note", values: 2 },
      { kind: "rows", table: "kept", rows: 2 },
      { kind: "table", table: "parted", rows: 2 },
    ];
    expect(told).toEqual([
      [["m1.ts"], losses],
      [["m1.ts"], losses],
    ]);
  });

  it("stays when somebody else uses it, in one line", async () => {
    await addMigration("m1");
    await migrate(database.db, { directory });
    const reader = await database.db.transaction();
    await reader("m1");
    const failure = await rollback(database.db, { directory }).catch((error: unknown) => error);
    await reader.rollback();
    expect(failure).toBeInstanceOf(DatabaseSetupError);
    expect(String(failure)).toContain("stop the site");
    expect(await tables()).toContain("m1");
  });
});

describe("the command migrate --rollback", () => {
  const run = (...args: string[]) => cli.run({ DATABASE_URL: database.url }, "migrate", ...args);

  it("undoes nothing without --yes, then the newest migration alone", async () => {
    await useMigrated();
    const newest = readdirSync(MIGRATIONS_DIRECTORY).sort().at(-1);
    await addEntity(database.db, "items", "kept");
    expect(await run("--rollback")).toBe(1);
    const lines = cli.err.trimEnd().split("\n");
    expect(lines[0]).toContain(`${newest} would destroy`);
    expect(lines.at(-1)).toContain("Nothing was changed. To undo it: ");
    expect(await pendingMigrations(database.db)).toEqual([]);
    expect(await run("--rollback", "--yes")).toBe(0);
    const last = [cli.out, cli.err].map((text) => text.trimEnd().split("\n").at(-1));
    expect(last).toEqual([newest, "1 undone."]);
    expect(await pendingMigrations(database.db)).toEqual([newest]);
    expect(await database.db("items").pluck("id")).toEqual(["kept"]);
  });

  it.each(["--yes", "--status --rollback"])("refuses %s before it opens a database", async (args) => {
    expect(await cli.run({}, "migrate", ...args.split(" "))).toBe(2);
    expect(cli.err).toMatch(/^almanac: migrate: .*--rollback/);
  });
});

describe("Knex' command line", () => {
  // Passes only the path of the environment, because the test runner puts a BASE_URL of its own there.
  const knexCli = (env: NodeJS.ProcessEnv, ...args: string[]) =>
    promisify(execFile)(process.execPath, ["node_modules/knex/bin/cli.js", ...args], {
      cwd: REPOSITORY,
      env: { PATH: process.env.PATH, ...env },
    });

  it("knows the same migrations by the same names", async () => {
    await useMigrated();
    const names = readdirSync(MIGRATIONS_DIRECTORY);
    const { stdout } = await knexCli({ DATABASE_URL: database.url }, "migrate:list");
    expect(stdout).toContain(`Found ${names.length} Completed Migration file/files`);
    expect(stdout).toContain("No Pending Migration files Found");
    await knexCli({ DATABASE_URL: database.url }, "migrate:rollback", "--all");
    expect(await tables()).toEqual(KNEX_TABLES);
  });

  it("waits for a site that migrates", async () => {
    await addMigration("m1", "select pg_sleep(2.5)");
    const working = migrate(database.db, { directory });
    const listing = knexCli({ DATABASE_URL: database.url }, "migrate:currentVersion");
    const order: string[] = [];
    await Promise.all([working.then(() => order.push("site")), listing.then(() => order.push("command"))]);
    expect(order).toEqual(["site", "command"]);
  });

  it("says in one line that no database runs", async () => {
    const failure = await knexCli({ DATABASE_URL: "", DATA_DIR: directory }, "migrate:list").catch(
      (error: { stdout: string; stderr: string }) => error.stdout + error.stderr,
    );
    expect(failure).toContain(
      `No database runs in ${directory}: start the site by npm start, or set DATABASE_URL.`,
    );
  });
});
