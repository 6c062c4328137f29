import { describe, expect, it } from "vitest";
import { down, up } from "../../migrations/20261121101100_poll_and_roll_up_servers.ts";
import { rollUpHistory } from "../../src/servers/history/roll-up.ts";
import { loadServer } from "../../src/servers/queries.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { addRecords, addServer, databaseClock, HOUR_MS, listRecords } from "../helpers/servers.ts";

const database = useTestDatabase();

const asIs = (records: { server_id: string; checked_at: Date; status: string; online: number | null }[]) =>
  records.map(({ server_id, checked_at, status, online }) => [
    server_id,
    checked_at.getTime(),
    status,
    online,
  ]);

describe("the migration to a history in levels", () => {
  it("keeps every record, on the way there and back, and rolls up also those that are long past", async () => {
    const { db } = database;
    const now = (await databaseClock(db)).getTime();
    await addServer(db, { id: "a" });
    await addServer(db, { id: "b" });
    await addRecords(db, "b", [{ at: new Date(now - HOUR_MS), online: 4, queue: 1, max_online: 9 }]);

    // What later migrations have added to it.
    await db.raw("drop table server_crossings, server_alerts, server_limits, server_details cascade");
    await db.transaction(down);
    expect(await db("online_records").select("server_id", "online", "queue", "max_online")).toEqual([
      { server_id: "b", online: 4, queue: 1, max_online: 9 },
    ]);
    await db("online_records").insert([
      { server_id: "a", checked_at: new Date(now - 50 * 24 * HOUR_MS), status: "online", online: 7 },
      { server_id: "a", checked_at: new Date(now - 3 * HOUR_MS), status: "offline" },
    ]);
    await expect(
      db("online_records").insert({ server_id: "c", checked_at: new Date(), status: "offline" }),
    ).rejects.toThrow();

    await db.transaction(up);
    expect(asIs(await listRecords(db))).toEqual([
      ["a", now - 50 * 24 * HOUR_MS, "online", 7],
      ["a", now - 3 * HOUR_MS, "offline", null],
      ["b", now - HOUR_MS, "online", 4],
    ]);
    await rollUpHistory(db);
    expect((await loadServer(db, "a", "1y")).server).toMatchObject({ peak: 7, uptime: 0.5 });
    expect(await listRecords(db)).toHaveLength(2);
    expect(
      await db("servers").orderBy("id").select("adapter", "missed_polls", "poll_slot", "offline_since"),
    ).toEqual(Array(2).fill({ adapter: null, missed_polls: 0, poll_slot: null, offline_since: null }));
  });
});
