import { setTimeout as delay } from "node:timers/promises";
import type { Knex } from "knex";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import type { Target } from "../../src/servers/poller/adapter.ts";
import { watchStalls } from "../../src/servers/poller/due-polls.ts";
import { createTestDatabase, type TestDatabase, useTestDatabase } from "../helpers/database.ts";
import {
  addPolled,
  answered,
  doubleRecords,
  fakeAdapter,
  MISSED,
  recordsOf,
  runPoller,
  serverRow,
} from "../helpers/poller.ts";

const database = useTestDatabase();

const INTERVAL_MS = 800;
const PATIENCE = { timeout: 30_000, interval: 100 };

afterEach(async () => {
  await database.db("servers").delete();
});

const run = (db: Knex, adapter: ReturnType<typeof fakeAdapter>, intervalMs = INTERVAL_MS) =>
  runPoller({ db, intervalMs, adapter });

const statusesIn = async (db: Knex, id: string) => (await recordsOf(db, id)).map(({ status }) => status);

/** Each has a database of its own, because only one poller works on one. */
it("records every interval, whatever single servers do, and follows changes", async () => {
  const cases = [
    givesOneRecordAnInterval,
    isSpoiledByNoOther,
    logsWrongOptionsOnce,
    logsAChangeOfStatusOnce,
    followsChanges,
  ];
  await Promise.all(
    cases.map(async (play) => {
      const own = await createTestDatabase();
      onTestFinished(() => own.drop());
      await play(own);
    }),
  );
});

async function givesOneRecordAnInterval({ db }: TestDatabase) {
  const ids = Array.from({ length: 40 }, (_, index) => `s${index}`);
  await addPolled(db, ids);
  const { stop } = run(
    db,
    fakeAdapter(() => answered({ online: 5, queue: 0, max_online: 50 })),
  );
  for (const id of ids) {
    await expect.poll(async () => (await statusesIn(db, id)).length, PATIENCE).toBeGreaterThanOrEqual(3);
  }
  await stop();
  expect(await doubleRecords(db, INTERVAL_MS)).toEqual([]);
  for (const id of ids) {
    const records = await recordsOf(db, id);
    expect(records.every(({ status, online }) => status === "online" && online === 5)).toBe(true);
    expect(await serverRow(db, id)).toMatchObject({ status: "online", online: 5, max_online: 50 });
  }
}

/** Silent, throwing, without an answer, absurd. */
async function isSpoiledByNoOther({ db }: TestDatabase) {
  await addPolled(db, ["good", "silent", "throwing", "absent", "absurd"]);
  const adapter = fakeAdapter(({ id }) => {
    if (id === "silent") return new Promise(() => undefined);
    if (id === "throwing") throw new Error("a fault of the adapter");
    if (id === "absurd") return answered({ online: 1e12, queue: -1, max_online: 0.5 });
    return answered({ online: 5 });
  });
  const ask = adapter.ask.bind(adapter);
  adapter.ask = async (targets, ...bounds) =>
    targets[0]?.id === "absent" ? new Map() : ask(targets, ...bounds);
  const { lines } = run(db, adapter);
  await expect.poll(() => serverRow(db, "silent"), PATIENCE).toMatchObject({ status: "offline" });
  expect(await statusesIn(db, "good")).not.toContain("unknown");
  expect((await recordsOf(db, "good")).length).toBeGreaterThanOrEqual(2);
  expect(await recordsOf(db, "throwing")).toEqual([]);
  expect(await recordsOf(db, "absent")).toEqual([]);
  const nothing = { status: "online", online: null, queue: null, max_online: null };
  expect((await recordsOf(db, "absurd"))[0]).toMatchObject(nothing);
  // The poller logs a status when it next reads the list of servers.
  await expect
    .poll(() => lines, PATIENCE)
    .toContainEqual(
      expect.objectContaining({ server: "silent", reason: expect.stringContaining("no answer within") }),
    );
  expect(lines).toContainEqual(expect.objectContaining({ msg: "an adapter failed", servers: ["throwing"] }));
}

/** It is polled once they are fixed. */
async function logsWrongOptionsOnce({ db }: TestDatabase) {
  await addPolled(db, ["a"], { adapter_options: { type: 7 } });
  const options = z.object({ type: z.string("must be text") });
  const { lines } = run(
    db,
    fakeAdapter(() => answered({ online: 5 }), { options }),
  );
  const told = () => lines.filter(({ fault }) => fault === "type: must be text");
  await expect.poll(() => told().length, PATIENCE).toBe(1);
  await delay(INTERVAL_MS * 2);
  expect(told()).toHaveLength(1);
  expect(await recordsOf(db, "a")).toEqual([]);
  await db("servers").update({ adapter_options: { type: "samp" } });
  await expect.poll(() => statusesIn(db, "a"), PATIENCE).toContain("online");
}

async function logsAChangeOfStatusOnce({ db }: TestDatabase) {
  await addPolled(db, ["a"]);
  let isUp = true;
  const { lines } = run(
    db,
    fakeAdapter(() => (isUp ? answered() : MISSED)),
  );
  const changes = () => lines.filter(({ msg }) => msg === "a server's status changed");
  await expect.poll(() => changes().length, PATIENCE).toBe(1);
  isUp = false;
  await expect.poll(async () => (await statusesIn(db, "a")).length, PATIENCE).toBeGreaterThanOrEqual(5);
  await expect.poll(changes, PATIENCE).toMatchObject([
    { server: "a", from: "unknown", to: "online" },
    { server: "a", from: "online", to: "offline", reason: "silence" },
  ]);
}

/** A new server, another address, no adapter, removal. */
async function followsChanges({ db }: TestDatabase) {
  const asked: string[] = [];
  const { lines } = run(
    db,
    fakeAdapter(({ id, address }) => {
      asked.push(`${id} ${address}`);
      return answered();
    }),
  );
  const seen = (line: string) => expect.poll(() => asked, PATIENCE).toContain(line);
  await expect.poll(() => lines.length).toBeGreaterThan(0);
  await addPolled(db, ["a", "b"]);
  await seen("a a.test:7777");
  await db("servers").where({ id: "a" }).update({ address: "new.test:1" });
  await seen("a new.test:1");
  await db("servers").where({ id: "a" }).update({ adapter: null });
  await db("servers").where({ id: "b" }).delete();
  // Once the poller knows a later server, it has read that the others are gone.
  await addPolled(db, ["c"]);
  await seen("c c.test:7777");
  asked.length = 0;
  await expect.poll(() => asked.length, PATIENCE).toBeGreaterThanOrEqual(2);
  expect(new Set(asked)).toEqual(new Set(["c c.test:7777"]));
}

describe("polling", () => {
  it("goes by the database's clock, whatever this machine's says", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3 * 86_400_000 });
    try {
      await addPolled(database.db, ["a"]);
      const { stop } = run(
        database.db,
        fakeAdapter(() => answered({ online: 5 })),
      );
      await expect.poll(() => statusesIn(database.db, "a"), PATIENCE).toContain("online");
      await stop();
    } finally {
      vi.useRealTimers();
    }
  });

  it("asks a group by one fetch, with those that are long dead", async () => {
    const dead = { offline_since: new Date(Date.now() - 2 * 3_600_000), status: "offline" };
    await addPolled(database.db, ["a", "b", "c"]);
    const now = new Date();
    await addPolled(database.db, ["d"], { ...dead, missed_polls: 99, poll_slot: now, checked_at: now });
    const fetches: string[][] = [];
    const groupOf = (target: Target) => (target.id === "c" ? "alone" : "list");
    const adapter = fakeAdapter(() => answered(), { groupOf });
    const ask = adapter.ask.bind(adapter);
    adapter.ask = async (targets, ...bounds) => {
      fetches.push(targets.map(({ id }) => id).sort());
      return ask(targets, ...bounds);
    };
    run(database.db, adapter);
    await expect.poll(() => serverRow(database.db, "d"), PATIENCE).toMatchObject({ status: "online" });
    await expect.poll(() => fetches.length, PATIENCE).toBeGreaterThanOrEqual(4);
    expect(fetches).toContainEqual(["a", "b", "d"]);
    expect(fetches).toContainEqual(["c"]);
    expect(fetches.flat().filter((id) => id === "c").length).toBeLessThan(fetches.length);
  });

  it("asks 64 groups at a time at most", async () => {
    await addPolled(
      database.db,
      Array.from({ length: 200 }, (_, index) => `s${index}`),
    );
    let [asking, most] = [0, 0];
    const adapter = fakeAdapter(async () => {
      most = Math.max(most, ++asking);
      await delay(120);
      asking--;
      return answered();
    });
    run(database.db, adapter, 2_000);
    const offline = () => database.db("servers").whereNot({ status: "online" }).count("* as count");
    await expect.poll(offline, PATIENCE).toEqual([{ count: 0 }]);
    expect(most).toBeGreaterThan(10);
    expect(most).toBeLessThanOrEqual(64);
  });
});

describe("a process that stood still", () => {
  const standStill = (milliseconds: number) => {
    const until = performance.now() + milliseconds;
    while (performance.now() < until);
  };

  it("is known to have done so, and not any more afterwards", async () => {
    const stalls = watchStalls();
    onTestFinished(stalls.stop);
    const before = performance.now();
    expect(stalls.since(before)).toBe(false);
    standStill(700);
    expect(stalls.since(before)).toBe(true);
    await delay(10);
    const after = performance.now();
    await delay(20);
    expect(stalls.since(after)).toBe(false);
    expect(stalls.since(before)).toBe(true);
  });

  it("takes a miss for no sign, and an answer for one", async () => {
    await addPolled(database.db, ["missed", "answered"]);
    let asked = 0;
    const adapter = fakeAdapter(({ id }) => {
      asked++;
      standStill(700);
      return id === "missed" ? MISSED : answered({ online: 5 });
    });
    run(database.db, adapter, 3_000);
    await expect.poll(() => statusesIn(database.db, "answered"), PATIENCE).toEqual(["online"]);
    await expect.poll(() => asked, PATIENCE).toBeGreaterThan(3);
    expect(await recordsOf(database.db, "missed")).toEqual([]);
  });
});

describe("the end", () => {
  it("waits for no answer, and ignores a poll that was under way", async () => {
    await addPolled(database.db, "abcdefghij".split(""));
    let asked = 0;
    const { stop } = run(
      database.db,
      fakeAdapter(() => {
        asked++;
        return new Promise(() => undefined);
      }),
      4_000,
    );
    await expect.poll(() => asked, { interval: 20 }).toBeGreaterThan(0);
    await stop();
    expect(await database.db("online_records")).toEqual([]);
  });
});
