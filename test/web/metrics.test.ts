import { readFileSync } from "node:fs";
import path from "node:path";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { measureWork } from "../../src/commands/metrics/measure-work.ts";
import { createDb } from "../../src/db/connect.ts";
import { addJobs } from "../../src/db/jobs.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { Metrics } from "../../src/web/metrics/metrics.ts";
import { measurePools } from "../../src/web/metrics/serve-metrics.ts";
import { useTestApp } from "../helpers/app.ts";

const TOKEN = "a-token-that-only-tests-know";
const metrics = new Metrics();
const site = useTestApp({ metrics: { token: TOKEN, port: undefined, host: "127.0.0.1" } }, () => ({
  metrics,
}));
const closed = useTestApp();

const readMetrics = (token = TOKEN) =>
  request(site.app).get("/metrics").set("Authorization", `Bearer ${token}`);

/** The value of one series, or undefined. */
async function readSeries(series: string, from = metrics): Promise<number | undefined> {
  const line = (await from.read()).split("\n").find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

const requests = (route: string, { method = "GET", status = "200" } = {}) =>
  readSeries(`almanac_http_requests_total{method="${method}",route="${route}",status="${status}"}`);

describe("GET /metrics", () => {
  it("is there for whoever has the token", async () => {
    const { text } = await readMetrics()
      .expect(200)
      .expect("Content-Type", /^text\/plain/)
      .expect("Cache-Control", "no-store");
    expect(text).toContain("\nnodejs_eventloop_lag_p99_seconds ");
  });

  it.each([["another token"], [`${TOKEN}s`], [""]])("is closed with %j", async (token) => {
    const answer = await readMetrics(token).expect(401).expect("WWW-Authenticate", 'Bearer realm="metrics"');
    expect(answer.text).not.toContain("almanac_");
  });

  it("is not there on a site that names no token", () => request(closed.app).get("/metrics").expect(404));
});

describe("requests", () => {
  it("are counted by route, whatever the language and the record", async () => {
    await importRecords(site.db, "items", [
      { id: "one", name: "One" },
      { id: "two", name: "Two" },
    ]);
    for (const address of ["/items/one", "/en/items/two", "/ru/items/two"])
      await request(site.app).get(address).expect(200);
    expect(await requests("/items/:id")).toBe(3);
    await request(site.app).get("/items/three").expect(404);
    expect(await requests("/items/:id", { status: "404" })).toBe(1);
  });

  it("are counted by route when they are answered from memory, or not changed", async () => {
    // A feed of younger changes is kept for the second only.
    await site.db("items").update({ created_at: "2026-01-01", updated_at: "2026-01-01" });
    const ask = () => request(site.app).get("/items.rss");
    const givenBefore = (await readSeries("almanac_remembered_answers_given")) ?? 0;
    const { headers } = await ask().expect(200);
    for (let again = 0; again < 3; again++) await ask().expect(200);
    await ask()
      .set("If-None-Match", headers.etag ?? "")
      .expect(304);
    expect(await requests("/items.rss")).toBe(4);
    expect(await requests("/items.rss", { status: "304" })).toBe(1);
    expect(await readSeries("almanac_remembered_answers_given")).toBeGreaterThan(givenBefore);
    expect(await readSeries("almanac_remembered_answers_bytes")).toBeGreaterThan(0);
  });

  it("leave no text of a client in the names", async () => {
    for (const address of ["/made-up", "/new-password/made-up", "/pictures/made-up", "/api/made-up/1"])
      await request(site.app).get(address);
    await request(site.app).propfind("/items");
    expect(await metrics.read()).not.toMatch(/made-up|PROPFIND/);
    expect(await requests("none", { status: "404" })).toBeGreaterThan(0);
  });

  it("are timed", async () => {
    const series = 'almanac_http_request_duration_seconds_count{method="GET",route="/healthz"}';
    await request(site.app).get("/healthz").expect(200);
    expect(await readSeries(series)).toBe(1);
  });
});

describe("what the processes have in common", () => {
  const work = new Metrics();

  it("is read from the database", async () => {
    measureWork(work, site.db);
    const runAt = new Date(Date.now() - 100_000);
    await addJobs(site.db, [{ task: "tell_discount", payload: { discountId: 1 }, runAt }]);
    await importRecords(site.db, "servers", [{ id: "polled", name: "Polled", address: "127.0.0.1:7777" }]);
    const polledAt = Math.floor(Date.now() / 1000);
    await site
      .db("servers")
      .update({ adapter: "gamedig", status: "offline", checked_at: new Date(polledAt * 1000) });
    expect(await readSeries("almanac_database_up", work)).toBe(1);
    expect(await readSeries("almanac_jobs_due", work)).toBe(1);
    expect(await readSeries("almanac_jobs_late_seconds", work)).toBeGreaterThanOrEqual(100);
    expect(await readSeries('almanac_polled_servers{status="offline"}', work)).toBe(1);
    expect(await readSeries("almanac_last_poll_timestamp_seconds", work)).toBe(polledAt);
    expect(await readSeries("almanac_database_size_bytes", work)).toBeGreaterThan(1_000_000);
    await site.db("servers").update({ status: "online" });
    expect(await readSeries('almanac_polled_servers{status="offline"}', work)).toBeUndefined();
  });

  it("is left out while the database is away", async () => {
    const away = new Metrics();
    const db = createDb({ url: "postgres://127.0.0.1:1/nowhere", connectTimeoutMs: 500 });
    measureWork(away, db);
    measurePools(away, { requests: db });
    expect(await readSeries("almanac_database_up", away)).toBe(0);
    expect(await away.read()).not.toMatch(/^almanac_jobs_due /m);
    expect(await readSeries('almanac_database_connections{pool="requests",state="used"}', away)).toBe(0);
    await db.destroy();
  });
});

describe("the files for Prometheus and Grafana", () => {
  const folder = path.join(import.meta.dirname, "../../docs");
  const read = (file: string) => readFileSync(path.join(folder, file), "utf8");
  const ours = async () => {
    const all = new Metrics();
    measureWork(all, site.db);
    measurePools(all, {});
    const own = [
      ...(await all.registry.getMetricsAsArray()),
      ...(await metrics.registry.getMetricsAsArray()),
    ];
    return new Set(own.map(({ name }) => name));
  };
  const namesIn = (text: string) => {
    const found = text.match(/\b(almanac|nodejs|process)_[a-z_0-9]+/g) ?? [];
    return new Set(found.map((name) => name.replace(/_(bucket|sum|count)$/, "")));
  };

  it.each(["monitoring/alerts.yml", "monitoring/dashboard.json"])(
    "%s names metrics that there are",
    async (file) => {
      const names = namesIn(read(file));
      expect(names.size).toBeGreaterThan(4);
      expect([...names].filter((name) => name.startsWith("almanac_")).length).toBeGreaterThan(3);
      const known = await ours();
      expect([...names].filter((name) => !known.has(name))).toEqual([]);
    },
  );

  it("metrics.md describes each of ours", async () => {
    const own = [...(await ours())].filter((name) => name.startsWith("almanac_"));
    expect(own.toSorted()).toEqual(
      [...namesIn(read("metrics.md"))].filter((n) => n.startsWith("almanac_")).toSorted(),
    );
  });
});
