import { afterEach, describe, expect, it } from "vitest";
import { listPolled, listUnheardServers, writePolls } from "../../src/servers/poller/queries.ts";
import { slotAt } from "../../src/servers/poller/roster.ts";
import { loadServer, setPaused } from "../../src/servers/queries.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { addPolled, recordsOf, serverRow } from "../helpers/poller.ts";
import { addRecords } from "../helpers/servers.ts";

const database = useTestDatabase();

/** A slot that is the present one until 2033. */
const INTERVAL_MS = 1e12;
const DOWN = { status: "offline", missed_polls: 5, checked_at: new Date(), offline_since: new Date() };

afterEach(async () => {
  await database.db("servers").delete();
});

const pause = (isPaused = true) => setPaused(database.db, "a", isPaused);

async function poll(answered: boolean, polled = listPolled(database.db)): Promise<number> {
  await database.db("servers").update({ poll_slot: new Date(0) });
  const { now, servers } = await polled;
  const none = { online: null, bots: null, queue: null, max_online: null };
  const findings = servers.map(({ number, definition }) => ({ ...none, number, definition, answered }));
  return (
    await writePolls(database.db, findings, { slot: slotAt(now, INTERVAL_MS), intervalMs: INTERVAL_MS })
  ).length;
}

describe("a paused server", () => {
  it("is not polled, and a poll under way stores nothing", async () => {
    await addPolled(database.db, ["a"]);
    const before = listPolled(database.db);
    await before;
    await pause();
    expect((await listPolled(database.db)).servers).toEqual([]);
    expect(await poll(false, before)).toBe(0);
    expect(await recordsOf(database.db, "a")).toEqual([]);
  });

  it("is not down, and nobody is told that it is up once it is resumed", async () => {
    await addPolled(database.db, ["a"], { ...DOWN, created_at: new Date(0) });
    expect(await listUnheardServers(database.db)).toMatchObject({ silent: ["a"] });
    await pause();
    expect(await listUnheardServers(database.db)).toMatchObject({ silent: [] });
    expect(await serverRow(database.db, "a")).toMatchObject({ status: "unknown", offline_since: null });
    expect(await pause()).toBeUndefined();
    await pause(false);
    expect(await poll(true)).toBe(1);
    expect(await serverRow(database.db, "a")).toMatchObject({ status: "online" });
    expect(await database.db("server_crossings")).toEqual([]);
  });

  it("counts as down again only after two misses", async () => {
    await addPolled(database.db, ["a"], DOWN);
    await pause();
    await pause(false);
    await poll(false);
    expect(await serverRow(database.db, "a")).toMatchObject({ status: "unknown" });
    await poll(false);
    expect(await serverRow(database.db, "a")).toMatchObject({ status: "offline" });
  });

  it("leaves the pause out of its uptime", async () => {
    await addPolled(database.db, ["a"], DOWN);
    const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    await addRecords(database.db, "a", [
      { at: ago(100), online: 1 },
      { at: ago(95), status: "offline" },
      { at: ago(90), status: "offline" },
    ]);
    await pause();
    expect((await loadServer(database.db, "a")).server).toMatchObject({
      uptime: 1 / 3,
      paused: true,
      polled: false,
    });
  });
});
