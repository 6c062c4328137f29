import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { type DemoProfile, demoRecords } from "../../src/commands/demo/history.ts";
import { topUpDemoHistory } from "../../src/commands/demo/history-queries.ts";
import { selectHours } from "../../src/servers/history/queries.ts";
import { rollUpHistory } from "../../src/servers/history/roll-up.ts";
import { loadOutages, loadServer, loadServerBoard, loadStandings } from "../../src/servers/queries.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { addRecords, addServer, BUCKET_MS, databaseClock, HOUR_MS, listRecords } from "../helpers/servers.ts";

const anchor = new Date("2026-11-21T12:00:00Z");
const dayBefore = new Date("2026-11-20T12:00:00Z");
const profile: DemoProfile = {
  base: 0.1,
  peak: 0.8,
  peak_hour_utc: 18,
  queue: "when_full",
  outage: [],
  gap: [],
};

function records(changes: Partial<DemoProfile> = {}, span: Partial<Parameters<typeof demoRecords>[1]> = {}) {
  return demoRecords(
    { ...profile, ...changes },
    { from: dayBefore, to: anchor, anchor, maxOnline: 1000, seed: "a", ...span },
  );
}

describe("the records of an invented server", () => {
  it("are one for each step, both ends included", () => {
    const made = records();
    expect(made).toHaveLength(289);
    expect(made[0]?.checked_at).toEqual(dayBefore);
    expect(made.at(-1)?.checked_at).toEqual(anchor);
    expect(records({}, { stepSeconds: 60 })).toHaveLength(1441);
  });

  it("are always the same for one server, and others for another", () => {
    expect(records()).toEqual(records());
    expect(records({}, { seed: "b" })).not.toEqual(records());
  });

  it("are many at the peak hour and few twelve hours away from it", () => {
    const at = (hour: number) =>
      records().find(({ checked_at }) => checked_at.getUTCHours() === hour)?.online ?? 0;
    expect(at(18)).toBeGreaterThan(700);
    expect(at(6)).toBeLessThan(150);
  });

  it("never exceed the maximum; who does not fit is in the queue", () => {
    const made = records({ peak: 1 });
    const full = made.filter(({ online }) => online === 1000);
    expect(full.length).toBeGreaterThan(12);
    expect(full.some(({ queue }) => (queue ?? 0) > 20)).toBe(true);
    for (const { online, queue } of made) {
      expect(online).toBeLessThanOrEqual(1000);
      if (queue !== 0) expect(online).toBe(1000);
    }
  });

  it("tell no queue where the server reports none, and a short one where it has one", () => {
    expect(new Set(records({ queue: "never_reported" }).map(({ queue }) => queue))).toEqual(new Set([null]));
    const short = records({ queue: "short", peak: 0.95 }).map(({ queue }) => queue ?? Number.NaN);
    expect(Math.max(...short)).toBeGreaterThan(0);
    expect(Math.max(...short)).toBeLessThan(7);
    expect(Math.min(...short)).toBe(0);
  });

  it("say offline during an outage, without counts", () => {
    const outage = [{ hours_ago: 9, minutes: 25 }];
    const down = records({ outage }).filter(({ status }) => status === "offline");
    expect(down.map(({ checked_at }) => checked_at.toISOString().slice(11, 16))).toEqual([
      "03:00",
      "03:05",
      "03:10",
      "03:15",
      "03:20",
    ]);
    for (const record of down) expect(record).toMatchObject({ online: null, queue: null });
  });

  it("are missing during a gap", () => {
    const made = records({ gap: [{ hours_ago: 14, minutes: 40 }] });
    expect(made).toHaveLength(289 - 8);
    const times = made.map(({ checked_at }) => checked_at.toISOString());
    expect(times).toContain("2026-11-20T21:55:00.000Z");
    expect(times).not.toContain("2026-11-20T22:00:00.000Z");
    expect(times).not.toContain("2026-11-20T22:35:00.000Z");
    expect(times).toContain("2026-11-20T22:40:00.000Z");
  });

  it("end in an outage for a server that has closed, and are none for one that never opened", () => {
    const closed = records({ status: "offline", offline_hours: 5 });
    const firstDown = closed.find(({ status }) => status === "offline");
    expect(firstDown?.checked_at).toEqual(new Date("2026-11-21T07:00:00Z"));
    expect(closed.at(-1)?.status).toBe("offline");
    expect(records({ status: "unknown" })).toEqual([]);
  });
});

describe("the demo servers' history", () => {
  const database = useTestDatabase();
  const seeds: { id: string; name: string; max_online: number; demo: DemoProfile }[] = JSON.parse(
    readFileSync(new URL("../../seeds/demo/servers.json", import.meta.url), "utf8"),
  );

  beforeEach(async () => {
    await database.db("servers").delete();
  });

  async function addDemoServers(): Promise<void> {
    for (const { id, name, max_online } of seeds)
      await addServer(database.db, { id, name, max_online, demo: true });
  }

  function allRecords() {
    return listRecords(database.db);
  }

  it("does nothing where there are no demo servers", async () => {
    await addServer(database.db, { id: "ls-one", demo: false });
    expect(await topUpDemoHistory(database.db)).toBe(0);
    expect(await allRecords()).toEqual([]);
  });

  it("fills the last two days and the current figures", async () => {
    await addDemoServers();
    expect(await topUpDemoHistory(database.db)).toBeGreaterThan(5600);
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

  it("adds nothing the second time, and brings back what is missing as it was", async () => {
    await addDemoServers();
    await topUpDemoHistory(database.db);
    const before = await allRecords();
    expect(await topUpDemoHistory(database.db)).toBeLessThan(seeds.length);
    await database.db("online_records").whereRaw("checked_at > now() - interval '3 hours'").delete();
    expect(await topUpDemoHistory(database.db)).toBeGreaterThan(300);
    const after = await allRecords();
    const newest = Math.max(...before.map((record) => record.checked_at.getTime()));
    expect(after.filter((record) => record.checked_at.getTime() <= newest)).toEqual(before);
  });

  it("does not count as a change of the servers' definitions", async () => {
    await addDemoServers();
    const before = await database.db("servers").select("id", "updated_at", "revision").orderBy("id");
    await topUpDemoHistory(database.db);
    expect(await database.db("servers").select("id", "updated_at", "revision").orderBy("id")).toEqual(before);
  });

  it("leaves real servers and their records alone", async () => {
    await addDemoServers();
    await addServer(database.db, { id: "real" });
    const now = await databaseClock(database.db);
    await addRecords(database.db, "real", [{ at: new Date(now.getTime() - 30 * HOUR_MS), online: 5 }]);
    await topUpDemoHistory(database.db);
    expect((await allRecords()).filter(({ server_id }) => server_id === "real")).toHaveLength(1);
    expect(await database.db("servers").where({ id: "real" }).first()).toMatchObject({
      status: "unknown",
      online: null,
    });
  });

  it("creates three months of a past, with the hours and days that the records would have made", async () => {
    await addDemoServers();
    await topUpDemoHistory(database.db);
    await rollUpHistory(database.db);
    const { times, servers } = await loadServerBoard(database.db, "30d");
    const one = servers.find(({ id }) => id === "ls-one");
    expect(one).toMatchObject({ peak: 1000, uptime: 1 });
    expect(times.filter((_, place) => (one?.history.online[place] ?? null) === null)).toEqual([]);
    expect(times).toHaveLength(360);
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
    await addDemoServers();
    await topUpDemoHistory(database.db);
    await rollUpHistory(database.db);
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

  it("can be read for several times at once", async () => {
    await addDemoServers();
    await Promise.all(Array.from({ length: 4 }, () => topUpDemoHistory(database.db)));
    const made = await allRecords();
    expect(new Set(made.map((record) => `${record.server_id} ${record.checked_at.getTime()}`)).size).toBe(
      made.length,
    );
    expect(made.length).toBeGreaterThan(2800);
  });
});
