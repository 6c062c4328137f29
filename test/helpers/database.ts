import { randomBytes } from "node:crypto";
import type { Knex } from "knex";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, onTestFinished, vi } from "vitest";
import { loadDemo } from "../../src/commands/demo/load.ts";
import { createDb } from "../../src/db/connect.ts";
import { ownKinds, setOwnKinds } from "../../src/words/kinds/own-kinds.ts";
import { PATIENT } from "./patience.ts";
import { createDatabase, makeTemplate } from "./template.ts";

export interface TestDatabase {
  readonly db: Knex;
  readonly url: string;
  /** Closes the pool and removes the database, whoever is still connected. */
  drop(): Promise<void>;
}

/** A migrated database of its own, a clone of the run's template: about 30 ms. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const template = inject("databasePrefix");
  return openDatabase(`${template}_${randomBytes(6).toString("hex")}`, template);
}

/** One with the demo data too, a clone of a template that the first caller of the run fills. */
export async function createDemoDatabase(): Promise<TestDatabase> {
  const prefix = inject("databasePrefix");
  const template = `${prefix}_demo`;
  await runAsAdmin(async (admin) => {
    // The workers of a run wait here for the one that fills it.
    await admin.raw("select pg_advisory_lock(hashtext(?))", [template]);
    if (await admin("pg_database").where({ datname: template }).first("oid")) return;
    const server = { adminUrl: inject("adminUrl"), siteUrl: inject("siteUrl") };
    // Kinds of the first caller's own have no tables in it.
    const own = ownKinds();
    setOwnKinds([]);
    const fill = (db: Knex) => db.transaction((transaction) => loadDemo(transaction));
    await makeTemplate(server, { name: template, from: prefix, fill }).finally(() => setOwnKinds(own));
  });
  return openDatabase(`${prefix}_${randomBytes(6).toString("hex")}`, template);
}

/** A database with nothing in it, for what makes the schema itself; `options`: of `create database`. */
export async function createEmptyDatabase(options = ""): Promise<TestDatabase> {
  return openDatabase(`${inject("databasePrefix")}_${randomBytes(6).toString("hex")}`, "template0", options);
}

/**
 * One migrated database for a test file, or for the `describe` that calls this: made before its tests, dropped
 * after them.
 */
export function useTestDatabase(create = createTestDatabase): { readonly db: Knex; readonly url: string } {
  let database: TestDatabase | undefined;
  const opened = () => {
    if (database) return database;
    throw new Error("the test database is there only while tests and their hooks run");
  };
  beforeAll(async () => {
    database = await create();
  });
  afterAll(() => database?.drop());
  return {
    get db() {
      return opened().db;
    },
    get url() {
      return opened().url;
    },
  };
}

/** Tables that are larger, in bytes, are truncated: their deleted rows would slow later statements down. */
const LARGE = 500_000;

/** What a truncate also empties by triggers, where a delete keeps it. */
const TRACES: Readonly<Record<string, string>> = {
  servers: ["online_records", "online_five_minutes", "online_hours", "online_days"]
    .map((history) => `delete from ${history};`)
    .join(""),
};

const referringTables = new Map<string, readonly string[]>();

/**
 * Empties tables, such as "items, users", and all that refer to them, as `truncate … cascade` does. A truncate takes
 * several times as long, because it makes a new file for each table and index.
 */
export async function emptyTables(db: Knex, tables: string): Promise<void> {
  const all = referringTables.get(tables) ?? (await readReferring(db, tables.split(/,\s*/)));
  referringTables.set(tables, all);
  const names = `array['${all.join("', '")}']`;
  await db.raw(`do $$ begin
    if (select max(pg_relation_size(name)) from unnest(${names}::regclass[]) as name) > ${LARGE} then
      truncate ${tables} cascade;
    else
      ${all.map((table) => `delete from ${table};${TRACES[table] ?? ""}`).join("\n")}
      delete from catalogue_revisions where kind = any(${names});
      update catalogue_tombstones set record = null where kind = any(${names}) and record is not null;
      delete from catalogue_change_lists where kind = any(${names});
      update catalogue_versions
         set followed_from = version, followed_since = clock_timestamp() + interval '1 hour'
       where kind = any(${names});
    end if;
  end $$`);
}

/** Tables and all that refer to them, those that refer first. Tombstones come last, as deletes leave some. */
async function readReferring(db: Knex, tables: readonly string[]): Promise<readonly string[]> {
  const { rows } = await db.raw(
    `with recursive emptied as (
       select name::regclass::oid as oid, 0 as depth from unnest(?::text[]) as name
       union all
       select conrelid, depth + 1 from emptied join pg_constraint on confrelid = emptied.oid and contype = 'f')
     select oid::regclass::text as name from emptied group by oid
      order by oid = 'catalogue_tombstones'::regclass, max(depth) desc, oid`,
    [[...tables]],
  );
  return rows.map(({ name }: { name: string }) => name);
}

/** Another pool over a test database, for one test. */
export function openPool(url: string): Knex {
  const db = createDb({ url, ...PATIENT });
  onTestFinished(() => db.destroy());
  return db;
}

/** Makes this process wait for locks for at most half a second, where it would wait for seconds; for one test. */
export function shortenLockTimeouts(): void {
  const { query } = pg.Client.prototype;
  vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [statement] = args as [{ text?: string }];
    if (statement.text)
      statement.text = statement.text.replace(/(lock_timeout (?:=|to) )'\d+s'/, "$1'500ms'");
    return Reflect.apply(query, this, args);
  });
}

/** A transaction that is taken back at the end of the test, however that went: left open, it would stop those after it. */
export async function openTransaction(db: Knex): Promise<Knex.Transaction> {
  const transaction = await db.transaction();
  onTestFinished(async () => {
    if (!transaction.isCompleted()) await transaction.rollback();
  });
  return transaction;
}

/** Makes a change that no trigger notices, such as a discount's start that the clock would have passed later. */
export async function changeUnnoticed(db: Knex, change: (db: Knex) => PromiseLike<unknown>): Promise<void> {
  const url = new URL(inject("adminUrl"));
  url.pathname = new URL(db.client.connectionSettings.connectionString).pathname;
  await runAsAdmin(async (admin) => {
    await admin.raw("set session_replication_role = replica");
    await change(admin);
  }, url.href);
}

/** Until so many statements in this database wait for what another transaction holds. */
export async function waitForLocks(db: Knex, count: number): Promise<void> {
  const waiting = () =>
    db("pg_stat_activity")
      .whereRaw("wait_event_type = 'Lock' and datname = current_database()")
      .count({ statements: "*" })
      .first();
  await expect.poll(async () => (await waiting())?.statements).toBe(count);
}

async function openDatabase(name: string, template: string, options = ""): Promise<TestDatabase> {
  const siteUrl = inject("siteUrl");
  await runAsAdmin((admin) => createDatabase(admin, { name, from: template, siteUrl, options }));
  const url = new URL(siteUrl);
  url.pathname = `/${name}`;
  const db = createDb({ url: url.href, applicationName: "test", ...PATIENT });
  const drop = async () => {
    await db.destroy();
    await runAsAdmin((admin) => admin.raw("drop database if exists ?? with (force)", [name]));
  };
  return { db, url: url.href, drop };
}

async function runAsAdmin(
  work: (admin: Knex) => PromiseLike<unknown>,
  url = inject("adminUrl"),
): Promise<void> {
  const admin = createDb({ url, poolMax: 1, ...PATIENT });
  try {
    await work(admin);
  } finally {
    await admin.destroy();
  }
}
