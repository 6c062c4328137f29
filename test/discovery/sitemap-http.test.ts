import { createServer, get, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { pino } from "pino";
import supertest from "supertest";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createDb } from "../../src/db/connect.ts";
import type { SitemapUrl } from "../../src/discovery/sitemap/build-sitemap.ts";
import { streamUrlset } from "../../src/discovery/sitemap/stream-urlset.ts";
import { requestLog } from "../../src/web/server/log.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { BASE_URL, emptyTables, ids, insertEntries, sitemapSite } from "../helpers/sitemap.ts";

const database = useTestDatabase();
beforeEach(() => emptyTables(database.db));

describe("revalidation", () => {
  const kinds = [
    { what: "a whole sitemap", path: "/sitemap.xml", limits: {} },
    { what: "an index", path: "/sitemap.xml", limits: { urls: 3, pageUrls: 2, grownPageUrls: 3 } },
    { what: "a child", path: "/sitemap-items-2.xml", limits: { urls: 3, pageUrls: 2, grownPageUrls: 3 } },
    { what: "the child of the site's pages", path: "/sitemap-pages-1.xml", limits: { urls: 3 } },
  ];

  it.each(kinds)(
    "$what: the same bytes and tag while nothing changed, another tag after",
    async ({ path, limits }) => {
      await insertEntries(database.db, "items", ids(4), "2026-01-01T00:00:00Z");
      const app = sitemapSite(database.db, limits);
      const first = await supertest(app).get(path).expect(200);
      const second = await supertest(app).get(path).expect(200);
      expect(second.text).toBe(first.text);
      expect(second.headers.etag).toBe(first.headers.etag);
      expect(first.headers.etag).toMatch(/^"[\w-]+"$/);
      await database.db("items").where({ id: "id-04" }).update({ updated_at: "2026-01-01T00:00:00.001Z" });
      const third = await supertest(app).get(path).expect(200);
      expect(third.headers.etag).not.toBe(first.headers.etag);
      expect(third.text).not.toBe(first.text);
    },
  );

  it.each(kinds)(
    "$what: 304 by tag or by time, the tag wins, and gzip has its own",
    async ({ path, limits }) => {
      await insertEntries(database.db, "items", ids(60), "2026-01-01T00:00:00Z");
      const app = sitemapSite(database.db, limits);
      const ask = (asked: Record<string, string>) => supertest(app).get(path).set(asked);
      const plain = await ask({ "Accept-Encoding": "identity" }).expect(200);
      const { headers } = plain;
      const etag = String(headers.etag);
      const modified = String(headers["last-modified"]);
      expect(modified).toBe("Thu, 01 Jan 2026 00:00:00 GMT");
      const fresh = await ask({ "Accept-Encoding": "identity", "If-None-Match": etag }).expect(304);
      expect(fresh.text).toBe("");
      expect(fresh.headers).toMatchObject({ etag, "cache-control": headers["cache-control"] });
      await ask({ "If-Modified-Since": modified }).expect(304);
      await ask({ "If-Modified-Since": "Wed, 31 Dec 2025 23:59:59 GMT" }).expect(200);
      await ask({ "If-None-Match": '"other"', "If-Modified-Since": modified }).expect(200);
      const packed = await ask({ "Accept-Encoding": "gzip" }).expect(200);
      const encodings = [plain, packed].map(({ headers }) => headers["content-encoding"]);
      expect(encodings).toEqual([undefined, "gzip"]);
      expect(packed.text).toBe(plain.text);
      expect(packed.headers.etag).not.toBe(etag);
      expect(headers.vary).toContain("Accept-Encoding");
    },
  );
});

describe.each(["/sitemap.xml", "/sitemap-pages-1.xml", "/robots.txt"])("%s", (path) => {
  it.each(["gzip", "identity"])("answers HEAD as GET, without a body (%s)", async (encoding) => {
    const app = supertest(sitemapSite(database.db));
    const got = await app.get(path).set("Accept-Encoding", encoding).expect(200);
    const head = await app.head(path).set("Accept-Encoding", encoding).expect(200);
    expect(head.text ?? "").toBe("");
    for (const name of ["etag", "content-type", "content-encoding", "cache-control", "vary", "last-modified"])
      expect(head.headers[name]).toBe(got.headers[name]);
  });

  it("answers OPTIONS with what it allows, and 405 to all else", async () => {
    const app = supertest(sitemapSite(database.db));
    await app.options(path).expect(204).expect("Allow", "GET, HEAD, OPTIONS");
    for (const method of ["post", "delete"] as const) {
      const response = await app[method](path).expect(405).expect("Allow", "GET, HEAD, OPTIONS");
      expect(response.headers["content-type"]).toMatch(/^application\/problem\+json/);
      expect(JSON.parse(response.text)).toMatchObject({ status: 405 });
    }
  });

  it("looks at no credentials, sets no cookie and may be kept by shared caches", async () => {
    const app = sitemapSite(database.db);
    const response = await supertest(app)
      .get(path)
      .query({ api_key: "wrong" })
      .set({ "X-API-Key": "wrong", Cookie: "almanac.sid=s%3Aforged" })
      .expect(200);
    expect(response.headers["set-cookie"]).toBeUndefined();
    expect(response.headers["cache-control"]).toMatch(/^public, max-age=\d+/);
    expect(response.text).toBe((await supertest(app).get(path)).text);
  });
});

describe("GET /robots.txt", () => {
  it("is plain text that names the sitemap, and is revalidated by its tag", async () => {
    const response = await supertest(sitemapSite(database.db)).get("/robots.txt").expect(200);
    expect(response.headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(response.text).toContain(`\nSitemap: ${BASE_URL}/sitemap.xml\n`);
    const again = supertest(sitemapSite(database.db)).get("/robots.txt");
    await again.set("If-None-Match", String(response.headers.etag)).expect(304);
  });
});

describe("a stream", () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  it.each(["identity", "gzip"])("that fails half-way breaks the connection (%s)", async (encoding) => {
    const address = await listen(async function* () {
      for (let id = 0; id < 5_000; id++) yield { path: `/items/${id}` };
      throw new Error("the database went away");
    });
    const outcome = await download(address, { "Accept-Encoding": encoding });
    expect(outcome).toMatchObject({ status: 200, complete: false });
    expect(outcome.bytes).toBeGreaterThan(0);
  });

  async function listen(urls: () => AsyncGenerator<SitemapUrl>): Promise<string> {
    const app = express().use(requestLog(pino({ level: "silent" })));
    app.get("/", (req, res) =>
      streamUrlset(req, res, BASE_URL, { version: "1", lastModified: undefined, urls: urls() }),
    );
    server = createServer(app);
    await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }
});

describe("while the database is away", () => {
  it.each(["/sitemap.xml", "/sitemap-items-1.xml", "/sitemap-pages-1.xml"])(
    "%s answers 503, as a problem",
    async (path) => {
      const away = createDb({ url: "postgresql://nobody@127.0.0.1:1/none" });
      const response = await supertest(sitemapSite(away)).get(path).expect(503);
      await away.destroy();
      expect(response.headers["retry-after"]).toBeDefined();
      expect(response.headers["content-type"]).toMatch(/^application\/problem\+json/);
    },
  );

  it("/robots.txt answers as ever", async () => {
    const away = createDb({ url: "postgresql://nobody@127.0.0.1:1/none" });
    await supertest(sitemapSite(away)).get("/robots.txt").expect(200);
    await away.destroy();
  });
});

async function download(address: string, headers: Record<string, string>) {
  const response = await new Promise<IncomingMessage>((resolve) => get(address, { headers }, resolve));
  let bytes = 0;
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
  });
  await new Promise((resolve) => response.once("close", resolve).once("error", () => undefined));
  return { status: response.statusCode, complete: response.complete, bytes };
}
