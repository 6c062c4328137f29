import { beforeEach, describe, expect, it } from "vitest";
import { formatFor } from "../../src/web/request/format.ts";
import { useTestApp } from "../helpers/app.ts";
import { attributes, elements, plainSpaces, readable, textOf } from "../helpers/html.ts";
import { addRecords, addServer, bucketBefore, HOUR_MS, MINUTE_MS } from "../helpers/servers.ts";

const { time } = formatFor("en");

const site = useTestApp();
const { page } = site;
const EVIL = `<script>alert("x")</script>`;
const checked_at = new Date();

beforeEach(async () => {
  await site.db("servers").delete();
});

/** The contents of the page's table of a class. */
function tableOf(html: string, name: string): string {
  return html.match(new RegExp(`<table class="(?:table )?${name}"[\\s\\S]*?</table>`))?.[0] ?? "";
}

describe("a server's page", () => {
  it.each(["online", "offline", "unknown"] as const)(
    "has a join button, which is its main one only while the server is online: %s",
    async (status) => {
      await addServer(site.db, { id: "a", name: "Alpha", url: "samp://127.0.0.1:7777", status, checked_at });
      const [, classes] = /<a class="([^"]+)" href="samp:/.exec(await page("/servers/a")) ?? [];
      expect(classes).toBe(status === "online" ? "button is-primary" : "button");
    },
  );

  it("shows its figures, its summary and its facts", async () => {
    await addServer(site.db, {
      id: "a",
      name: "Alpha",
      game: "MTA",
      description: "A place.",
      address: "127.0.0.1:22003",
      url: "https://example.invalid/",
      attributes: { map_name: "Bayside", open: true },
      status: "online",
      online: 5,
      queue: 0,
      max_online: 50,
      checked_at,
    });
    const start = await bucketBefore(site.db, 6);
    await addRecords(site.db, "a", [
      { at: new Date(start), online: 5, queue: 0 },
      { at: new Date(start + 10 * MINUTE_MS), online: 8, queue: 2 },
      { at: new Date(start + 20 * MINUTE_MS), status: "offline" },
    ]);
    const html = await page("/servers/a");
    const text = readable(html);
    expect(text).toContain(`Online 5 / 50 Queue 0 Pause updates Checked: ${plainSpaces(time(checked_at))}`);
    expect(text).toContain("Peak 8 Average 6.5 Uptime 66.7%");
    expect(text).toContain("Open yes Map name Bayside");
    expect(html).toContain('<code class="connect-address" id="address">127.0.0.1:22003</code>');
    expect(html).toContain('href="mtasa://127.0.0.1:22003"');
    expect(html).toContain('<a href="https://example.invalid/" rel="nofollow noopener ugc">');
    expect(html).toContain("<title>Alpha · Servers · Almanac</title>");
  });

  it("has the chart's figures in a table, with the reason where one is missing", async () => {
    await addServer(site.db, { id: "a" });
    const start = await bucketBefore(site.db, 6);
    await addRecords(site.db, "a", [
      { at: new Date(start), online: 1234, queue: 7 },
      { at: new Date(start + 5 * MINUTE_MS), status: "offline" },
      { at: new Date(start + 10 * MINUTE_MS), online: null, queue: 3 },
    ]);
    const html = await page("/servers/a");
    const rows = elements(tableOf(html, "figures"), "tr").map(textOf);
    const timeOf = (minutes: number) => plainSpaces(time(new Date(start + minutes * MINUTE_MS)));
    expect(rows).toEqual([
      "From Online Queue Uptime",
      expect.stringMatching(/ not measured$/),
      `${timeOf(0)} 1,234 7 100%`,
      `${timeOf(5)} offline`,
      `${timeOf(10)} not reported 3 100%`,
      `${timeOf(15)} not measured`,
    ]);
    expect(html).toContain('<svg class="chart"');
  });

  it.each([
    ["7d", "The last 7 days"],
    ["1y", "The last year"],
  ])("has a range of %s, with band, figures and links that keep to it", async (range, heading) => {
    await addServer(site.db, { id: "a" });
    const start = await bucketBefore(site.db, 6);
    await addRecords(site.db, "a", [
      { at: new Date(start), online: 10 },
      { at: new Date(start + MINUTE_MS), online: 21 },
    ]);
    const html = await page(`/servers/a?range=${range}`);
    expect(html).toContain(`>${heading}</h2>`);
    expect(html).toContain('class="chart-area"');
    expect(textOf(tableOf(html, "figures"))).toMatch(/From Online Lowest Highest Uptime .* 16 10 21 100%/);
    expect(html).toContain(`href="/servers/a?range=${range}#history" aria-current="true"`);
    expect(html).toContain(`href="/servers/a/history.csv?range=${range}"`);
    expect(html).toContain('<link rel="canonical" href="http://almanac.test/servers/a">');
    expect(readable(html)).toContain("Peak 21 Average");
  });

  it("refuses an unknown range", async () => {
    await addServer(site.db, { id: "a" });
    expect(await page("/servers/a?range=2h", 400)).toContain("must be one of 24h, 7d, 30d, 1y");
  });

  it("lists the range's outages with start, end and length, newest first", async () => {
    await addServer(site.db, { id: "a" });
    const start = await bucketBefore(site.db, 6);
    const at = (minutes: number) => new Date(start + minutes * MINUTE_MS);
    await addRecords(site.db, "a", [
      { at: at(0), online: 5 },
      { at: at(10), status: "offline" },
      { at: at(35), online: 5 },
      { at: at(60), status: "offline" },
      { at: at(61), online: 5 },
    ]);
    const html = await page("/servers/a");
    expect(elements(tableOf(html, "outages"), "tr").map(textOf)).toEqual([
      "From To Length",
      plainSpaces(`${time(at(60))} ${time(at(61))} 1 min`),
      plainSpaces(`${time(at(10))} ${time(at(35))} 25 min`),
    ]);
    expect(html).toContain(`<time datetime="${at(10).toISOString()}">`);
    expect(html.match(/<rect class="chart-outage[" ]/g)).toHaveLength(2);
  });

  it("leaves forty minutes without a measurement empty, in the line, the table and the figures", async () => {
    await addServer(site.db, { id: "a" });
    const start = await bucketBefore(site.db, 6);
    const minutes = Array.from({ length: 90 }, (_, minute) => minute).filter(
      (minute) => minute < 20 || minute >= 60,
    );
    await addRecords(
      site.db,
      "a",
      minutes.map((minute) => ({ at: new Date(start + minute * MINUTE_MS), online: 10 })),
    );
    const html = await page("/servers/a");
    expect(html.match(/<path class="chart-online" d=/g)).toHaveLength(2);
    expect(readable(html)).toContain("Peak 10 Average 10 Uptime 100%");
    expect(readable(html)).toContain("Outages in the last 24 hours No outages.");
    const figures = JSON.parse(attributes(html, "data-chart")[0] ?? "");
    const first = (start / 1000 - figures.from) / 300;
    expect(figures.online.slice(first, first + 18)).toEqual([
      ...Array(4).fill(10),
      ...Array(8).fill(null),
      ...Array(6).fill(10),
    ]);
  });

  it("shows how full the hours of the week were, in UTC, and embeds the hours for other zones", async () => {
    await addServer(site.db, { id: "a", max_online: 40 });
    const start = await bucketBefore(site.db, 6);
    await addRecords(site.db, "a", [{ at: new Date(start), online: 10 }]);
    const html = await page("/servers/a");
    const rows = elements(tableOf(html, "heat-map"), "tr");
    expect(rows).toHaveLength(8);
    expect(rows.map((row) => row.match(/<t[dh]/g)?.length)).toEqual(Array(8).fill(25));
    const at = new Date(start);
    const cells = elements(rows[((at.getUTCDay() + 6) % 7) + 1] ?? "", "td");
    expect(cells[at.getUTCHours()]).toBe("25");
    expect(cells.filter((cell) => cell === "–")).toHaveLength(23);
    expect(readable(html)).toContain("percent of its slots, by starting hour, in UTC .");
    const hour = Math.floor(start / HOUR_MS) * 3600;
    expect(JSON.parse(attributes(html, "data-week")[0] ?? "")).toEqual({
      maximum: 40,
      hours: [[hour, 1, 10]],
    });
  });

  it("shows what a polled server tells beside its figures, in safe text, while it is online", async () => {
    const polled = { adapter: "gamedig", status: "online", online: 2, checked_at: new Date() };
    await addServer(site.db, { id: "told", ...polled });
    const { number } = await site.db("servers").where({ id: "told" }).first("number");
    const players = JSON.stringify(["Alex", "<b>Steve</b>"]);
    await site
      .db("server_details")
      .insert({ server_number: number, map: "de_dust", version: "1.0", players });
    const html = await page("/servers/told");
    expect(readable(html)).toContain("Map de_dust Version 1.0 2 players Alex");
    expect(html).toContain("<li>&lt;b&gt;Steve&lt;/b&gt;</li>");
    expect(readable(await page("/ru/servers/told"))).toContain("Карта de_dust Версия 1.0 2 игрока Alex");
    await site.db("servers").where({ id: "told" }).update({ status: "offline" });
    await expect.poll(() => page("/servers/told")).not.toContain("de_dust");
  });

  it("is in Russian on request: facts, chart, tables and links", async () => {
    const start = await bucketBefore(site.db, 6);
    const offline_since = new Date(start + 10 * MINUTE_MS);
    const known = { online: 1120, max_online: 2000, queue: 3, checked_at, last_online_at: new Date(start) };
    await addServer(site.db, {
      id: "a",
      name: "Альфа",
      game: "MTA",
      language: "ru",
      status: "offline",
      offline_since,
      ...known,
    });
    await addRecords(site.db, "a", [
      { at: new Date(start), online: 1120, queue: 3 },
      { at: new Date(start + 10 * MINUTE_MS), status: "offline" },
      { at: new Date(start + 35 * MINUTE_MS), online: 1500, queue: 0 },
    ]);
    const html = await page("/ru/servers/a");
    const text = readable(html);
    expect(html).toContain("<title>Альфа · Серверы · Almanac</title>");
    expect(html).toContain('content="Альфа (MTA · Русский): игроки онлайн, очередь, история и сбои."');
    expect(text).toContain("Последние показатели: 1 120 из 2 000 онлайн, 3 в очереди, 6 ч назад");
    expect(text).toContain("Последние 24 часа");
    expect(text).toContain("Сбои за последние 24 часа С По Длительность");
    expect(textOf(tableOf(html, "outages"))).toMatch(/ 25 мин$/);
    expect(textOf(tableOf(html, "figures"))).toMatch(/С Онлайн Очередь Доступен .* 1.120 3 100 %/);
    expect(elements(tableOf(html, "heat-map"), "th").slice(25)).toEqual([
      "пн",
      "вт",
      "ср",
      "чт",
      "пт",
      "сб",
      "вс",
    ]);
    expect(html).toContain('href="/ru/servers/a?range=7d#history"');
    expect(html).toContain('href="/ru/servers/a/history.csv?range=24h"');
    expect(text).not.toMatch(/Offline|Queue|Peak|ago/);
  });

  it("links nothing that could run script", async () => {
    await addServer(site.db, { id: "a", url: "javascript:alert(1)" });
    const html = await page("/servers/a");
    expect(html).not.toContain('href="javascript:');
    expect(html).toContain('<code class="connect-address">javascript:alert(1)</code>');
  });

  it("shows whatever stands in a record as text, in the chart too", async () => {
    const attributes = { [EVIL]: EVIL };
    await addServer(site.db, {
      id: EVIL,
      name: EVIL,
      game: EVIL,
      description: EVIL,
      address: EVIL,
      url: EVIL,
      attributes,
    });
    const html = await page(`/servers/${encodeURIComponent(EVIL)}`);
    expect(html).not.toContain(EVIL);
    // What search engines read is data, which no browser runs.
    const ran = html.replaceAll('<script type="application/ld+json">', "");
    expect(ran.match(/<script(?!( type="module"| defer)? src=)/g)).toBeNull();
  });

  it("is found by any id that a game may use", async () => {
    for (const id of ["a/b", "ключ", "100%", "a?b#c", ".."]) {
      await addServer(site.db, { id, name: `Named ${id}` });
      expect(await page(`/servers/${encodeURIComponent(id).replace(/\./g, "%2E")}`)).toContain(">Named ");
    }
  });

  it.each(["nothing", "a%00b", "%F0%9F%90%BC", "x".repeat(201)])("is 404 for %s", async (id) => {
    expect(await page(`/servers/${id}`, 404)).toContain("There is no such server.");
  });

  it("knows whether it is the user's favorite", async () => {
    await addServer(site.db, { id: "a" });
    const { agent, id } = await site.logIn();
    expect((await agent.get("/servers/a")).text).toContain('aria-pressed="false"');
    await site.db("server_favorites").insert({ user_id: id, server_id: "a" });
    expect((await agent.get("/servers/a")).text).toContain('aria-pressed="true"');
  });
});
