import supertest from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { useTestDatabase } from "../helpers/database.ts";
import {
  BASE_URL,
  emptyTables,
  ids,
  insertDonateItem,
  insertEntries,
  insertServer,
  readChild,
  readChildren,
  readIndex,
  readUrlset,
  SITE_PAGES,
  sitemapSite,
} from "../helpers/sitemap.ts";

const database = useTestDatabase();
beforeEach(() => emptyTables(database.db));

describe("GET /sitemap.xml while everything fits in one file", () => {
  it("lists the site's pages and nothing else on an empty site", async () => {
    const { urls, response } = await readUrlset(sitemapSite(database.db), "/sitemap.xml");
    expect(response.headers["content-type"]).toBe("application/xml; charset=utf-8");
    expect(urls.map(({ loc }) => loc)).toContain(`${BASE_URL}/nicknames`);
    expect(urls).toHaveLength(SITE_PAGES);
    expect(urls.every(({ lastmod }) => lastmod === undefined)).toBe(true);
    expect(response.headers["last-modified"]).toBeUndefined();
  });

  it("lists the page of every record of every kind, with the time of its change", async () => {
    for (const kind of ["items", "vehicles", "scripts", "houses", "businesses"]) {
      await insertEntries(database.db, kind, ["1"], "2026-01-02T03:04:05.678Z");
    }
    await insertServer(database.db, "s1", "2026-02-02T00:00:00Z");
    await insertDonateItem(database.db, "vip", "2026-03-02T00:00:00Z");
    const { lastmods, response } = await readUrlset(sitemapSite(database.db), "/sitemap.xml");
    for (const kind of ["items", "vehicles", "scripts", "houses", "businesses"]) {
      expect(lastmods[`/${kind}/1`]).toBe("2026-01-02T03:04:05.678Z");
      expect(lastmods[`/${kind}`]).toBe("2026-01-02T03:04:05.678Z");
    }
    expect(lastmods["/servers/s1"]).toBe("2026-02-02T00:00:00.000Z");
    expect(lastmods["/donate/vip"]).toBe("2026-03-02T00:00:00.000Z");
    expect(lastmods["/"]).toBe("2026-03-02T00:00:00.000Z");
    expect(Object.keys(lastmods)).toHaveLength(SITE_PAGES + 7);
    expect(response.headers["last-modified"]).toBe("Mon, 02 Mar 2026 00:00:00 GMT");
  });

  it("leaves out ids that no address can hold, and those whose address would be too long", async () => {
    await insertEntries(database.db, "items", [".", "..", "...", "🚗".repeat(200), "я".repeat(200)]);
    const { lastmods } = await readUrlset(sitemapSite(database.db), "/sitemap.xml");
    const listed = Object.keys(lastmods).filter((path) => path.startsWith("/items/"));
    expect(listed.map(decodeURIComponent)).toEqual(["/items/...", `/items/${"я".repeat(200)}`]);
  });

  it("is one file up to the limit of URLs, and an index from the next one on", async () => {
    await insertEntries(database.db, "items", ids(5));
    expect(
      (await readUrlset(sitemapSite(database.db, { urls: SITE_PAGES + 5 }), "/sitemap.xml")).urls,
    ).toHaveLength(SITE_PAGES + 5);
    await readIndex(sitemapSite(database.db, { urls: SITE_PAGES + 4 }));
  });

  it("is one file up to the limit of bytes, and an index from the next one on", async () => {
    await insertEntries(database.db, "items", ["Ключ от 🚗", "a&b", "411"], "2026-01-01T00:00:00Z");
    const { text: xml } = await supertest(sitemapSite(database.db)).get("/sitemap.xml");
    // Only pages that never change lack a <lastmod>, and the prediction counts one for each.
    const unknown = (xml.match(/<url>/g)?.length ?? 0) - (xml.match(/<lastmod>/g)?.length ?? 0);
    const bytes = Buffer.byteLength(xml) + unknown * "<lastmod>2026-01-01T00:00:00.000Z</lastmod>".length;
    await readUrlset(sitemapSite(database.db, { bytes }), "/sitemap.xml");
    await readIndex(sitemapSite(database.db, { bytes: bytes - 1 }));
  });
});

describe("an index with its children", () => {
  const small = { urls: 10, pageUrls: 5, grownPageUrls: 7 };

  it("names each kind's files, and together they list every URL exactly once", async () => {
    await insertEntries(database.db, "items", ids(23));
    await insertEntries(database.db, "vehicles", ids(5));
    await insertEntries(database.db, "houses", ids(6));
    await insertServer(database.db, "s1", "2026-02-02T00:00:00Z");
    const app = sitemapSite(database.db, small);
    const names = (await readIndex(app)).map(({ loc }) => loc.slice(BASE_URL.length));
    expect(names).toEqual([
      "/sitemap-pages-1.xml",
      ...[1, 2, 3, 4, 5].map((page) => `/sitemap-items-${page}.xml`),
      "/sitemap-vehicles-1.xml",
      "/sitemap-houses-1.xml",
      "/sitemap-houses-2.xml",
      "/sitemap-servers-1.xml",
    ]);
    const listed = await readChildren(app);
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed).toHaveLength(SITE_PAGES + 23 + 5 + 6 + 1);
  });

  it("keeps ids that need encoding, or that sort by bytes and not by letters, each exactly once", async () => {
    const hostile = [..."aBäЯ🚗'%_Az~\u0008.", "a/b", "a b", "a&b", "<x>", "]]>"];
    await insertEntries(database.db, "scripts", [...hostile, ...ids(9)]);
    const listed = await readChildren(sitemapSite(database.db, small));
    const records = listed
      .filter((path) => path.startsWith("/scripts/"))
      .map((path) => path.slice("/scripts/".length));
    const expected = [...hostile.filter((id) => id !== "."), ...ids(9)];
    expect(records.map(decodeURIComponent).sort()).toEqual(expected.sort());
  });

  it.each(["the index", "the file itself"])(
    "draws new borders when a file outgrows its limit, as %s finds",
    async (who) => {
      await insertEntries(database.db, "items", ids(12));
      const app = sitemapSite(database.db, small);
      await readIndex(app);
      const added = Array.from({ length: 6 }, (_, index) => `id-00-${index}`);
      await insertEntries(database.db, "items", added);
      if (who === "the file itself") expect(await readChild(app, "/sitemap-items-1.xml")).toHaveLength(5);
      const listed = (await readChildren(app)).filter((path) => path.startsWith("/items/"));
      expect(listed).toEqual([...ids(12), ...added].sort().map((id) => `/items/${id}`));
      for (const { loc } of await readIndex(app)) {
        expect((await readChild(app, loc.slice(BASE_URL.length))).length).toBeLessThanOrEqual(SITE_PAGES);
      }
    },
  );

  it("no longer names a file whose records are gone, and answers 404 for it", async () => {
    await insertEntries(database.db, "items", ids(12));
    const app = sitemapSite(database.db, small);
    expect(await readIndex(app)).toHaveLength(4);
    await database.db("items").where("id", ">=", "id-06").where("id", "<", "id-11").delete();
    expect((await readIndex(app)).map(({ loc }) => loc)).not.toContain(`${BASE_URL}/sitemap-items-2.xml`);
    await supertest(app).get("/sitemap-items-2.xml").expect(404);
  });

  it.each([
    "/sitemap-items-4.xml",
    "/sitemap-items-0.xml",
    "/sitemap-items-01.xml",
    "/sitemap-items--1.xml",
    "/sitemap-items-x.xml",
    "/sitemap-items-99999999999.xml",
    "/sitemap-users-1.xml",
    "/sitemap-constructor-1.xml",
    "/sitemap-vehicles-1.xml",
    "/sitemap-pages-2.xml",
  ])("answers 404 as a problem for %s, which it does not have", async (path) => {
    await insertEntries(database.db, "items", ids(12));
    const response = await supertest(sitemapSite(database.db, small)).get(path).expect(404);
    expect(response.headers["content-type"]).toMatch(/^application\/problem\+json/);
    expect(JSON.parse(response.text)).toMatchObject({
      status: 404,
      type: `${BASE_URL}/docs/errors#not-found`,
    });
  });
});
