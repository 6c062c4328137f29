import { parse } from "csv-parse/sync";
import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { serverEndpoints } from "../../src/servers/api.ts";
import { RANGE_NAMES, RANGES } from "../../src/servers/history/ranges.ts";
import { rollUpHistory } from "../../src/servers/history/roll-up.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { addRecords, addServer, bucketBefore, HOUR_MS, MINUTE_MS } from "../helpers/servers.ts";

const site = useTestApp();
let visitor: Agent;
let start: number;

beforeEach(async () => {
  await site.db("servers").delete();
  visitor = site.agent();
  await visitor.get("/session").expect(200);
  await addServer(site.db, { id: "a", position: 1 });
  await addServer(site.db, { id: "b/ü", position: 2 });
  start = await bucketBefore(site.db, 30);
  const counts = [10, 30, 21];
  await addRecords(site.db, "a", [
    ...counts.map((online, minute) => ({ at: new Date(start + minute * MINUTE_MS), online, queue: minute })),
    { at: new Date(start + 3 * MINUTE_MS), status: "offline" },
    { at: new Date(start + 20 * HOUR_MS), online: 5 },
  ]);
  await rollUpHistory(site.db);
});

async function ask(query: Record<string, string>) {
  const { body } = await visitor.get("/api/data").query(query).expect(200);
  const declared = serverEndpoints.find((endpoint) => endpoint.path === "/api/data");
  expect(declared?.output.safeParse(body).error).toBeUndefined();
  return body;
}

const KEYS = ["server_id", "online", "queue", "max_online", "status", "checked_at", "bots"];
const DEFINITION = [...KEYS, "name", "game", "address", "url", "website", "position"];
const DAY = ["peak_24h", "average_24h", "uptime_24h"];

describe("/api/data without a range", () => {
  it("has the keys it has always had, in their order, also for one server", async () => {
    for (const query of [{}, { server_id: "a" }] as Record<string, string>[]) {
      const body = await ask(query);
      expect(Object.keys(body)).toEqual(["generated_at", "from", "to", "interval_s", "times", "servers"]);
      expect(body.interval_s).toBe(300);
      expect(Object.keys(body.servers[0])).toEqual([...DEFINITION, ...DAY, "history"]);
      expect(Object.keys(body.servers[0].history)).toEqual(["online", "queue"]);
    }
  });
});

describe("/api/data of a range", () => {
  it.each(RANGE_NAMES)("%s has its grid, the last bucket being the one that runs now", async (range) => {
    const { intervalS, buckets } = RANGES[range];
    const body = await ask({ range });
    expect(body).toMatchObject({ range, interval_s: intervalS });
    expect(body.times).toHaveLength(buckets);
    expect(body.times.every((time: number) => time % intervalS === 0)).toBe(true);
    expect(body.times.at(-1) - body.times[0]).toBe(intervalS * (buckets - 1));
    const now = Date.now() / 1000;
    expect(body.times.at(-1)).toBeLessThanOrEqual(now + 1);
    expect(body.times.at(-1)).toBeGreaterThan(now - intervalS - 5);
    expect(body.from).toBe(new Date(body.times[0] * 1000).toISOString());
    expect(body.to).toBe(new Date((body.times.at(-1) + intervalS) * 1000).toISOString());
    for (const { history } of body.servers) {
      for (const column of Object.values(history)) expect(column).toHaveLength(buckets);
    }
  });

  it("tells peak, average and up-time of its polls, and those of a day only for the day", async () => {
    const week = (await ask({ range: "7d" })).servers[0];
    expect(Object.keys(week)).toEqual([...DEFINITION, "peak", "average", "uptime", "history"]);
    expect(week).toMatchObject({ peak: 30, average: 66 / 4, uptime: 0.8 });
    const day = (await ask({ range: "24h" })).servers[0];
    expect(Object.keys(day)).toEqual([...DEFINITION, ...DAY, "peak", "average", "uptime", "history"]);
    expect(day).toMatchObject({ peak: 5, average: 5, uptime: 1, peak_24h: 5, uptime_24h: 1 });
  });

  it("tells mean, lowest and highest of a bucket", async () => {
    const body = await ask({ range: "7d", server_id: "a" });
    const place = body.times.indexOf(Math.floor(start / 1000 / 1800) * 1800);
    const { history } = body.servers[0];
    const at = Object.fromEntries(
      Object.entries(history).map(([name, column]) => [name, (column as number[])[place]]),
    );
    expect(at).toEqual({ online: 20, online_min: 10, online_max: 30, queue: 1 });
    expect(history.online.filter((count: number | null) => count !== null)).toHaveLength(2);
  });

  it("is 400 for any other, and names those that there are", async () => {
    const { body } = await visitor.get("/api/data?range=2d").expect(400);
    expect(body.errors).toEqual([{ param: "range", message: "must be one of 24h, 7d, 30d, 1y" }]);
    await visitor.get("/api/data?range=7d&range=7d").expect(400);
    await visitor.get("/api/data?range=").expect(200);
  });
});

describe("/api/data of one server", () => {
  it("holds this one alone, at its place of all", async () => {
    const body = await ask({ server_id: "b/ü", range: "30d" });
    expect(body.servers).toHaveLength(1);
    expect(body.servers[0]).toMatchObject({ server_id: "b/ü", position: 2 });
    const [, all] = (await ask({ range: "30d" })).servers;
    expect(body.servers[0]).toEqual(all);
  });

  it("is 404 for an unknown one, and 400 for an impossible id", async () => {
    const { body } = await visitor.get("/api/data?server_id=nobody").expect(404);
    expect(body.detail).toBe("There is no such server.");
    await visitor.get(`/api/data?server_id=${"x".repeat(201)}`).expect(400);
  });
});

describe("the file of a server's history", () => {
  const ask = (path: string) => request(site.app).get(path);

  it("holds what /api/data tells, a line for each bucket", async () => {
    const { text, headers } = await ask("/servers/a/history.csv?range=7d").expect(200);
    expect(headers["content-type"]).toBe("text/csv; charset=utf-8");
    expect(headers["content-disposition"]).toBe("attachment; filename=a-7d.csv");
    const rows: Record<string, string>[] = parse(text, { columns: true });
    expect(rows).toHaveLength(336);
    const measured = rows.filter(({ up }) => up !== "");
    expect(measured).toEqual([
      {
        time: new Date(Math.floor(start / 1_800_000) * 1_800_000).toISOString(),
        online: "20",
        online_min: "10",
        online_max: "30",
        queue: "1",
        queue_max: "2",
        up: "0.75",
      },
      expect.objectContaining({ online: "5", queue: "", up: "1" }),
    ]);
  });

  it("is of 24 hours by default, and can be revalidated by its ETag", async () => {
    const { text, headers } = await ask("/servers/a/history.csv").expect(200);
    expect(text.trimEnd().split("\r\n")).toHaveLength(289);
    expect(headers["content-disposition"]).toBe("attachment; filename=a-24h.csv");
    expect(headers.etag).toMatch(/^"[^"]+"$/);
  });

  it("is 404 for a server that is not there, and 400 for a range that is not", async () => {
    await ask("/servers/nobody/history.csv").expect(404);
    await ask("/servers/a%00b/history.csv").expect(404);
    const { headers } = await ask("/servers/a/history.csv?range=2d").expect(400);
    expect(headers["content-type"]).toContain("application/problem+json");
  });
});
