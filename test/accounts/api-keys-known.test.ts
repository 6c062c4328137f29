import { setTimeout as delay } from "node:timers/promises";
import type { Knex } from "knex";
import { pino } from "pino";
import request from "supertest";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { grantScope, revokeGrant } from "../../src/accounts/keys/grant-queries.ts";
import { generateKey } from "../../src/accounts/keys/keys.ts";
import { KnownKeys } from "../../src/accounts/keys/known-keys.ts";
import { createKey, revokeAllKeys } from "../../src/accounts/keys/queries.ts";
import { deleteUser, insertUser } from "../../src/accounts/queries.ts";
import { issueToken } from "../../src/accounts/token-queries.ts";
import type { SiteListener } from "../../src/app.ts";
import { ChangeFeed } from "../../src/db/change-feed.ts";
import { type Agent, type TestUser, useTestApp } from "../helpers/app.ts";
import { openPool, openTransaction, waitForLocks } from "../helpers/database.ts";

const site = useTestApp();
const log = pino({ level: "silent" });
let users = 0;

async function makeKey(): Promise<{ id: number; key: string }> {
  users += 1;
  const id = Number(await insertUser(site.db, { name: `owner ${users}` }, "$argon2id$none"));
  return { id, key: await addKey(id) };
}

async function addKey(userId: number): Promise<string> {
  return String(await createKey(site.db, userId, { name: "a key", expiry: "never" }));
}

/** The keys as a process knows them, over a pool of its own, with the look-ups that they cost. */
function openKeys({ maxAgeMs, ...options }: { maxAgeMs?: number; atMost?: number } = {}) {
  const db = openPool(site.url);
  const lookUps: string[] = [];
  db.on("query", ({ sql }: { sql: string }) => sql.includes('"api_keys"') && lookUps.push(sql));
  const feed = new ChangeFeed({ db, log, ...(maxAgeMs !== undefined && { maxAgeMs }) });
  return { db, feed, lookUps, keys: new KnownKeys({ db, feed, log, ...options }) };
}

/** The same, where the feed is read again and again, as in a process that serves. */
async function serveKeys() {
  const served = openKeys();
  onTestFinished(() => served.feed.stop());
  await served.feed.start();
  return served;
}

/** Entries live so long that only the test ends them. */
const LONG = { maxAgeMs: 3_600_000 };

describe("a live key", () => {
  it("costs a look-up once, and another one after a change of any key", async () => {
    const { keys, feed, lookUps } = openKeys(LONG);
    const made = [await makeKey(), await makeKey(), await makeKey()];
    for (const { key } of made) expect(keys.cached(key)).toBeUndefined();
    for (const { id, key } of made) expect(await keys.find(key)).toBe(id);
    expect(lookUps).toHaveLength(3);
    await feed.confirm();
    for (const { id, key } of made) expect([keys.cached(key), await keys.find(key)]).toEqual([id, id]);
    expect(lookUps).toHaveLength(3);
    await revokeAllKeys(site.db, (await makeKey()).id);
    await feed.confirm();
    for (const { id, key } of made) {
      expect([keys.cached(key), await keys.find(key), keys.cached(key)]).toEqual([undefined, id, id]);
    }
    expect(lookUps).toHaveLength(6);
  });

  it("is looked up once for concurrent requests", async () => {
    const { keys, lookUps } = openKeys();
    const { id, key } = await makeKey();
    expect(await Promise.all([1, 2, 3].map(() => keys.find(key)))).toEqual([id, id, id]);
    expect(lookUps).toHaveLength(1);
  });

  it("needs a feed that was read lately", async () => {
    const { keys, lookUps } = openKeys({ maxAgeMs: 50 });
    const { id, key } = await makeKey();
    await keys.find(key);
    await delay(60);
    expect(keys.cached(key)).toBeUndefined();
    expect(await keys.find(key)).toBe(id);
    expect(lookUps).toHaveLength(1);
  });

  it("is looked up again after a change that it was looked up before, though the feed began to read earlier", async () => {
    const { keys, feed } = openKeys(LONG);
    const { id, key } = await makeKey();
    await feed.confirm();
    // The read of the feed sees the change, but ends after a look-up that does not see it.
    const held = await openTransaction(site.db);
    await held.raw("lock table key_changes in access exclusive mode");
    const read = feed.confirm();
    await waitForLocks(site.db, 1);
    expect(await keys.find(key)).toBe(id);
    await revokeAllKeys(held, id);
    await held.commit();
    await read;
    await expect.poll(() => keys.find(key)).toBeUndefined();
  });
});

describe("a key that ends", () => {
  const ends: [how: string, end: (db: Knex, id: number) => PromiseLike<unknown>][] = [
    ["is revoked", (db, id) => revokeAllKeys(db, id)],
    ["expires", (db, id) => db("api_keys").where({ user_id: id }).update({ expires_at: db.fn.now() })],
    ["is deleted", (db, id) => db("api_keys").where({ user_id: id }).delete()],
    ["goes with its user", (db, id) => deleteUser(db, id)],
    ["is one of a disabled user", (db, id) => db("users").where({ id }).update({ disabled_at: db.fn.now() })],
  ];

  it.each(ends)("that %s leaves every process", async (_how, end) => {
    const { id, key } = await makeKey();
    const processes = [await serveKeys(), await serveKeys()];
    for (const { keys } of processes) expect(await keys.find(key)).toBe(id);
    await end(site.db, id);
    for (const { keys } of processes) await expect.poll(() => keys.find(key)).toBeUndefined();
  });

  it("is refused when its time comes, though it was just confirmed", async () => {
    const { keys } = openKeys(LONG);
    const { id, key } = await makeKey();
    const { db } = site;
    const expires_at = db.raw("now() + interval '30 s'");
    await db("api_keys").where({ user_id: id }).update({ expires_at });
    expect(await keys.find(key)).toBe(id);
    const now = performance.now.bind(performance);
    vi.spyOn(performance, "now").mockImplementation(() => now() + 29_000);
    expect(keys.cached(key)).toBe(id);
    vi.spyOn(performance, "now").mockImplementation(() => now() + 30_000);
    expect(keys.cached(key)).toBeUndefined();
  });

  it("does not come back with a look-up that began before it was forgotten", async () => {
    const { keys, feed } = openKeys(LONG);
    const { id, key } = await makeKey();
    await feed.confirm();
    const lookUp = keys.find(key);
    keys.forgetUser(id);
    expect(await lookUp).toBe(id);
    expect(keys.cached(key)).toBeUndefined();
  });
});

describe("what a key may do", () => {
  const keyId = async (userId: number): Promise<number> =>
    (await site.db("api_keys").where({ user_id: userId }).first("id")).id;
  const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const grant = (id: number) => grantScope(site.db, { keyId: id, scope: "write:records", day, by: null });
  const scopesOf = async (keys: KnownKeys, key: string) => [...((await keys.findCalling(key))?.scopes ?? [])];

  const ends: [how: string, end: (db: Knex, id: number) => PromiseLike<unknown>][] = [
    ["is taken back", (db, id) => revokeGrant(db, id, "write:records")],
    ["is over", (db, id) => db("api_key_grants").where({ key_id: id }).update(OVER(db))],
  ];
  const OVER = (db: Knex) => ({
    granted_at: db.raw("now() - interval '2 days'"),
    ends_at: db.raw("now() - interval '1 day'"),
  });

  it.each(ends)("is known and, once it %s, forgotten in every process", async (_how, end) => {
    const { id: userId, key } = await makeKey();
    const id = await keyId(userId);
    const processes = [(await serveKeys()).keys, (await serveKeys()).keys];
    for (const keys of processes) expect(await scopesOf(keys, key)).toEqual([]);
    const settled = async (scopes: string[]) => {
      for (const keys of processes) await expect.poll(() => scopesOf(keys, key)).toEqual(scopes);
    };
    await grant(id);
    await settled(["write:records"]);
    await end(site.db, id);
    await settled([]);
    for (const keys of processes) expect(await keys.find(key)).toBe(userId);
  });

  it("ends when its time comes, though it was just confirmed", async () => {
    const { keys } = openKeys(LONG);
    const { id: userId, key } = await makeKey();
    const id = await keyId(userId);
    await grant(id);
    const ends_at = site.db.raw("now() + interval '1 hour'");
    await site.db("api_key_grants").where({ key_id: id }).update({ ends_at });
    expect(await scopesOf(keys, key)).toEqual(["write:records"]);
    const now = performance.now.bind(performance);
    vi.spyOn(performance, "now").mockImplementation(() => now() + 3_600_000);
    expect(await scopesOf(keys, key)).toEqual([]);
  });
});

describe("an unknown key", () => {
  it("costs nothing where it is no key at all", async () => {
    const { keys, lookUps } = openKeys();
    const wrongSum = "alm_000000000000000000000000000000000000";
    for (const key of ["", "alm_", wrongSum, "x".repeat(10_000), `${generateKey()}x`]) {
      expect([keys.cached(key), await keys.find(key)]).toEqual([undefined, undefined]);
    }
    expect(lookUps).toEqual([]);
  });

  it("takes no room from those that are known", async () => {
    const { keys } = openKeys({ ...LONG, atMost: 2 });
    const { id, key } = await makeKey();
    await keys.find(key);
    for (let time = 0; time < 10; time += 1) await keys.find(generateKey());
    expect(keys.cached(key)).toBe(id);
  });
});

describe("the memory of keys", () => {
  it("keeps those that were used last", async () => {
    const { keys } = openKeys({ ...LONG, atMost: 2 });
    const { id, key: used } = await makeKey();
    const unused = await addKey(id);
    await keys.find(used);
    await keys.find(unused);
    keys.cached(used);
    const next = await addKey(id);
    await keys.find(next);
    expect([used, unused, next].map((key) => keys.cached(key))).toEqual([id, undefined, id]);
  });
});

describe("while the database is down", () => {
  it("known keys work, others fail, and all are looked up again once it is back", async () => {
    const { keys, db, feed } = await serveKeys();
    const [known, ended, unknown] = [await makeKey(), await makeKey(), await makeKey()];
    for (const { id, key } of [known, ended]) expect(await keys.find(key)).toBe(id);
    await db.destroy();
    await expect(keys.find(unknown.key)).rejects.toThrow();
    await expect.poll(() => feed.isDown).toBe(true);
    expect(await keys.find(known.key)).toBe(known.id);
    expect(keys.cached(ended.key)).toBe(ended.id);
    await revokeAllKeys(site.db, ended.id);
    db.initialize();
    await expect.poll(() => keys.find(ended.key)).toBeUndefined();
    expect(await keys.find(known.key)).toBe(known.id);
    expect(await keys.find(unknown.key)).toBe(unknown.id);
  });

  it("a key works for a minute after the feed confirmed it", async () => {
    const { keys, db, feed } = await serveKeys();
    const { id, key } = await makeKey();
    expect(await keys.find(key)).toBe(id);
    await feed.confirm();
    await db.destroy();
    await expect.poll(() => feed.isDown).toBe(true);
    const now = performance.now.bind(performance);
    vi.spyOn(performance, "now").mockImplementation(() => now() + 50_000);
    expect(keys.cached(key)).toBe(id);
    vi.spyOn(performance, "now").mockImplementation(() => now() + 60_000);
    expect(keys.cached(key)).toBeUndefined();
    await expect(keys.find(key)).rejects.toThrow();
  });
});

const password = "a new and long password";
const forms: [
  what: string,
  send: (agent: Agent, user: TestUser, keyId: number) => PromiseLike<request.Response>,
][] = [
  ["revokes it", (agent, _user, keyId) => agent.post(`/profile/keys/${keyId}/revoke`)],
  [
    "ends keys with a new password",
    (agent, user) => sendForm(agent, "password", { current_password: user.password, new_password: password }),
  ],
  [
    "ends keys with a new address",
    (agent, user) => sendForm(agent, "email", { current_password: user.password, email: "new@mail.test" }),
  ],
  ["ends keys with a new password by a mailed link", sendNewPassword],
  ["deletes the account", (agent, user) => sendForm(agent, "delete", { current_password: user.password })],
];

function sendForm(agent: Agent, name: string, fields: Record<string, string>) {
  return agent
    .post(`/profile/${name}`)
    .type("form")
    .send({ ...fields, end_keys: "yes", confirm: "yes" });
}

async function sendNewPassword(agent: Agent, { id }: TestUser): Promise<request.Response> {
  const email = "owner@mail.test";
  await site.db("users").where({ id }).update({ email, confirmed_email: email });
  const token = await issueToken(site.db, "reset", { userId: id, email });
  const form = { new_password: password, end_keys: "yes" };
  return agent.post(`/login/new-password/${token}`).type("form").send(form);
}

describe("a key that the process knows", () => {
  let app: SiteListener;
  beforeAll(async () => {
    app = await site.another({}, { feed: new ChangeFeed({ db: site.db, log, ...LONG }) });
  });

  it.each(forms)("is refused at once when its owner %s", async (_what, send) => {
    const user = await site.createUser();
    const key = String(await createKey(site.db, user.id, { name: "known", expiry: "never" }));
    const { id } = await site.db("api_keys").where({ user_id: user.id }).first("id");
    const ask = () => request(app).get("/api/online").set("X-API-Key", key);
    await ask().expect(200);
    const agent = request.agent(app);
    const { name } = user;
    await agent.post("/login").type("form").send({ name, password: user.password }).expect(303);
    const { status } = await send(agent, user, id);
    expect([200, 303]).toContain(status);
    await ask().expect(401);
  });
});
