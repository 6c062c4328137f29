import { randomBytes } from "node:crypto";
import type { Knex } from "knex";
import { afterAll, beforeAll, expect, inject, onTestFinished } from "vitest";
import { loadDemo } from "../../src/commands/demo/load.ts";
import { createDb } from "../../src/db/connect.ts";
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
    const fill = (db: Knex) => db.transaction((transaction) => loadDemo(transaction));
    await makeTemplate(server, { name: template, from: prefix, fill });
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

/** Another pool over a test database, for one test. */
export function openPool(url: string): Knex {
  const db = createDb({ url, ...PATIENT });
  onTestFinished(() => db.destroy());
  return db;
}

/** A transaction that is taken back at the end of the test, however that went: left open, it would stop those after it. */
export async function openTransaction(db: Knex): Promise<Knex.Transaction> {
  const transaction = await db.transaction();
  onTestFinished(async () => {
    if (!transaction.isCompleted()) await transaction.rollback();
  });
  return transaction;
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

async function runAsAdmin(work: (admin: Knex) => PromiseLike<unknown>): Promise<void> {
  const admin = createDb({ url: inject("adminUrl"), poolMax: 1, ...PATIENT });
  try {
    await work(admin);
  } finally {
    await admin.destroy();
  }
}
