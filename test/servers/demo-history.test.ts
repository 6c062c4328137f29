import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import type { DemoProfile } from "../../src/commands/demo/history.ts";
import { topUpDemoHistory } from "../../src/commands/demo/history-queries.ts";
import { selectHours } from "../../src/servers/history/queries.ts";
import { rollUpHistory } from "../../src/servers/history/roll-up.ts";
import { loadOutages, loadServer, loadServerBoard, loadStandings } from "../../src/servers/queries.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { addRecords, addServer, BUCKET_MS, databaseClock, HOUR_MS, listRecords } from "../helpers/servers.ts";

describe("the demo servers' history", () => {
  const database = useTestDatabase();
  const seeds: { id: string; name: string; max_online: number; demo: DemoProfile }[] = JSON.parse(
    readFileSync(new URL("../../seeds/demo/servers.json", import.meta.url), "utf8"),
  );

  beforeAll(async () => {
    await addServer(database.db, { id: "real", demo: false });
    expect(await topUpDemoHistory(database.db)).toBe(0);
    for (const { id, name, max_online } of seeds)
      await addServer(database.db, { id, name, max_online, demo: true });
    const now = await databaseClock(database.db);
    await addRecords(database.db, "real", [{ at: new Date(now.getTime() - 30 * HOUR_MS), online: 5 }]);
    expect(await topUpDemoHistory(database.db)).toBeGreaterThan(5600);
  });

  it("fills the last two days and the current figures", async () => {
    const { servers } = await loadServerBoard(database.db);
    const state = (id: string) => servers.find((server) => server.id === id);
    expect(state("ls-one")).toMatchObject({ status: "online", peak: 1000, uptime: 1 });
    const closed = state("anadolu-rol");
    expect(closed).toMatchObject({
      status: "offline",
      online: null,
      figures: { online: expect.any(Number) },
    });
    expect(closed?.last_online_at).toBeInstanceOf(Date);
    expect(closed?.offline_since?.getTime()).toBe((closed?.last_online_at?.getTime() ?? 0) + BUCKET_MS);
    expect(state("stepova-zatoka")).toMatchObject({ status: "unknown", checked_at: null, peak: null });
    expect(state("ls-two")?.uptime).toBeLessThan(1);
    expect(state("ciudad-libre")?.history.up.filter((up) => up === null).length).toBeGreaterThanOrEqual(15);
    for (const server of servers.filter(({ status }) => status === "online")) {
      const newest = server.history.online.findLast((count) => count !== null);
      expect(server.online).toBe(newest);
    }
  });

  it("leaves real servers and their records alone", async () => {
    const records = await listRecords(database.db);
    expect(records.filter(({ server_id }) => server_id === "real")).toHaveLength(1);
    expect(await database.db("servers").where({ id: "real" }).first()).toMatchObject({
      status: "unknown",
      online: null,
    });
  });

  it("creates three months of a past, with the hours and days that the records would have made", async () => {
    await rollUpHistory(database.db);
    const { times, servers } = await loadServerBoard(database.db, "30d");
    const one = servers.find(({ id }) => id === "ls-one");
    expect(one).toMatchObject({ peak: 1000, uptime: 1 });
    expect(times.filter((_, place) => (one?.history.online[place] ?? null) === null)).toEqual([]);
    expect(times).toHaveLength(360);
    const week = await loadServer(database.db, "ls-one", "7d");
    expect(week.server?.history.online).not.toContain(null);
    expect(servers.find(({ id }) => id === "stepova-zatoka")?.peak).toBeNull();
    const twoWeeks = await loadServer(database.db, "ciudad-libre", "7d");
    expect(twoWeeks.server?.history.up.filter((up) => up === null).length).toBeGreaterThanOrEqual(1);
    expect((await selectHours(database.db, "ls-one", 28)).length).toBe(28 * 24);
    const standings = await loadStandings(database.db);
    const standing = (id: string) =>
      standings.ofServer(servers.find((server) => server.id === id)?.number ?? 0);
    expect(standing("ls-one")).toMatchObject({ uptime: 1, rank: 1 });
    expect(standing("ls-one").days).not.toContain(null);
    expect(standing("ls-two").uptime).toBeLessThan(1);
    expect(standing("stepova-zatoka")).toMatchObject({ uptime: null, rank: null });
    expect(await loadOutages(database.db, "ls-two", new Date(Date.now() - 24 * HOUR_MS))).toHaveLength(1);
    expect(await gaps()).toEqual([]);
  });

  /** Hours and days that are not the sum of what is below them, as far as that reaches. */
  async function gaps() {
    const { rows } = await database.db.raw(`
      select hour.start, hour.server_number from online_hours as hour
        left join (select server_number, date_bin('1 hour', start, 'epoch') as start, sum(known) as known,
                          sum(online_sum) as online_sum, max(online_max) as online_max
                     from online_five_minutes group by 1, 2) as made using (server_number, start)
       where hour.start >= (select date_bin('1 hour', min(start), 'epoch') from online_five_minutes)
         and (hour.known, hour.online_sum, hour.online_max)
             is distinct from (made.known, made.online_sum, made.online_max)
      union all
      select day.start, day.server_number from online_days as day
        left join (select server_number, date_bin('1 day', start, 'epoch') as start, sum(known) as known,
                          sum(online_sum) as online_sum, max(online_max) as online_max
                     from online_hours group by 1, 2) as made using (server_number, start)
       where (day.known, day.online_sum, day.online_max)
             is distinct from (made.known, made.online_sum, made.online_max)`);
    return rows;
  }

  it("continues after a pause of days as if there had been none", async () => {
    const before = await loadServer(database.db, "ls-one", "30d");
    await forgetSince(4);
    expect(await topUpDemoHistory(database.db)).toBeGreaterThan(4 * 24 * 11 * 11);
    await rollUpHistory(database.db);
    const after = await loadServer(database.db, "ls-one", "30d");
    expect(after.server?.history.online.slice(0, -2)).toEqual(before.server?.history.online.slice(0, -2));
    expect(await gaps()).toEqual([]);
  });

  /** As if nothing had run for so many days. */
  async function forgetSince(days: number): Promise<void> {
    const { db } = database;
    const since = "date_bin('1 day', now(), 'epoch') - make_interval(days => ?)";
    await db("online_records").whereRaw(`checked_at >= ${since}`, [days]).delete();
    await db.raw("truncate online_records");
    for (const table of ["online_five_minutes", "online_hours", "online_days"]) {
      await db(table).whereRaw(`start >= ${since}`, [days]).delete();
    }
    await db("history_progress").update({ done_until: db.raw(since, [days]) });
  }
});
