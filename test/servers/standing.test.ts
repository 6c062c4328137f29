import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { rollUpHistory } from "../../src/servers/history/roll-up.ts";
import { loadServerBoard, loadStandings } from "../../src/servers/queries.ts";
import { STANDING_DAYS } from "../../src/servers/standing.ts";
import { dayState, drawUptimeStrip } from "../../src/servers/uptime-bar.ts";
import { useTestApp } from "../helpers/app.ts";
import { addRecords, addServer, databaseClock, HOUR_MS, type Measurement } from "../helpers/servers.ts";
import { wordsIn } from "../helpers/words.ts";

const site = useTestApp();
const DAY_MS = 24 * HOUR_MS;

beforeEach(async () => {
  await site.db("servers").delete();
});

/** Midnight in UTC, some days ago. */
async function midnight(daysAgo: number): Promise<number> {
  const now = (await databaseClock(site.db)).getTime();
  return (Math.floor(now / DAY_MS) - daysAgo) * DAY_MS;
}

/** A server with measurements at hours of days that are over, by how many days ago they began. */
async function addMeasured(
  id: string,
  measured: (Omit<Measurement, "at"> & { daysAgo: number; hour: number })[],
): Promise<void> {
  await addServer(site.db, { id });
  const records = measured.map(async ({ daysAgo, hour, ...rest }) => ({
    at: new Date((await midnight(daysAgo)) + hour * HOUR_MS),
    ...rest,
  }));
  await addRecords(site.db, id, await Promise.all(records));
}

async function standingOf(id: string) {
  const [standings, { servers }] = await Promise.all([loadStandings(site.db), loadServerBoard(site.db)]);
  return standings.ofServer(servers.find((server) => server.id === id)?.number ?? 0);
}

describe("a server's standing", () => {
  it("tells each day's uptime, the last of them today's, and that of all days by their polls", async () => {
    await addMeasured("a", [
      { daysAgo: 1, hour: 1, online: 4 },
      { daysAgo: 1, hour: 2, status: "offline" },
      { daysAgo: 1, hour: 3, status: "unknown" },
      { daysAgo: 0, hour: 0, online: 2 },
    ]);
    const { days, uptime } = await standingOf("a");
    expect(days).toHaveLength(STANDING_DAYS);
    expect(days.slice(-3)).toEqual([null, 0.5, 1]);
    expect(days.slice(0, -2).every((day) => day === null)).toBe(true);
    expect(uptime).toBe(2 / 3);
  });

  it("ranks servers by their mean count; equal ones share a place, unmeasured ones have none", async () => {
    await addMeasured("busy", [{ daysAgo: 1, hour: 1, online: 90 }]);
    await addMeasured("even", [
      { daysAgo: 1, hour: 1, online: 10 },
      { daysAgo: 1, hour: 2, online: 30 },
    ]);
    await addMeasured("other", [{ daysAgo: 0, hour: 0, online: 20 }]);
    await addMeasured("quiet", [{ daysAgo: 1, hour: 1, online: 0 }]);
    await addMeasured("silent", [{ daysAgo: 1, hour: 1, online: null }]);
    await addServer(site.db, { id: "new" });
    expect(await standingOf("busy")).toMatchObject({ rank: 1, peak: 90, average: 90 });
    expect(await standingOf("even")).toMatchObject({ rank: 2, peak: 30, average: 20 });
    expect(await standingOf("other")).toMatchObject({ rank: 2 });
    expect(await standingOf("quiet")).toMatchObject({ rank: 4, peak: 0, average: 0 });
    expect(await standingOf("silent")).toMatchObject({ rank: null, peak: null, uptime: 1 });
    expect(await standingOf("new")).toMatchObject({ rank: null, uptime: null });
    expect((await loadStandings(site.db)).ranked).toBe(4);
  });

  it("counts the peak and the rank of 30 days, and the uptime of 90", async () => {
    await addServer(site.db, { id: "a" });
    const { number } = await site.db("servers").where({ id: "a" }).first("number");
    for (const [daysAgo, online] of [
      [90, 900],
      [89, 500],
      [30, 400],
      [29, 7],
    ] as const) {
      await site.db("online_days").insert({
        start: new Date(await midnight(daysAgo)),
        server_number: number,
        known: 10,
        up: 5,
        online_count: 1,
        online_sum: online,
        online_min: online,
        online_max: online,
        queue_count: 0,
        queue_sum: 0,
      });
    }
    await rollUpHistory(site.db);
    const { days, peak, average } = await standingOf("a");
    expect([peak, average]).toEqual([7, 7]);
    expect(days.flatMap((up, place) => (up === null ? [] : [place]))).toEqual([0, 59, 60]);
  });
});

describe("a day's bar", () => {
  it("shows the day by its height, too", () => {
    expect([1, 0.999, 0.99, 0.96, 0.95, 0, null].map(dayState)).toEqual([
      "up",
      "up",
      "partly",
      "partly",
      "down",
      "down",
      "unknown",
    ]);
    const svg = drawUptimeStrip({ days: [1, 1, 0.99, 0, null], uptime: 0.75 }, wordsIn("en"));
    expect(svg).toContain('class="day-up" d="M0 0h2V24H0z"');
    expect(svg).toContain('class="day-partly" d="M2 8h1V24H2z"');
    expect(svg).toContain('class="day-down" d="M3 16h1V24H3z"');
    expect(svg).toContain('aria-label="Uptime over 90 days: 75%. Days with outages: 2."');
  });
});

describe("the pages", () => {
  it("show the uptime of 90 days in the list", async () => {
    await addMeasured("good", [{ daysAgo: 1, hour: 1, online: 1 }]);
    const { text } = await request(site.app).get("/servers").expect(200);
    expect(text).toContain("Uptime over 90 days: 100%. Days with outages: 0.");
  });

  it("say a server's rank", async () => {
    await addMeasured("one", [{ daysAgo: 1, hour: 1, online: 9 }]);
    await addMeasured("two", [{ daysAgo: 1, hour: 1, online: 1 }]);
    const { text } = await request(site.app).get("/servers/two").expect(200);
    expect(text).toContain("<dd>2 of 2</dd>");
  });
});
