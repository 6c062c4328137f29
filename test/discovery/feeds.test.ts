import express, { type Express, type RequestHandler } from "express";
import type { Knex } from "knex";
import { pino } from "pino";
import supertest from "supertest";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { feedRoutes } from "../../src/catalogue/feed.ts";
import { createDb } from "../../src/db/connect.ts";
import { readPathLanguage } from "../../src/web/request/locale.ts";
import { requestLog } from "../../src/web/server/log.ts";
import { Vocabulary } from "../../src/words/vocabulary/vocabulary.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { plainSpaces } from "../helpers/html.ts";
import { parseXml } from "../helpers/xml.ts";

const BASE_URL = "https://almanac.example";
const FEEDS = ["/items.rss", "/discounts.rss"];
const LONG_AGO = { created_at: "2025-01-01T00:00:00Z", updated_at: "2025-01-01T00:00:00Z" };
const database = useTestDatabase();

interface Entry {
  title: string;
  link: string;
  guid: { "#text": string };
  pubDate: string;
  description: string;
}

beforeEach(() => database.db.raw("truncate items, donate_items cascade"));

describe("GET /items.rss", () => {
  it("shows the 50 items that changed last, newest first, of equal times the smaller id first", async () => {
    for (let minute = 0; minute < 60; minute++) await insertItem(`new-${minute}`, { updated_at: at(minute) });
    await insertItem("b", { updated_at: at(100) });
    await insertItem("a", { updated_at: at(100) });
    const names = (await read("/items.rss")).entries.map(({ link }) => link.split("/").at(-1));
    expect(names).toEqual(["a", "b", ...Array.from({ length: 48 }, (_, index) => `new-${59 - index}`)]);
  });

  it("gets exactly one new entry with a new guid when one record changes", async () => {
    for (const id of ["1", "2", "3"]) await insertItem(id);
    const before = await read("/items.rss");
    const changed = { description: "Changed.", revision: 2, updated_at: at(1) };
    await database.db("items").where({ id: "2" }).update(changed);
    const after = await read("/items.rss");
    const known = new Set(before.guids);
    expect(after.guids.filter((guid) => !known.has(guid))).toHaveLength(1);
    expect(after.entries).toHaveLength(3);
    expect(after.entries[0]).toMatchObject({ link: `${BASE_URL}/items/2` });
    expect(after.entries[0]?.description).toContain("<p>Updated ");
    expect(after.entries[1]?.description).toContain("<p>Added ");
  });

  it("shows an item that was removed and came back as a new entry", async () => {
    await insertItem("1");
    const before = await read("/items.rss");
    await database.db("items").delete();
    await insertItem("1", { updated_at: at(1) });
    expect((await read("/items.rss")).guids).not.toEqual(before.guids);
  });

  it("changes when its newest item does, by that item's time", async () => {
    await insertItem("1", { updated_at: "2026-01-02T03:04:05.678Z" });
    const { channel, response } = await read("/items.rss");
    expect(channel.lastBuildDate).toBe("Fri, 02 Jan 2026 03:04:05 GMT");
    expect(response.headers["last-modified"]).toBe("Fri, 02 Jan 2026 03:04:05 GMT");
  });

  it("carries hostile names from the database as text", async () => {
    const names = ["<script>alert(1)</script>", "a ]]> b ]]> c", "Tom & Jerry &amp; co", "🚗 Ключ"];
    for (const [index, name] of names.entries())
      await insertItem(`${index}`, { name, updated_at: at(-index) });
    await insertItem("bad", { name: "x\u0008y", updated_at: at(-99) });
    expect((await read("/items.rss")).entries.map(({ title }) => title)).toEqual([...names, "xy"]);
  });
});

describe("a feed's language", () => {
  beforeEach(async () => {
    await insertItem("411", { name: "Pistol", names: { ru: "Пистолет" } });
    await insertShopItem("vip", "499.00");
    await insertDiscount("d", {});
  });

  it.each(FEEDS)(
    "of %s is English without one in the path, whatever the reader's machine likes",
    async (path) => {
      const first = await ask(path).set("Accept-Language", "en").expect(200);
      const second = await ask(path).set("Accept-Language", "ru").expect(200);
      expect(second.text).toBe(first.text);
      expect(second.headers.etag).toBe(first.headers.etag);
      expect(second.headers.vary ?? "").not.toContain("Accept-Language");
      expect(first.headers["content-language"]).toBe("en");
      expect(first.text).toContain("<language>en</language>");
      expect(first.text).not.toMatch(/[а-яё]/i);
    },
  );

  it.each(FEEDS)("of %s is the path's, with an entity tag of its own", async (path) => {
    const english = await ask(path).expect(200);
    for (const language of ["ru", "en"]) {
      const response = await ask(`/${language}${path}`).expect(200);
      expect(response.headers["content-language"]).toBe(language);
      expect(response.headers.etag).not.toBe(english.headers.etag);
      expect(response.text).toContain(`<language>${language}</language>`);
      expect(response.text).toContain(`href="${BASE_URL}/${language}${path}"`);
    }
    expect((await ask(`/ru${path}`)).text).toMatch(/[а-яё]/i);
  });
});

describe("GET /discounts.rss", () => {
  beforeEach(async () => {
    await insertShopItem("vip", "499.00");
    await insertShopItem("car", "20.00");
  });

  it("shows the active discounts, what ends soonest first, open-ended ones last", async () => {
    await insertDiscount("open", { item_key: "car", ends_at: null });
    await insertDiscount("late", { ends_at: "2126-02-01T00:00:00Z" });
    await insertDiscount("soon", { ends_at: "2126-01-01T00:00:00Z" });
    await insertDiscount("past", { ends_at: "2026-01-02T00:00:00Z" });
    await insertDiscount("coming", { starts_at: "2126-01-01T00:00:00Z", ends_at: "2126-01-02T00:00:00Z" });
    const { guids, entries } = await read("/discounts.rss");
    expect(guids.map((guid) => guid.split("/").at(-2))).toEqual(["soon", "late", "open"]);
    expect(entries[0]).toMatchObject({
      link: `${BASE_URL}/donate/vip`,
      title: "VIP: 399.20 EUR, down from 499.00 EUR",
    });
    expect(plainSpaces(entries[0]?.description ?? "")).toContain(
      "Until 1 Jan 2126, 00:00 UTC (2126-01-01T00:00:00.000Z).",
    );
    expect(entries[2]?.description).toContain("No end date.");
  });

  it("dates itself by the last start, end or change that has passed", async () => {
    await insertDiscount("past", { ends_at: "2026-03-02T00:00:00Z" });
    await insertDiscount("coming", { starts_at: "2126-01-01T00:00:00Z", ends_at: null });
    const first = await read("/discounts.rss");
    expect(first.channel.lastBuildDate).toBe("Mon, 02 Mar 2026 00:00:00 GMT");
    expect(first.response.headers["last-modified"]).toBe("Mon, 02 Mar 2026 00:00:00 GMT");
    await database.db("discounts").where({ id: "past" }).update({ updated_at: "2026-03-03T00:00:00Z" });
    expect((await read("/discounts.rss")).channel.lastBuildDate).toBe("Tue, 03 Mar 2026 00:00:00 GMT");
  });

  it("loses a discount when it ends and gains one when it begins, as a change", async () => {
    await insertDiscount("one", { ends_at: "2126-01-01T00:00:00Z" });
    const before = await read("/discounts.rss");
    // As if the time had come: the record itself did not change.
    await database.db("discounts").update({ ends_at: "2026-02-02T00:00:00Z" });
    await insertDiscount("two", { starts_at: "2026-02-03T00:00:00Z", ends_at: null });
    const after = await read("/discounts.rss");
    expect(after.guids.map((guid) => guid.split("/").at(-2))).toEqual(["two"]);
    expect(after.response.headers.etag).not.toBe(before.response.headers.etag);
    const since = String(before.response.headers["last-modified"]);
    await supertest(site()).get("/discounts.rss").set("If-Modified-Since", since).expect(200);
  });
});

describe.each(FEEDS)("%s", (path) => {
  beforeEach(async () => {
    await insertItem("1");
    await insertShopItem("vip", "499.00");
    await insertDiscount("one", { ends_at: "2126-01-01T00:00:00Z" });
  });

  it("is RSS 2.0 by its type, and links to itself", async () => {
    const { response, channel } = await read(path);
    expect(response.headers["content-type"]).toBe("application/rss+xml; charset=utf-8");
    expect(channel["atom:link"]).toMatchObject({ "@href": `${BASE_URL}${path}`, "@rel": "self" });
    expect(Number(channel.ttl)).toBeGreaterThan(0);
  });

  it("is valid when there is nothing to show, and then promises no time of change", async () => {
    await database.db.raw("truncate items, donate_items cascade");
    const { entries, response } = await read(path);
    expect(entries).toEqual([]);
    expect(response.headers["last-modified"]).toBeUndefined();
    await ask(path).set("If-None-Match", String(response.headers.etag)).expect(304);
  });

  it("does not change by a byte while nothing changed", async () => {
    const first = await read(path);
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    const second = await read(path);
    expect(second.response.text).toBe(first.response.text);
    expect(second.response.headers.etag).toBe(first.response.headers.etag);
  });

  it("answers 304 by tag or by time; the tag wins", async () => {
    const { headers } = (await read(path)).response;
    const etag = String(headers.etag);
    const modified = String(headers["last-modified"]);
    expect(etag).toMatch(/^"[\w-]+"$/);
    const fresh = await ask(path).set("If-None-Match", `"other", ${etag}`).expect(304);
    expect(fresh.text).toBe("");
    const { vary, "cache-control": caching } = headers;
    expect(fresh.headers).toMatchObject({ etag, vary, "cache-control": caching });
    await ask(path).set("If-Modified-Since", modified).expect(304);
    await ask(path).set("If-Modified-Since", "Thu, 01 Jan 2015 00:00:00 GMT").expect(200);
    await ask(path).set({ "If-None-Match": '"other"', "If-Modified-Since": modified }).expect(200);
  });

  it("has another tag after two changes within one second", async () => {
    const tags = new Set();
    for (const milliseconds of ["100", "200"]) {
      const updated_at = `2026-04-04T04:04:04.${milliseconds}Z`;
      await database.db("items").update({ updated_at, name: milliseconds });
      await database.db("discounts").update({ updated_at, title: milliseconds });
      const { headers } = (await read(path)).response;
      expect(headers["last-modified"]).toBe("Sat, 04 Apr 2026 04:04:04 GMT");
      tags.add(headers.etag);
    }
    expect(tags.size).toBe(2);
  });

  it("promises no time of change while another change can have the same second, whatever the reader knows", async () => {
    const now = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now });
    onTestFinished(() => void vi.useRealTimers());
    const soon = new Date(now - 500);
    await database.db("items").update({ updated_at: soon });
    await database.db("discounts").update({ updated_at: soon });
    const { headers } = (await read(path)).response;
    expect(headers["last-modified"]).toBeUndefined();
    await ask(path).set("If-Modified-Since", soon.toUTCString()).expect(200);
    await ask(path).set("If-None-Match", String(headers.etag)).expect(304);
    const settled = new Date(now - 3_000);
    await database.db("items").update({ updated_at: settled });
    await database.db("discounts").update({ updated_at: settled });
    const later = (await read(path)).response;
    expect(later.headers["last-modified"]).toBe(settled.toUTCString());
    await ask(path).set("If-Modified-Since", settled.toUTCString()).expect(304);
  });

  it("promises no time of change while a write is under way that has dated its changes already", async () => {
    const known = (await read(path)).response.headers["last-modified"];
    expect(known).toBeDefined();
    const writer = await database.db.transaction();
    await writer("vehicles").insert({ id: "truck", name: "Truck" });
    await writer.raw("select pg_sleep(0.3)");
    const during = (await read(path)).response;
    await writer.rollback();
    expect(during.headers["last-modified"]).toBeUndefined();
    const after = (await read(path)).response;
    expect(after.headers["last-modified"]).toBe(known);
    expect(after.headers.etag).toBe(during.headers.etag);
  });

  it("is newer for a reader that goes by time alone once the words of the site have changed", async () => {
    const { headers } = (await read(path)).response;
    const changedAt = new Date(Date.now() - 60_000);
    const app = site(BASE_URL, database.db, changedAt);
    const since = String(headers["last-modified"]);
    const again = await supertest(app).get(path).set("If-Modified-Since", since).expect(200);
    expect(again.headers["last-modified"]).toBe(changedAt.toUTCString());
    await supertest(app).get(path).set("If-Modified-Since", changedAt.toUTCString()).expect(304);
    await supertest(app).get(path).set("If-None-Match", String(headers.etag)).expect(304);
  });

  it("begins every address with the base URL", async () => {
    const { text } = await supertest(site("http://127.0.0.1:3000")).get(path).expect(200);
    expect(text).not.toContain(BASE_URL);
    expect(text.match(/<link>http:\/\/127\.0\.0\.1:3000\//g)).toHaveLength(2);
  });

  it("answers OPTIONS with what it allows, and 405 to all else", async () => {
    await supertest(site()).options(path).expect(204).expect("Allow", "GET, HEAD, OPTIONS");
    for (const method of ["post", "put", "patch", "delete"] as const) {
      const response = await supertest(site())
        [method](path)
        .expect(405)
        .expect("Allow", "GET, HEAD, OPTIONS");
      expect(response.headers["content-type"]).toMatch(/^application\/problem\+json/);
      const type = `${BASE_URL}/docs/errors#method-not-allowed`;
      expect(JSON.parse(response.text)).toMatchObject({ status: 405, type });
    }
  });

  it("looks at no credentials, sets no cookie and may be kept by shared caches", async () => {
    const response = await supertest(site())
      .get(path)
      .query({ api_key: "wrong" })
      .set({ "X-API-Key": "wrong", Cookie: "almanac.sid=s%3Aforged" })
      .expect(200);
    expect(response.headers["set-cookie"]).toBeUndefined();
    expect(response.headers["cache-control"]).toBe("public, max-age=60, must-revalidate");
    expect(response.text).toBe((await read(path)).response.text);
  });

  it("answers 503 with Retry-After, as a problem, while the database is away", async () => {
    const away = createDb({ url: "postgresql://nobody@127.0.0.1:1/none" });
    const response = await supertest(site(BASE_URL, away)).get(path).expect(503);
    await away.destroy();
    expect(response.headers["retry-after"]).toBeDefined();
    expect(response.headers["content-type"]).toMatch(/^application\/problem\+json/);
  });
});

function site(baseUrl = BASE_URL, db: Knex = database.db, wordsChangedAt?: Date): Express {
  const context = { config: { baseUrl, siteName: "Almanac", imageHosts: [] }, db };
  const words: RequestHandler = (req, _res, next) => {
    const category = (word: string) => ({ text: word, lang: undefined });
    Object.assign(req, { site: { vocabulary: new Vocabulary([]), category, wordsChangedAt } });
    next();
  };
  return express().use(requestLog(pino({ level: "silent" })), readPathLanguage, words, feedRoutes(context));
}

function ask(path: string) {
  return supertest(site()).get(path);
}

async function read(path: string) {
  const response = await supertest(site()).get(path).expect(200);
  const { channel } = parseXml(response.text).rss;
  const entries: Entry[] = channel.item ?? [];
  return { response, channel, entries, guids: entries.map(({ guid }) => guid["#text"]) };
}

/** Minutes after a fixed time, or before it. */
function at(minutes: number): string {
  return new Date(Date.UTC(2026, 5, 1) + minutes * 60_000).toISOString();
}

async function insertItem(id: string, changed: Record<string, unknown> = {}): Promise<void> {
  const item = { id, name: `Item ${id}`, ...LONG_AGO, updated_at: at(0) };
  await database.db("items").insert({ ...item, ...changed });
}

async function insertShopItem(id: string, price: string): Promise<void> {
  await database
    .db("donate_items")
    .insert({ id, name: id.toUpperCase(), price, currency: "EUR", ...LONG_AGO });
}

async function insertDiscount(id: string, changed: Record<string, unknown>): Promise<void> {
  const discount = { id, item_key: "vip", percent: 20, starts_at: "2026-01-01T00:00:00Z" };
  await database.db("discounts").insert({ ...discount, ...LONG_AGO, ...changed });
}
