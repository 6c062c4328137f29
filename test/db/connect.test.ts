import { execFile } from "node:child_process";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Knex } from "knex";
import { afterEach, describe, expect, inject, it } from "vitest";
import { createDb, type DbOptions, failFast } from "../../src/db/connect.ts";
import { DatabaseSetupError, isDatabaseAway } from "../../src/db/failures.ts";
import { waitForDatabase } from "../../src/db/wait.ts";
import { createEmptyDatabase, useTestDatabase } from "../helpers/database.ts";
import { useEmbedded } from "../helpers/embedded.ts";
import { startOtherDatabase } from "../helpers/peers/other-database.ts";

const { stoppedDatabase, start } = useEmbedded();
const database = useTestDatabase();

const opened: Knex[] = [];
afterEach(async () => {
  for (const db of opened.splice(0)) await db.destroy();
});

function open(options: Partial<DbOptions> = {}): Knex {
  const db = createDb({ url: database.url, ...options });
  opened.push(db);
  return db;
}

/** The test database's address with some parts replaced. */
function changedUrl(parts: Partial<Pick<URL, "password" | "username" | "pathname" | "port">>): string {
  return Object.assign(new URL(database.url), parts).href;
}

async function failureOf(work: PromiseLike<unknown>): Promise<unknown> {
  return work.then(
    () => expect.fail("it should have failed"),
    (error: unknown) => error,
  );
}

describe("createDb", () => {
  it("gives values that JavaScript can hold exactly", async () => {
    const { rows } = await open().raw(`
      select 42::bigint as small, 9007199254740993::bigint as big, 12.50::numeric as price,
        date '2026-03-29' as day, timestamptz '2026-03-29 01:30:00+02' as time, null::bigint as nothing`);
    expect(rows).toEqual([
      {
        small: 42,
        big: "9007199254740993",
        price: "12.50",
        day: "2026-03-29",
        time: new Date("2026-03-28T23:30:00Z"),
        nothing: null,
      },
    ]);
  });

  it("works in UTC and under its own name, whatever the server's default", async () => {
    const { db, url, drop } = await createEmptyDatabase();
    await db.raw("alter database ?? set timezone to 'Asia/Tokyo'", [new URL(url).pathname.slice(1)]);
    const { rows } = await open({ url, applicationName: "almanac import" }).raw(
      "select current_setting('timezone') as zone, current_setting('application_name') as name",
    );
    expect(rows).toEqual([{ zone: "UTC", name: "almanac import" }]);
    await opened.pop()?.destroy();
    await drop();
  });

  it("sends queries that a transaction starts at once one by one, as pg 9 will want it", async () => {
    const connect = pathToFileURL(path.resolve("src/db/connect.ts")).href;
    const program = `import { createDb } from ${JSON.stringify(connect)};
      const db = createDb({ url: process.argv[1] });
      const ask = (tx) => (sql) => tx.raw(sql).then(({ rows }) => rows[0].n, () => "failed");
      const both = await Promise.all(["1, 2, 3", "4, none, 5"].map((list) => db.transaction(async (tx) =>
        Promise.all(list.split(", ").map((n) => "select " + n + " as n").map(ask(tx)))).catch(() => "aborted")));
      process.stdout.write(JSON.stringify(both));
      await db.destroy();`;
    const { stdout } = await promisify(execFile)(process.execPath, [
      "--throw-deprecation",
      "--input-type=module",
      "-e",
      program,
      database.url,
    ]);
    expect(JSON.parse(stdout)).toEqual([
      [1, 2, 3],
      [4, "failed", "failed"],
    ]);
  });

  it("gets a connection although the process was blocked longer than a query may take", async () => {
    const answer = open({ limitMs: 300 })
      .raw("select 1 as one")
      .then(({ rows }) => rows);
    await nextTurn();
    const until = performance.now() + 600;
    while (performance.now() < until);
    expect(await answer).toEqual([{ one: 1 }]);
  });

  it("ends a query that takes too long, which is not the database being away", async () => {
    const failure = await failureOf(open({ statementTimeoutMs: 50 }).raw("select pg_sleep(5)"));
    expect(failure).toMatchObject({ code: "57014" });
    expect(isDatabaseAway(failure)).toBe(false);
  });

  it("fails at once while the database is known to be away", async () => {
    const db = open();
    const lookout = { isDown: false };
    failFast(db, lookout);
    expect((await db.raw("select 1 as one")).rows).toEqual([{ one: 1 }]);
    lookout.isDown = true;
    expect(isDatabaseAway(await failureOf(db.raw("select 1")))).toBe(true);
    lookout.isDown = false;
    expect((await db.raw("select 1 as one")).rows).toEqual([{ one: 1 }]);
  });

  it("survives connections that break while idle and while at work", async () => {
    const lines: string[] = [];
    const db = open({ applicationName: "victim", log: (line) => lines.push(line) });
    await Promise.all([0, 1, 2].map(() => db.raw("select pg_sleep(0.05)")));
    const atWork = failureOf(db.raw("select pg_sleep(10)"));
    await delay(100);
    await database.db.raw(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'victim'",
    );
    expect(isDatabaseAway(await atWork)).toBe(true);
    // By then everything for the idle ones has arrived, and is read in the next turn of the event loop.
    const alive = database.db("pg_stat_activity").where({ application_name: "victim" });
    await expect.poll(() => alive.clone().select("pid")).toEqual([]);
    await delay(50);
    const answers = await Promise.all([0, 1, 2, 3].map(() => db.raw("select 1 as one")));
    expect(answers.map((answer) => answer.rows[0].one)).toEqual([1, 1, 1, 1]);
    expect(lines.join()).toContain("Connection Error");
  });

  it("recovers by itself after a restart of the server", async () => {
    const directory = await stoppedDatabase();
    const server = await start(directory);
    const db = open({ url: server.url });
    await db.raw("create table kept as select 1 as number");
    const unfinished = await db.transaction();
    await unfinished.raw("insert into kept values (2)");

    await server.stop();
    expect(isDatabaseAway(await failureOf(db.raw("select 1")))).toBe(true);
    expect(isDatabaseAway(await failureOf(unfinished.raw("select 1")))).toBe(true);
    await unfinished.rollback().catch(() => undefined);

    await start(directory);
    expect((await db.raw("select number from kept")).rows).toEqual([{ number: 1 }]);
  });
});

describe("a wait", () => {
  it("ends within seconds, whatever it is for", async () => {
    await Promise.all([forAPlaceInAFullPool(), forAnAnswer(), forAServerToStart()]);
  });

  async function forAPlaceInAFullPool() {
    const db = open({ poolMax: 2, applicationName: "crowd" });
    const busy = [await db.transaction(), await db.transaction()];
    const failure = await failureOf(db.raw("select 1"));
    expect(isDatabaseAway(failure)).toBe(true);
    const sessions = await database.db("pg_stat_activity").where({ application_name: "crowd" });
    expect(sessions).toHaveLength(2);
    for (const transaction of busy) await transaction.rollback();
  }

  /** Somebody listens who never answers. */
  async function forAnAnswer() {
    const silent = createServer(() => undefined).listen(0, "127.0.0.1");
    await delay(20);
    const { port } = silent.address() as { port: number };
    const failure = await failureOf(open({ url: changedUrl({ port: String(port) }) }).raw("select 1"));
    expect(isDatabaseAway(failure)).toBe(true);
    expect(String(failure)).toContain("timeout expired");
    silent.close();
  }

  async function forAServerToStart() {
    const lines: string[] = [];
    const db = open({ url: "postgres://a:hunter2@localhost:1/x" });
    const failure = await failureOf(
      waitForDatabase(db, { log: (line) => lines.push(line), timeoutMs: 1_000 }),
    );
    expect(failure).toBeInstanceOf(DatabaseSetupError);
    expect(String(failure)).toMatch(/did not answer for 1 s: [^\n]*ECONNREFUSED[^\n]*$/);
    expect(lines.length).toBeGreaterThanOrEqual(1);
    expect(`${lines}${failure}`).not.toContain("hunter2");
  }
});

describe("isDatabaseAway", () => {
  it.each([
    ["nobody listens", () => open({ url: changedUrl({ port: "1" }) }).raw("select 1")],
    [
      "nobody listens, at several addresses",
      () => open({ url: "postgres://a:b@localhost:1/x" }).raw("select 1"),
    ],
    ["the name is unknown", () => open({ url: "postgres://a:b@database.invalid/x" }).raw("select 1")],
    ["the socket is not there", () => open({ url: "postgres:///x?host=/nowhere" }).raw("select 1")],
  ])("is true when %s", async (_, work) => {
    expect(isDatabaseAway(await failureOf(work()))).toBe(true);
  });

  it("is true when the pool was closed for the end of the process", async () => {
    const db = open();
    await db.raw("select 1");
    await db.destroy();
    expect(isDatabaseAway(await failureOf(db.raw("select 1")))).toBe(true);
  });

  it.each(["57P01", "57P02", "57P03", "53300", "08000", "08006"])("is true for SQLSTATE %s", (code) => {
    expect(isDatabaseAway(Object.assign(new Error("any"), { code }))).toBe(true);
  });

  it.each([
    ["select 1/0", "22012"],
    ["select * from nothing_like_it", "42P01"],
    ["selec", "42601"],
  ])("is false for our own mistake %s", async (sql, code) => {
    const failure = await failureOf(open().raw(sql));
    expect(failure).toMatchObject({ code });
    expect(isDatabaseAway(failure)).toBe(false);
  });

  it("is false for what a user typed, and for no error at all", () => {
    const typed = new Error("select 'Connection terminated' - that is odd");
    for (const value of [
      typed,
      new Error("ECONNREFUSED"),
      null,
      undefined,
      "aborted",
      { code: "ECONNREFUSED" },
    ]) {
      expect(isDatabaseAway(value)).toBe(false);
    }
  });
});

describe("waitForDatabase", () => {
  it("waits for a server that comes up later, one line a try, without the password", async () => {
    const directory = await stoppedDatabase();
    const first = await start(directory);
    await first.stop();
    const lines: string[] = [];
    const waiting = waitForDatabase(open({ url: first.url }), { log: (line) => lines.push(line) });
    await delay(400);
    await start(directory);
    await waiting;
    expect(lines.length).toBeGreaterThanOrEqual(2);
    // A server that is starting up says so itself.
    for (const line of lines)
      expect(line).toMatch(/^The database does not answer yet: [^\n]*(ECONNREFUSED|starting up)[^\n]* s$/);
    expect(lines[0]).toContain("ECONNREFUSED");
    expect(lines.join()).not.toContain(new URL(first.url).password);
  });

  it.each([
    [
      "CockroachDB CCL v25.2.0 (x86_64-pc-linux-gnu)",
      "130000",
      /no PostgreSQL, but "CockroachDB CCL v25.2.0 .*LISTEN/,
    ],
    ["PostgreSQL 15.2-YB-2025.1.0.0-b0 on x86_64", "150002", /no PostgreSQL, but "PostgreSQL 15.2-YB/],
    ["PostgreSQL 8.0.2 on i686, Redshift 1.0.1", "80002", /no PostgreSQL, but ".*Redshift/],
    ["PostgreSQL 13.4 on x86_64", "130004", /^DatabaseSetupError: Postgres 13 is too old/],
  ])("refuses %s in one line", async (name, version, message) => {
    const db = open({ url: await startOtherDatabase([name, version]) });
    const failure = await failureOf(waitForDatabase(db, { log: () => undefined }));
    expect(failure).toBeInstanceOf(DatabaseSetupError);
    expect(String(failure)).toMatch(message);
    expect(String(failure)).not.toContain("\n");
  });

  it.each([
    ["a wrong password", { password: "wrong" }, /password authentication failed.*DATABASE_URL/],
    [
      "a user who does not exist",
      { username: "nobody_here" },
      /password authentication failed.*DATABASE_URL/,
    ],
    ["a missing database", { pathname: "/nowhere" }, /database "nowhere" does not exist.*DATABASE_URL/],
  ])("fails at once for %s", async (_, parts, message) => {
    const lines: string[] = [];
    const failure = await failureOf(
      waitForDatabase(open({ url: changedUrl(parts) }), { log: (line) => lines.push(line) }),
    );
    expect(failure).toBeInstanceOf(DatabaseSetupError);
    expect(String(failure)).toMatch(message);
    expect(lines).toEqual([]);
  });

  it("refuses a server that is too old", async () => {
    // A server that says that it is old: our own function hides the system's.
    const { db, url, drop } = await createEmptyDatabase();
    await db.raw("create function current_setting(text) returns text language sql as $$ select '130014' $$");
    await db.raw("alter database ?? set search_path to public, pg_catalog", [new URL(url).pathname.slice(1)]);
    const failure = await failureOf(waitForDatabase(open({ url }), { log: () => undefined }));
    expect(failure).toEqual(new DatabaseSetupError("Postgres 13 is too old: Almanac needs 14 or newer."));
    await opened.pop()?.destroy();
    await drop();
  });

  it("is content with the server of the tests", async () => {
    const lines: string[] = [];
    await waitForDatabase(open({ url: inject("adminUrl") }), { log: (line) => lines.push(line) });
    expect(lines).toEqual([]);
  });
});
