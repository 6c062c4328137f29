import { setTimeout as delay } from "node:timers/promises";
import type { Knex } from "knex";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { grantScope, revokeGrant } from "../../src/accounts/keys/grant-queries.ts";
import { KnownKeys, type KnownKeysOptions } from "../../src/accounts/keys/known-keys.ts";
import { createKey, revokeAllKeys } from "../../src/accounts/keys/queries.ts";
import { createUser, deleteUser } from "../../src/accounts/queries.ts";
import { keyLoops, startLoops } from "../../src/commands/jobs/background.ts";
import { openPool, openTransaction, useTestDatabase } from "../helpers/database.ts";

const database = useTestDatabase();
const log = pino({ level: "silent" });
let users = 0;

async function makeKey(): Promise<{ id: number; key: string }> {
  users += 1;
  const id = Number(await createUser(database.db, { name: `owner ${users}`, password: "a long enough one" }));
  return { id, key: await addKey(id) };
}

async function addKey(userId: number): Promise<string> {
  return String(await createKey(database.db, userId, { name: "a key", expiry: "never" }));
}

/** The keys as a process knows them, over a pool of its own, with the statements that they cost. */
function openKeys(options: Partial<KnownKeysOptions> = {}) {
  const db = openPool(database.url);
  const statements: string[] = [];
  db.on("query", ({ sql }: { sql: string }) => statements.push(sql));
  return { db, statements, keys: new KnownKeys({ db, log, ...options }) };
}

/** Entries live so long that only the test ends them. */
const LONG = { maxAgeMs: 3_600_000 };

describe("a live key", () => {
  it("costs a statement once, and then one with all others in use at each check", async () => {
    const { keys, statements } = openKeys(LONG);
    const made = [await makeKey(), await makeKey(), await makeKey()];
    for (const { key } of made) expect(keys.peek(key)).toBeUndefined();
    for (const { id, key } of made) expect(await keys.find(key)).toBe(id);
    expect(statements).toHaveLength(3);
    await keys.check();
    for (const { id, key } of made) expect([keys.peek(key), await keys.find(key)]).toEqual([id, id]);
    expect(statements).toHaveLength(3);
    await keys.check();
    expect(statements).toHaveLength(4);
    await keys.check();
    expect(statements).toHaveLength(4);
  });

  it("stays known while it is used, without a statement of a request", async () => {
    const { id, key } = await makeKey();
    const { keys, db } = openKeys();
    const checked = openKeys();
    const both = new KnownKeys({ db, ownDb: checked.db, log });
    const loops = startLoops(keyLoops(both), log);
    onTestFinished(() => loops.stop());
    expect(await both.find(key)).toBe(id);
    const asked: string[] = [];
    db.on("query", ({ sql }: { sql: string }) => asked.push(sql));
    for (const end = Date.now() + 2_000; Date.now() < end; await delay(20)) await both.find(key);
    // A machine that stands still for a while may need another look.
    expect(asked.length).toBeLessThan(3);
    expect(checked.statements.length).toBeGreaterThan(2);
    expect(checked.statements.length).toBeLessThan(6);
    expect(keys.peek(key)).toBeUndefined();
  });
});

describe("a key that ends", () => {
  const ends: [how: string, end: (db: Knex, id: number) => PromiseLike<unknown>][] = [
    ["is revoked", (db, id) => revokeAllKeys(db, id)],
    ["expires", (db, id) => db("api_keys").where({ user_id: id }).update({ expires_at: db.fn.now() })],
    ["is deleted", (db, id) => db("api_keys").where({ user_id: id }).delete()],
    ["goes with its user", (db, id) => deleteUser(db, id)],
  ];

  it.each(ends)("that %s leaves every process within a second, in use or not", async (_how, end) => {
    const { id, key } = await makeKey();
    const processes = [openKeys().keys, openKeys().keys];
    const idle = openKeys().keys;
    const loops = startLoops(processes.flatMap(keyLoops), log);
    onTestFinished(() => loops.stop());
    for (const keys of [...processes, idle]) expect(await keys.find(key)).toBe(id);
    for (const until = Date.now() + 700; Date.now() < until; await delay(20)) {
      for (const keys of processes) expect(await keys.find(key)).toBe(id);
    }
    await end(database.db, id);
    const ended = Date.now();
    for (const keys of processes) {
      while ((await keys.find(key)) !== undefined) await delay(5);
    }
    expect(Date.now() - ended).toBeLessThan(1_000);
    await delay(ended + 1_000 - Date.now());
    expect(idle.peek(key)).toBeUndefined();
    expect(await idle.find(key)).toBeUndefined();
  });

  it("is refused when its time comes, though it was just confirmed", async () => {
    const { keys } = openKeys(LONG);
    const { id, key } = await makeKey();
    const { db } = database;
    await db("api_keys")
      .where({ user_id: id })
      .update({ expires_at: db.raw("now() + interval '2 s'") });
    expect(await keys.find(key)).toBe(id);
    await expect.poll(() => keys.find(key)).toBeUndefined();
  });

  it("does not come back with a look-up or a check that began before it was forgotten", async () => {
    const { keys } = openKeys(LONG);
    const { id, key } = await makeKey();
    const lookUp = keys.find(key);
    keys.forgetUser(id);
    expect(await lookUp).toBe(id);
    expect(keys.peek(key)).toBeUndefined();

    await keys.find(key);
    keys.peek(key);
    const check = keys.check();
    keys.forgetUser(id);
    await check;
    expect(keys.peek(key)).toBeUndefined();
  });
});

describe("what a key may do", () => {
  const keyId = async (userId: number): Promise<number> =>
    (await database.db("api_keys").where({ user_id: userId }).first("id")).id;
  const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const grant = (id: number) => grantScope(database.db, { keyId: id, scope: "write:records", day, by: null });
  const scopesOf = async (keys: KnownKeys, key: string) => [...((await keys.findCalling(key))?.scopes ?? [])];

  it("is what its owner said, and what operators granted", async () => {
    const { keys } = openKeys();
    const { id } = await makeKey();
    const options = { name: "reader", expiry: "never", scopes: ["read:favorites"] } as const;
    const key = String(await createKey(database.db, id, options));
    expect(await scopesOf(keys, key)).toEqual(["read:favorites"]);
    expect(await keys.findCalling(key)).toMatchObject({ userId: id });
  });

  const ends: [how: string, end: (db: Knex, id: number) => PromiseLike<unknown>][] = [
    ["is taken back", (db, id) => revokeGrant(db, id, "write:records")],
    ["is over", (db, id) => db("api_key_grants").where({ key_id: id }).update(OVER(db))],
  ];
  const OVER = (db: Knex) => ({
    granted_at: db.raw("now() - interval '2 days'"),
    ends_at: db.raw("now() - interval '1 day'"),
  });

  it.each(ends)("is known and, once it %s, forgotten within a second in every process", async (_how, end) => {
    const { id: userId, key } = await makeKey();
    const id = await keyId(userId);
    const processes = [openKeys().keys, openKeys().keys];
    const idle = openKeys().keys;
    const all = [...processes, idle];
    const loops = startLoops(processes.flatMap(keyLoops), log);
    onTestFinished(() => loops.stop());
    for (const keys of all) expect(await scopesOf(keys, key)).toEqual([]);
    const settled = async (scopes: string[]) => {
      const since = Date.now();
      for (const keys of processes) {
        while ((await scopesOf(keys, key)).join() !== scopes.join()) await delay(5);
      }
      expect(Date.now() - since).toBeLessThan(1_000);
      await delay(since + 1_000 - Date.now());
      expect(await scopesOf(idle, key)).toEqual(scopes);
    };
    await grant(id);
    await settled(["write:records"]);
    await end(database.db, id);
    await settled([]);
    for (const keys of all) expect(await keys.find(key)).toBe(userId);
  });

  it("ends when its time comes, though it was just confirmed", async () => {
    const { keys } = openKeys(LONG);
    const { id: userId, key } = await makeKey();
    const id = await keyId(userId);
    await grant(id);
    await database
      .db("api_key_grants")
      .where({ key_id: id })
      .update({ ends_at: database.db.raw("now() + interval '3 s'") });
    expect(await scopesOf(keys, key)).toEqual(["write:records"]);
    await expect.poll(() => scopesOf(keys, key)).toEqual([]);
    expect(keys.peek(key)).toBe(userId);
  });
});

describe("the memory of keys", () => {
  it("keeps those that were used last", async () => {
    const { keys } = openKeys({ ...LONG, atMost: 2 });
    const { id, key: used } = await makeKey();
    const unused = await addKey(id);
    await keys.find(used);
    await keys.find(unused);
    keys.peek(used);
    const next = await addKey(id);
    await keys.find(next);
    expect([used, unused, next].map((key) => keys.peek(key))).toEqual([id, undefined, id]);
  });
});

describe("while the database is away", () => {
  it("known keys go on, others fail, and all is looked at again once it is back", async () => {
    const { keys, db } = openKeys();
    const [known, ended, unknown] = [await makeKey(), await makeKey(), await makeKey()];
    for (const { id, key } of [known, ended]) expect(await keys.find(key)).toBe(id);
    const loops = startLoops(keyLoops(keys), log);
    onTestFinished(() => loops.stop());
    await db.destroy();
    await expect(keys.find(unknown.key)).rejects.toThrow();
    for (const until = Date.now() + 1_500; Date.now() < until; await delay(20)) {
      expect(await keys.find(known.key)).toBe(known.id);
    }
    expect(keys.peek(known.key)).toBe(known.id);
    expect(keys.peek(ended.key)).toBe(ended.id);
    await revokeAllKeys(database.db, ended.id);
    db.initialize();
    await expect.poll(() => keys.find(ended.key), { timeout: 1_500 }).toBeUndefined();
    expect(await keys.find(known.key)).toBe(known.id);
    expect(await keys.find(unknown.key)).toBe(unknown.id);
  });

  it("a known key waits a second at most for a database that is silent", async () => {
    const { keys } = openKeys({ maxAgeMs: 10 });
    const { id, key } = await makeKey();
    expect(await keys.find(key)).toBe(id);
    await delay(20);
    const held = await openTransaction(database.db);
    await held.raw("lock table api_keys in access exclusive mode");
    expect(await keys.find(key)).toBe(id);
    await held.rollback();
  });
});
