import { setTimeout as delay } from "node:timers/promises";
import type { Knex } from "knex";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { createDb } from "../../src/db/connect.ts";
import { takePollLock } from "../../src/servers/poller/poll.ts";
import { createTestDatabase, openPool, type TestDatabase, useTestDatabase } from "../helpers/database.ts";
import { PATIENT } from "../helpers/patience.ts";
import { addPolled, answered, doubleRecords, fakeAdapter, recordsOf, runPoller } from "../helpers/poller.ts";

const database = useTestDatabase();
const PATIENCE = { timeout: 30_000, interval: 50 };
const INTERVAL_MS = 800;

/** Takes the lock until the test ends. */
async function take(db: Knex) {
  const lock = await takePollLock(db);
  onTestFinished(() => lock?.release());
  return lock;
}

describe("the lock", () => {
  it("is held by one, and free again when that one gives it back", async () => {
    const other = openPool(database.url);
    const lock = await take(database.db);
    expect(lock).not.toBeNull();
    expect(await take(other)).toBeNull();
    await lock?.release();
    expect(await take(other)).not.toBeNull();
  });
});

it("lets one process poll, and leaves a gap where the database is away", async () => {
  await Promise.all([anotherTakesOver(database), leavesAGap(await ownDatabase())]);
});

async function ownDatabase(): Promise<TestDatabase> {
  const own = await createTestDatabase();
  onTestFinished(() => own.drop());
  return own;
}

/** Once the first has to stop. */
async function anotherTakesOver({ db, url }: { db: Knex; url: string }) {
  await addPolled(db, ["a"]);
  const asked: string[] = [];
  const poller = (name: string) => {
    const adapter = fakeAdapter(() => {
      asked.push(name);
      return answered();
    });
    return runPoller({ db: openPool(url), intervalMs: INTERVAL_MS, adapter });
  };
  const first = poller("first");
  await expect.poll(() => asked.length, PATIENCE).toBeGreaterThan(0);
  const second = poller("second");
  await expect
    .poll(second.messages, PATIENCE)
    .toContain("another process polls the servers; waiting for its lock");
  await expect.poll(() => asked.length, PATIENCE).toBeGreaterThan(2);
  expect(new Set(asked)).toEqual(new Set(["first"]));
  expect(second.messages()).toHaveLength(1);
  await first.stop();
  await expect.poll(() => asked, PATIENCE).toContain("second");
  expect(await doubleRecords(db, INTERVAL_MS)).toEqual([]);
}

/** It is logged once, and nothing is written twice or later. */
async function leavesAGap({ db, url }: TestDatabase) {
  await addPolled(db, ["c"]);
  const adapter = fakeAdapter(() => answered({ online: 5 }));
  const { lines, messages } = runPoller({ db: openPool(url), intervalMs: INTERVAL_MS, adapter });
  const records = () => recordsOf(db, "c");
  await expect.poll(async () => (await records()).length, PATIENCE).toBeGreaterThan(1);
  const { from, to } = await shutDatabase(url, 3 * INTERVAL_MS);
  const seen = (await records()).length;
  await expect.poll(async () => (await records()).length, PATIENCE).toBeGreaterThan(seen + 1);
  const times = (await records()).map(({ checked_at }) => checked_at.getTime());
  expect(times.filter((time) => time > from && time < to)).toEqual([]);
  expect(await doubleRecords(db, INTERVAL_MS)).toEqual([]);
  expect(lines.filter(({ msg }) => msg === "polling: could not ask for the lock, trying again")).toHaveLength(
    1,
  );
  expect(messages()).toContain("polling: could ask for the lock again");
}

/** Lets nobody in for a while and throws out who is there. */
async function shutDatabase(url: string, milliseconds: number): Promise<{ from: number; to: number }> {
  const admin = createDb({ url: inject("adminUrl"), poolMax: 1, ...PATIENT });
  const name = new URL(url).pathname.slice(1);
  try {
    await admin.raw("alter database ?? with allow_connections false", [name]);
    await admin.raw("select pg_terminate_backend(pid) from pg_stat_activity where datname = ?", [name]);
    const from = Date.now();
    await delay(milliseconds);
    const to = Date.now();
    await admin.raw("alter database ?? with allow_connections true", [name]);
    return { from, to };
  } finally {
    await admin.destroy();
  }
}
