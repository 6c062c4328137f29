import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import request from "supertest";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { indexNowKey, indexNowKeyPath, tellIndexNow } from "../../src/discovery/sitemap/indexnow.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { loadConfig } from "../../src/settings/config.ts";
import { TEST_CONFIG, useTestApp } from "../helpers/app.ts";
import { sitemapSite } from "../helpers/sitemap.ts";

const site = useTestApp();
const SECRET = TEST_CONFIG.sessionSecret;
const BASE_URL = "http://almanac.test";

interface Told {
  host: string;
  key: string;
  keyLocation: string;
  urlList: string[];
}

/** A search engine that takes submissions, or answers `status`. */
const engine = { told: [] as Told[], status: 200, headers: {} as Record<string, string> };
let server: Server;
let endpoint = "";

beforeAll(async () => {
  server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    if (engine.status < 300) engine.told.push(JSON.parse(Buffer.concat(chunks).toString()));
    res.writeHead(engine.status, engine.headers).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/indexnow`;
});
afterAll(() => server.close());

beforeEach(async () => {
  Object.assign(engine, { told: [], status: 200, headers: {} });
  await site.db.raw("truncate items, vehicles, donate_items, catalogue_tombstones cascade");
  await site.db("settings").where({ key: "indexnow" }).delete();
  await tell();
});

const tell = () => tellIndexNow(site.db, { endpoint, baseUrl: BASE_URL, secret: SECRET });
const load = (ids: string[], options = {}) =>
  importRecords(
    site.db,
    "items",
    ids.map((id) => ({ id, name: `Name ${id}` })),
    options,
  );
/** The sent pages, without those of single languages. */
const toldPages = () =>
  engine.told.flatMap(({ urlList }) => urlList).filter((url) => !/test\/(ru|en)\//.test(url));

describe("IndexNow", () => {
  it("tells each change and removal once, in every language, with the key", async () => {
    await load(["1", "a/b"]);
    expect(await tell()).toBe(6);
    expect(engine.told).toEqual([
      {
        host: "almanac.test",
        key: indexNowKey(SECRET),
        keyLocation: `${BASE_URL}${indexNowKeyPath(SECRET)}`,
        urlList: ["1", "a%2Fb"].flatMap((id) =>
          ["/en", "/ru", ""].map((prefix) => `${BASE_URL}${prefix}/items/${id}`),
        ),
      },
    ]);
    expect(await tell()).toBe(0);
    await load(["1"], { prune: true });
    await tell();
    await tell();
    expect(toldPages().slice(2)).toEqual([`${BASE_URL}/items/a%2Fb`]);
  });

  it("sends nothing from before it was switched on", async () => {
    await load(["1"]);
    await site.db("settings").where({ key: "indexnow" }).delete();
    expect(await tell()).toBe(0);
    expect(engine.told).toEqual([]);
  });

  it("tells a large import in parts of at most 10,000 URLs, without a gap", async () => {
    const ids = Array.from({ length: 4_000 }, (_, index) => `n${index}`);
    await load(ids);
    expect(await tell()).toBe(9_999);
    expect(await tell()).toBe(2_001);
    expect(new Set(toldPages()).size).toBe(4_000);
  });

  it("retries what was refused, after the requested pause", async () => {
    await load(["1"]);
    Object.assign(engine, { status: 429, headers: { "retry-after": "1200" } });
    await expect(tell()).rejects.toThrow("did not take 3 URLs");
    engine.status = 202;
    expect(await tell()).toBe(0);
    const { value } = await site.db("settings").where({ key: "indexnow" }).first();
    expect(Date.parse(value.free_at) - Date.now()).toBeGreaterThan(1_100_000);
    await site.db.raw(
      "update settings set value = value || jsonb_build_object('free_at', now()) where key = 'indexnow'",
    );
    expect(await tell()).toBe(3);
  });

  it("is sent by one of several processes", async () => {
    await load(["1"]);
    const counts = await Promise.all(Array.from({ length: 5 }, tell));
    expect(counts.toSorted()).toEqual([0, 0, 0, 0, 3]);
    expect(engine.told).toHaveLength(1);
  });

  it("proves the site by a file with the key, only where it is on", async () => {
    const path = indexNowKeyPath(SECRET);
    await request(site.app).get(path).expect(404);
    const config = { indexNowEndpoint: endpoint, sessionSecret: SECRET };
    const { text, headers } = await request(sitemapSite(site.db, {}, BASE_URL, config))
      .get(path)
      .expect(200);
    expect(text).toBe(indexNowKey(SECRET));
    expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(path).not.toContain(SECRET);
  });

  it("is off unless a setting names a search engine", () => {
    expect(loadConfig({}).indexNowEndpoint).toBeUndefined();
    const INDEXNOW_ENDPOINT = "https://search.example/indexnow";
    expect(loadConfig({ INDEXNOW_ENDPOINT }).indexNowEndpoint).toBe(INDEXNOW_ENDPOINT);
    for (const wrong of ["search.example", "ftp://search.example"])
      expect(() => loadConfig({ INDEXNOW_ENDPOINT: wrong })).toThrow(
        "INDEXNOW_ENDPOINT: must be an http(s) address",
      );
  });
});
