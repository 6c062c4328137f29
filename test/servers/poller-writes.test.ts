import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { createOutbox } from "../../src/servers/poller/due-polls.ts";
import { type Finding, listPolled, writePolls } from "../../src/servers/poller/queries.ts";
import { slotAt } from "../../src/servers/poller/roster.ts";
import { openPool, openTransaction, useTestDatabase } from "../helpers/database.ts";
import { addPolled, recordsOf, serverRow } from "../helpers/poller.ts";

const database = useTestDatabase();

/** A slot that is the present one until 2033. */
const INTERVAL_MS = 1e12;

afterEach(async () => {
  await database.db("servers").delete();
});

/** An answer of every server that is polled now, with its number of players. */
async function answersOfAll(online = 7): Promise<{ findings: Finding[]; slot: number }> {
  const { now, servers } = await listPolled(database.db);
  const findings = servers.map(({ number, definition }) => ({
    ...{ number, definition, answered: true, online },
    ...{ bots: null, queue: null, max_online: null },
  }));
  return { findings, slot: slotAt(now, INTERVAL_MS) };
}

const write = (findings: Finding[], slot: number) =>
  writePolls(database.db, findings, { slot, intervalMs: INTERVAL_MS });

describe("the list of polled servers", () => {
  it("has those with an adapter, and the database's clock", async () => {
    await addPolled(database.db, ["a"], { adapter_options: { type: "samp" } });
    await addPolled(database.db, ["nobody polls it"], { adapter: null });
    const { now, servers } = await listPolled(database.db);
    expect(Math.abs(now - Date.now())).toBeLessThan(5_000);
    expect(servers).toMatchObject([
      { id: "a", adapter: "gamedig", address: "a.test:7777", options: { type: "samp" }, status: "unknown" },
    ]);
    expect(servers[0]).toMatchObject({ lastSlot: null, offlineSince: null });
  });

  it("tells the slot of the last poll exactly, fractions of seconds too", async () => {
    await addPolled(database.db, ["a"]);
    const { findings, slot } = await answersOfAll();
    const intervalMs = 333;
    await expect
      .poll(() => writePolls(database.db, findings, { slot: slotAt(Date.now(), intervalMs), intervalMs }))
      .toHaveLength(1);
    const { servers } = await listPolled(database.db);
    expect((servers[0]?.lastSlot ?? Number.NaN) % intervalMs).toBe(0);
    expect(servers[0]?.lastSlot).not.toBe(slot);
  });
});

describe("what a server told beside its figures", () => {
  const details = { map: "de_dust", version: "1.0", country: null, players: ["Alex", "Steve"] };
  const told = () => database.db("server_details").select("map", "version", "country", "players");

  /** Writes a poll as of a later slot than the one before. */
  async function poll(more: Partial<Finding>) {
    const { findings, slot } = await answersOfAll();
    await database.db("servers").update({ poll_slot: null });
    expect(
      await write(
        findings.map((finding) => ({ ...finding, ...more })),
        slot,
      ),
    ).toHaveLength(1);
  }

  it("is replaced by each answer, and gone with the first miss: no history has it", async () => {
    await addPolled(database.db, ["a"]);
    await poll({ details });
    expect(await told()).toEqual([details]);
    await poll({ details: { ...details, map: "de_nuke", players: ["Steve"] } });
    expect(await told()).toEqual([{ ...details, map: "de_nuke", players: ["Steve"] }]);
    await poll({});
    expect(await told()).toEqual([]);
    await poll({ details });
    await poll({ answered: false, online: null });
    expect(await told()).toEqual([]);
    await poll({ details });
    await database.db("servers").delete();
    expect(await told()).toEqual([]);
  });
});

describe("a poll is written once, or not at all", () => {
  it("by two writers of one slot: one record of each server", async () => {
    const ids = Array.from({ length: 60 }, (_, index) => `s${index}`);
    await addPolled(database.db, ids);
    const { findings, slot } = await answersOfAll();
    const other = openPool(database.url);
    const backwards = findings.toReversed();
    const results = await Promise.all([
      write(findings, slot),
      writePolls(other, backwards, { slot, intervalMs: INTERVAL_MS }),
      write(findings, slot),
      writePolls(other, backwards, { slot, intervalMs: INTERVAL_MS }),
    ]);
    expect(results.flat()).toHaveLength(60);
    expect(await database.db("online_records").count("* as count")).toEqual([{ count: 60 }]);
  });

  it("never in another slot than its own, by the database's clock", async () => {
    await addPolled(database.db, ["a"]);
    const { findings, slot } = await answersOfAll();
    expect(await write(findings, slot - INTERVAL_MS)).toEqual([]);
    expect(await write(findings, slot + INTERVAL_MS)).toEqual([]);
    expect(await recordsOf(database.db, "a")).toEqual([]);
    expect(await write(findings, slot)).toHaveLength(1);
  });

  it("not by a statement that comes late, after one of the next slot", async () => {
    await addPolled(database.db, ["a"]);
    const { findings } = await answersOfAll();
    const intervalMs = 150;
    const late = await openTransaction(database.db);
    const { rows } = await late.raw("select extract(epoch from now())::double precision * 1000 as now");
    const slot = slotAt(rows[0].now, intervalMs);
    await delay(2 * intervalMs);
    const writeNow = () =>
      writePolls(database.db, findings, { slot: slotAt(Date.now(), intervalMs), intervalMs });
    await expect.poll(writeNow).toHaveLength(1);
    expect(await writePolls(late, findings, { slot, intervalMs })).toEqual([]);
  });

  it("again after a clock that ran ahead was put right", async () => {
    await addPolled(database.db, ["a"], { poll_slot: new Date(Date.now() + 86_400_000) });
    const { findings, slot } = await answersOfAll();
    expect(await write(findings, slot)).toHaveLength(1);
  });

  it("not for a server that was removed meanwhile, and the others are", async () => {
    await addPolled(database.db, ["a", "b"]);
    const { findings, slot } = await answersOfAll();
    await database.db("servers").where({ id: "a" }).delete();
    expect(await write(findings, slot)).toHaveLength(1);
    await addPolled(database.db, ["a"]);
    expect(await write(findings, slot)).toEqual([]);
    expect(await serverRow(database.db, "a")).toMatchObject({ status: "unknown" });
  });

  it.each([
    { address: "elsewhere.test:7777" },
    { adapter_options: { type: "other" } },
    { adapter: "json" },
    { adapter: null },
  ])("not when it was asked as it is not defined any more: %j", async (change) => {
    await addPolled(database.db, ["a"]);
    const { findings, slot } = await answersOfAll();
    await database.db("servers").where({ id: "a" }).update(change);
    expect(await write(findings, slot)).toEqual([]);
  });

  it("also when something else of it was changed", async () => {
    await addPolled(database.db, ["a"]);
    const { findings, slot } = await answersOfAll();
    await database.db("servers").where({ id: "a" }).update({ description: "New", revision: 2 });
    expect(await write(findings, slot)).toHaveLength(1);
  });

  it("does not wait for an import that holds a server, and holds up nobody", async () => {
    await addPolled(database.db, ["a", "b"]);
    const { findings, slot } = await answersOfAll();
    const transaction = await openTransaction(database.db);
    await transaction("servers").where({ id: "a" }).update({ description: "New" });
    expect(await write(findings, slot)).toHaveLength(1);
    await transaction.commit();
    expect(await write(findings, slot)).toHaveLength(1);
    expect(await recordsOf(database.db, "a")).toHaveLength(1);
    expect(await recordsOf(database.db, "b")).toHaveLength(1);
  });
});

describe("what is found and not written yet", () => {
  const finding = (number: number): Finding => ({
    ...{ number, definition: "", answered: true, online: 1, bots: null, queue: null, max_online: null },
  });
  it("stays until it is written, and is forgotten with its slot", async () => {
    const writes: [number, number[]][] = [];
    let isDown = true;
    const outbox = createOutbox(async (findings, slot) => {
      if (isDown) throw new Error("away");
      const numbers = findings.map(({ number }) => number);
      writes.push([slot, numbers]);
      return numbers.filter((number) => number !== 3);
    });
    for (const number of [1, 2, 3]) outbox.put({ slot: 10, finding: finding(number) });
    outbox.put({ slot: 0, finding: finding(4) });
    await expect(outbox.flush(10)).rejects.toThrow("away");
    isDown = false;
    await outbox.flush(10);
    await outbox.flush(10);
    await outbox.flush(20);
    await outbox.flush(10);
    expect(writes).toEqual([
      [10, [1, 2, 3]],
      [10, [3]],
    ]);
  });

  it("is written in pieces when there is much of it", async () => {
    const sizes: number[] = [];
    const outbox = createOutbox(async (findings) => {
      sizes.push(findings.length);
      return findings.map(({ number }) => number);
    });
    for (let number = 0; number < 1_200; number++) outbox.put({ slot: 10, finding: finding(number) });
    await outbox.flush(10);
    expect(sizes).toEqual([500, 500, 200]);
    await outbox.flush(10);
    expect(sizes).toHaveLength(3);
  });
});
