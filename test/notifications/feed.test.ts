import { pino } from "pino";
import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { feedToken } from "../../src/notifications/feed.ts";
import { loadSettings, saveSettings } from "../../src/notifications/settings-queries.ts";
import { signToken } from "../../src/web/session/signed-token.ts";
import { paths } from "../../src/words/urls.ts";
import { TEST_CONFIG, useTestApp } from "../helpers/app.ts";
import { plainSpaces } from "../helpers/html.ts";
import { addNotification } from "../helpers/notifications.ts";
import { addDonateItem } from "../helpers/things.ts";
import { parseXml } from "../helpers/xml.ts";

const site = useTestApp();
let userId = 0;
let item = "";

/** A user with a feed, and an item of 100 EUR that notifications are about. */
beforeEach(async () => {
  ({ id: userId } = await site.createUser());
  await saveSettings(site.db, userId, { feed: true });
  item = `item of ${userId}`;
  await addDonateItem(site.db, item);
});

async function linkOf(user = userId): Promise<string> {
  const { feedVersion: version } = await loadSettings(site.db, user);
  return paths.notificationFeed(feedToken(TEST_CONFIG.sessionSecret, { userId: user, version }));
}

interface Entry {
  title: string;
  link: string;
  guid: { "#text": string; "@isPermaLink": string };
  description: string;
}

async function read(link?: string) {
  const response = await request(site.app)
    .get(link ?? (await linkOf()))
    .expect(200);
  const { channel } = parseXml(response.text).rss as { channel: Record<string, unknown> };
  const entries = ([] as Entry[]).concat((channel.item as Entry | Entry[] | undefined) ?? []);
  return { response, channel, entries };
}

describe("the private feed", () => {
  it("holds the user's notifications and nobody else's, newest first", async () => {
    const other = await site.createUser();
    await addNotification(site.db, other.id, item, { item_name: "theirs" });
    await addNotification(site.db, userId, item, { item_name: "older" });
    await addNotification(site.db, userId, item, { item_name: "newer" });
    const { entries } = await read();
    expect(entries.map(({ title }) => title)).toEqual([
      "newer: 75.00 EUR, down from 100.00 EUR",
      "older: 75.00 EUR, down from 100.00 EUR",
    ]);
    expect(entries[0]?.link).toBe(`http://almanac.test/donate/${encodeURIComponent(item)}`);
  });

  it("is RSS that names itself, for no search engine, shared cache or site that a link leads to", async () => {
    const { response, channel, entries } = await read();
    expect(response.headers).toMatchObject({
      "content-type": "application/rss+xml; charset=utf-8",
      "x-robots-tag": "noindex",
      "cache-control": "private, no-cache",
      "referrer-policy": "no-referrer",
    });
    expect(response.headers["set-cookie"]).toBeUndefined();
    expect(response.headers["last-modified"]).toBeUndefined();
    expect(entries).toEqual([]);
    const href = `http://almanac.test${await linkOf()}`;
    expect(channel["atom:link"]).toMatchObject({ "@rel": "self", "@href": href });
  });

  it("keeps the guid of an entry whatever becomes of the discount", async () => {
    const { id, discountId } = await addNotification(site.db, userId, item);
    const guidOf = async () => (await read()).entries.map(({ guid }) => guid);
    const guids = await guidOf();
    expect(guids).toEqual([
      { "#text": `tag:almanac.test,2026:/notifications/${id}`, "@isPermaLink": "false" },
    ]);
    const ends_at = "2126-01-02T03:04:05Z";
    const discount = site.db("discounts").where({ id: discountId });
    await discount.update({ ends_at, title: "Sale", updated_at: later() });
    expect(await guidOf()).toEqual(guids);
    await site.db("donate_items").where({ id: item }).delete();
    expect(await guidOf()).toEqual(guids);
  });

  it("shows the current end in the user's zone, and that a discount is over", async () => {
    const { discountId } = await addNotification(site.db, userId, item);
    const textOf = async () => plainSpaces((await read()).entries[0]?.description ?? "");
    expect(await textOf()).toContain("No end date.");
    const discount = () => site.db("discounts").where({ id: discountId });
    await discount().update({ ends_at: "2126-01-02T03:04:05Z", title: "Tom & Jerry's" });
    expect(await textOf()).toContain("Until 2 Jan 2126, 03:04 UTC (2126-01-02T03:04:05.000Z).");
    expect(await textOf()).toContain("<p>Tom &amp; Jerry&#39;s</p>");
    await site.db("users").where({ id: userId }).update({ time_zone: "Asia/Kathmandu" });
    expect(await textOf()).toContain("Until 2 Jan 2126, 08:49 UTC+5:45 (");
    // Over and on again under the same id: that is another discount.
    await discount().update({ starts_at: "2025-01-01T00:00:00Z", ends_at: "2025-01-02T00:00:00Z" });
    await discount().update({ starts_at: "2025-02-01T00:00:00Z", ends_at: "2126-01-01T00:00:00Z" });
    expect(await textOf()).toContain("This discount is over.");
    await discount().delete();
    expect(await textOf()).toContain("This discount is over.");
  });

  it("has the current price if it differs from the notification's", async () => {
    const { discountId } = await addNotification(site.db, userId, item);
    const textOf = async () => plainSpaces((await read()).entries[0]?.description ?? "");
    expect(await textOf()).not.toContain("now");
    await site.db("discounts").where({ id: discountId }).update({ percent: "20" });
    expect(await textOf()).toContain("It has changed: the price is now 80.00 EUR.");
    await age();
    expect((await read()).response.headers["last-modified"]).toBe("Thu, 01 Jan 2026 00:00:00 GMT");
    // It may have notified another user or nobody: it decides what this one pays.
    const rival = { id: `rival of ${discountId}`, item_key: item, price: "60" };
    await site.db("discounts").insert({ ...rival, starts_at: "2020-01-01T00:00:00Z" });
    expect(await textOf()).toContain("It costs 60.00 EUR now: another discount is better.");
    const times = { created_at: "2026-01-02T00:00:00Z", updated_at: "2026-02-02T00:00:00Z" };
    await site.db("discounts").where({ id: rival.id }).update(times);
    expect((await read()).response.headers["last-modified"]).toBe("Mon, 02 Feb 2026 00:00:00 GMT");
    await site.db("discounts").where({ id: rival.id }).delete();
    await site.db("discounts").where({ id: discountId }).update({ starts_at: "2126-01-02T00:00:00Z" });
    expect(await textOf()).toContain("Postponed: it starts on 2 Jan 2126");
    await site.db("discounts").where({ id: discountId }).delete();
  });

  it("is in the account's language, and leads to pages in it", async () => {
    const names = { ru: "Золотой VIP" };
    await site.db("donate_items").where({ id: item }).update({ names });
    await site.db("users").where({ id: userId }).update({ language: "ru", time_zone: "Europe/Moscow" });
    const { discountId } = await addNotification(site.db, userId, item);
    await site.db("discounts").where({ id: discountId }).update({ ends_at: "2126-01-02T03:04:05Z" });
    const { channel, entries, response } = await read();
    expect(channel).toMatchObject({
      language: "ru",
      title: "Almanac: ваши уведомления",
      link: "http://almanac.test/ru/notifications",
    });
    expect(channel["atom:link"]).toMatchObject({ "@href": `http://almanac.test${await linkOf()}` });
    expect(entries[0]?.link).toBe(`http://almanac.test/ru/donate/${encodeURIComponent(item)}`);
    expect(entries[0]?.title.replaceAll("\u00a0", " ")).toBe("Золотой VIP: 75,00 EUR вместо 100,00 EUR");
    expect(plainSpaces(entries[0]?.description ?? "")).toContain("До 2 янв. 2126");
    // Whatever the program that fetches it likes best: the link is one person's.
    const other = await request(site.app)
      .get(await linkOf())
      .set("Accept-Language", "en");
    expect(other.text).toBe(response.text);
  });

  it("carries hostile names as text", async () => {
    await addNotification(site.db, userId, item, { item_name: "<script>]]> & \u0008x" });
    const [entry] = (await read()).entries;
    expect(entry?.title).toBe("<script>]]> & x: 75.00 EUR, down from 100.00 EUR");
  });

  it("holds the newest fifty", async () => {
    for (let count = 1; count <= 52; count += 1)
      await addNotification(site.db, userId, item, { item_name: `notification ${count}` });
    const { entries } = await read();
    expect(entries).toHaveLength(50);
    expect(entries.at(-1)?.title).toMatch(/^notification 3:/);
  });
});

/** As if everything had happened long ago: what is new has no Last-Modified yet. */
async function age(): Promise<void> {
  const at = "2026-01-01T00:00:00Z";
  await site.db("notifications").update({ created_at: at });
  await site.db("discounts").update({ starts_at: at, created_at: at, updated_at: at });
  await site.db("donate_items").update({ created_at: at, updated_at: at });
  await site.db("settings").where({ key: "discounts_removed" }).delete();
}

describe("a reader that comes again", () => {
  it("gets nothing new while nothing has changed", async () => {
    await addNotification(site.db, userId, item);
    await age();
    const first = (await read()).response;
    const link = await linkOf();
    expect((await read()).response.text).toBe(first.text);
    const ask = () => request(site.app).get(link);
    await ask().set("If-None-Match", String(first.headers.etag)).expect(304);
    await ask().set("If-Modified-Since", String(first.headers["last-modified"])).expect(304);
    await request(site.app)
      .head(link)
      .set("Accept-Encoding", "gzip")
      .expect(200)
      .expect("ETag", String(first.headers.etag));
  });

  it.each([
    ["a notification is added", () => addNotification(site.db, userId, item, { created_at: later() })],
    ["the end of a discount is moved", () => changeDiscounts({ ends_at: "2126-01-01T00:00:00Z" })],
    ["a discount was removed", () => site.db("discounts").delete()],
  ])("gets the feed again when %s", async (_what, change) => {
    await addNotification(site.db, userId, item);
    await age();
    const { headers } = (await read()).response;
    await change();
    const link = await linkOf();
    const answer = request(site.app).get(link).set("If-Modified-Since", String(headers["last-modified"]));
    expect((await answer.expect(200)).headers.etag).not.toBe(headers.etag);
  });

  async function changeDiscounts(columns: Record<string, unknown>) {
    await site.db("discounts").update({ ...columns, updated_at: later() });
  }
});

describe("a feed's link", () => {
  it("leads nowhere while the feed is off, and after its account was deleted", async () => {
    const link = await linkOf();
    await saveSettings(site.db, userId, { feed: false });
    await refused(link);
    await saveSettings(site.db, userId, { feed: true });
    await read(link);
    await site.db("users").where({ id: userId }).delete();
    await refused(link);
  });

  it("cannot be made up or changed, and no other signed link opens it", async () => {
    const token = feedToken(TEST_CONFIG.sessionSecret, { userId, version: 1 });
    const foreign = feedToken("another secret", { userId, version: 1 });
    const bytes = Buffer.from(token, "base64url");
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    const unsubscribe = signToken(TEST_CONFIG.sessionSecret, "unsubscribe", `${userId}.1`);
    const changed = [bytes.toString("base64url"), `${token}A`, token.slice(1)];
    for (const guess of [foreign, unsubscribe, ...changed, "x", "%00", "."])
      await refused(paths.notificationFeed(guess));
    await refused(paths.notificationFeed(token).replace(/\.rss$/, ""));
    await refused(paths.notificationFeed(token).replace(/\.rss$/, ".xml"));
  });

  it("never gets into the log", async () => {
    const lines: string[] = [];
    const log = pino({ level: "debug" }, { write: (line) => lines.push(line) });
    const apply = () => {
      throw new Error("broken");
    };
    const broken = new Proxy(site.db, { apply });
    const link = await linkOf();
    const token = /feed\/(.+)\.rss/.exec(link)?.[1] ?? expect.unreachable();
    await request(await site.another({}, { log }))
      .get(link)
      .expect(200);
    await request(await site.another({}, { log, db: broken }))
      .get(link)
      .expect(500);
    await expect.poll(() => lines.length).toBeGreaterThanOrEqual(3);
    expect(lines.join("")).toContain("/notifications/feed/***");
    expect(lines.join("")).not.toContain(token);
    expect(lines.join("")).not.toContain(token.slice(0, 20));
  });

  /** Invalid links look the same to a guesser, whatever the reason, and search engines get none. */
  async function refused(link: string): Promise<void> {
    const { status, headers, text } = await request(site.app).get(link);
    expect([link, status]).toEqual([link, 404]);
    if (link.endsWith(".rss") && !link.includes("%")) {
      expect(headers).toMatchObject({ "x-robots-tag": "noindex", "cache-control": "no-store" });
      expect(JSON.parse(text).detail).toBe("There is no such feed.");
    }
  }
});

function later() {
  return site.db.raw("now() + interval '10 seconds'");
}
