import { beforeEach, describe, expect, it } from "vitest";
import { formatFor } from "../../src/web/request/format.ts";
import { useTestApp } from "../helpers/app.ts";
import { attributes, plainSpaces, readable } from "../helpers/html.ts";
import { addRecords, addServer, bucketBefore, HOUR_MS, MINUTE_MS } from "../helpers/servers.ts";

const { time } = formatFor("en");

const site = useTestApp();
const { page } = site;
const EVIL = `<script>alert("x")</script>`;
const checked_at = new Date();

beforeEach(async () => {
  await site.db("servers").delete();
});

/** Names of the listed servers, from top to bottom. */
function listed(html: string): string[] {
  return [...html.matchAll(/<th scope="row" class="server-name">\s*<a href="[^"]*">([^<]*)<\/a>/g)].map(
    (match) => match[1] ?? "",
  );
}

async function addThree(): Promise<void> {
  await addServer(site.db, {
    id: "a",
    name: "Alpha",
    game: "MTA",
    language: "pl",
    status: "online",
    online: 5,
    queue: 0,
    max_online: 50,
    checked_at,
  });
  await addServer(site.db, {
    id: "b",
    name: "Beta",
    game: "SA-MP",
    language: "en",
    status: "online",
    online: 30,
    checked_at,
  });
  await addServer(site.db, {
    id: "c",
    name: "Gamma",
    game: "SA-MP",
    language: "ru",
    status: "offline",
    checked_at,
  });
}

describe("the list of servers", () => {
  it("says so when there are none", async () => {
    expect(readable(await page("/servers"))).toContain("No servers yet.");
  });

  it("shows each with its figures, and tells an empty queue from one that is not told", async () => {
    await addThree();
    const html = await page("/servers");
    expect(listed(html)).toEqual(["Beta", "Alpha", "Gamma"]);
    const rows = html.split("<tr data-server-id").slice(-3).map(readable);
    expect(rows[0]).toMatch(/Beta online SA-MP English SA-MP 30 not reported – –/);
    expect(rows[1]).toMatch(/Alpha online MTA Polish MTA 5 \/ 50 0 – –/);
    expect(rows[2]).toMatch(/Gamma offline SA-MP Russian SA-MP – – – –/);
    expect(html).toContain('<meter class="online-bar" min="0" max="50" value="5"');
  });

  it("totals what is known, and shows for how many servers and when that was measured", async () => {
    await addThree();
    const text = readable(await page("/servers"));
    expect(text).toContain(
      "35 players online on 2 of 3 servers. Nobody queuing (one server reports a queue).",
    );
    expect(text).toContain("Servers offline: 1.");
    expect(text).toContain(`Latest figures: ${plainSpaces(time(checked_at))}`);
  });

  it("marks a full server as full", async () => {
    await addServer(site.db, { id: "a", status: "online", online: 60, max_online: 50, checked_at });
    const html = await page("/servers");
    expect(html).toContain('<span class="badge is-full">full</span>');
    expect(html).toContain('max="50" value="50"');
    expect(readable(html)).toMatch(/Server a online full .* 60 \/ 50/);
  });

  it("shows the last good figures from a server that is not online, with their age", async () => {
    const last_online_at = new Date(Date.now() - 3 * HOUR_MS - 1000);
    const known = { online: 1120, max_online: 2000, queue: 4, checked_at, last_online_at };
    await addServer(site.db, { id: "a", status: "offline", ...known });
    await addServer(site.db, { id: "b", status: "unknown", ...known });
    const html = await page("/servers");
    for (const row of html.split("<tr data-server-id").slice(-2).map(readable)) {
      expect(row).toContain("1,120 online 3 h ago – – –");
    }
    expect(readable(html)).toContain("A time beside a figure means it’s the last we got.");
    expect(readable(html)).toContain("No player counts are known right now.");
  });

  it("draws a sparkline where a stretch of the day is known, or an outage: one count would be a speck", async () => {
    await addThree();
    const start = await bucketBefore(site.db, 12);
    const each = (minutes: number) => new Date(start + minutes * 60_000);
    const stretch = [0, 5, 10, 15, 20, 25, 30, 35].map((minutes) => ({ at: each(minutes), online: 41 }));
    await addRecords(site.db, "a", stretch);
    await addRecords(site.db, "b", [{ at: each(0), online: 7 }]);
    expect((await page("/servers")).match(/Last 24 hours: at most \d+ online/g)).toEqual([
      "Last 24 hours: at most 41 online",
    ]);
    await addRecords(site.db, "b", [{ at: each(30), status: "offline" }]);
    expect((await page("/servers")).match(/<svg class="sparkline"/g)).toHaveLength(2);
  });

  it.each([
    ["-name", ["Gamma", "Beta", "Alpha"]],
    ["position", ["Alpha", "Beta", "Gamma"]],
    ["-peak", ["Gamma", "Beta", "Alpha"]],
    ["peak", ["Gamma", "Beta", "Alpha"]],
    ["-uptime", ["Beta", "Gamma", "Alpha"]],
    ["uptime", ["Gamma", "Beta", "Alpha"]],
  ])(
    "sorts by %s: unknown figures last, and equal ones as the operator has ordered them",
    async (sort, names) => {
      await addThree();
      await site.db("servers").where({ id: "c" }).update({ position: 1 });
      const start = await bucketBefore(site.db, 6);
      await addRecords(site.db, "b", [{ at: new Date(start), online: 4 }]);
      await addRecords(site.db, "c", [
        { at: new Date(start), online: 4 },
        { at: new Date(start + 10 * MINUTE_MS), status: "offline" },
      ]);
      const html = await page(`/servers?sort=${sort}`);
      expect(listed(html)).toEqual(names);
      const direction = sort.startsWith("-") ? "descending" : "ascending";
      expect(html.includes(`aria-sort="${direction}"`)).toBe(sort !== "position");
    },
  );

  it("has headings that begin with the largest figure and with the first name, then turn round", async () => {
    await addThree();
    const linksAt = async (sort: string) => attributes(await page(`/servers?sort=${sort}`), "href");
    const first = await linksAt("position");
    expect(first).toEqual(expect.arrayContaining(["/servers?sort=name", "/servers?sort=-peak"]));
    expect(await linksAt("name")).toContain("/servers?sort=-name");
    expect(await linksAt("-name")).toContain("/servers?sort=name");
    expect(await linksAt("-peak")).toContain("/servers?sort=peak");
    const sorts = first.filter((href) => href.startsWith("/servers?sort="));
    expect(sorts.length).toBeGreaterThan(5);
    for (const href of sorts) await page(href);
  });

  it.each(["online desc", "-position", "constructor"])("refuses to sort by %j", async (sort) => {
    expect(await page(`/servers?sort=${encodeURIComponent(sort)}`, 400)).toContain("must be one of");
  });

  it("filters, and keeps filter and order in each other's links", async () => {
    await addThree();
    const html = await page("/servers?game=SA-MP&sort=-name");
    expect(listed(html)).toEqual(["Gamma", "Beta"]);
    expect(html).toContain('<option value="SA-MP" selected>SA-MP</option>');
    expect(html).toContain('<option value="-name" selected>Name, Z to A</option>');
    expect(html).toContain('href="/servers?game=SA-MP"');
    expect(html).toContain('href="/servers?game=SA-MP&amp;sort=name"');
    expect(html).toContain('href="/servers?sort=-name">Show all');
    expect(listed(await page("/servers?language=ru"))).toEqual(["Gamma"]);
    expect(listed(await page("/servers?game=&language="))).toEqual(["Beta", "Alpha", "Gamma"]);
  });

  it.each([
    ["alp", ["Alpha"]],
    ["beat", ["Beta"]],
    ["гамма", ["Gamma"]],
    ["play.beta.example:7777", ["Beta"]],
    ["sa-mp", ["Beta", "Gamma"]],
    ["nothing of the kind", []],
  ])("searches for %j by name and address, as forgiving as the site's search", async (q, names) => {
    await addThree();
    await site.db("servers").where({ id: "b" }).update({ address: "play.beta.example:7777" });
    const html = await page(`/servers?q=${encodeURIComponent(q)}`);
    expect(listed(html)).toEqual(names);
    expect(html).toContain(`name="q" value="${q}"`);
    expect(readable(html)).toContain(
      names.length === 0 ? "No servers match" : `${names.length} of 3 servers`,
    );
    expect(html).toContain(names.length === 0 ? ">All servers</a>" : ">Show all</a>");
  });

  it("filters by what the servers have room for, and counts what is shown", async () => {
    await addThree();
    await site.db("servers").where({ id: "b" }).update({ max_online: 30, queue: 2 });
    const html = await page("/servers?not_full=1&not_empty=1");
    expect(listed(html)).toEqual(["Alpha"]);
    expect(readable(html)).toContain("1 of 3 servers");
    expect(html).toContain('name="not_full" value="1" checked');
    expect(html).toContain('href="/servers?not_full=1&amp;not_empty=1&amp;sort=online"');
    expect(listed(await page("/servers?has_queue=1"))).toEqual(["Beta"]);
    expect(readable(await page("/servers"))).toContain("Show 3 servers");
    expect(await page("/servers?not_full=yes", 400)).toContain("must be one of");
  });

  it("has a user's favorites first where they ask for it, and asks no visitor", async () => {
    await addThree();
    const { agent, id } = await site.logIn();
    await site.db("server_favorites").insert({ user_id: id, server_id: "c" });
    const { text } = await agent.get("/servers?favorites_first=1").expect(200);
    expect(listed(text)).toEqual(["Gamma", "Beta", "Alpha"]);
    expect(text).toContain('name="favorites_first" value="1" checked');
    const visitors = await page("/servers?favorites_first=1");
    expect(listed(visitors)).toEqual(["Beta", "Alpha", "Gamma"]);
    expect(visitors).not.toContain('name="favorites_first"');
  });

  it("says so when a filter leaves nothing", async () => {
    await addThree();
    const text = readable(await page("/servers?game=Chess"));
    expect(text).toContain("No servers match these filters.");
    expect(text).toContain("on 2 of 3 servers");
  });

  it("is in Russian under /ru, its links too", async () => {
    await addThree();
    const html = await page("/ru/servers");
    const text = readable(html);
    expect(text).toContain("35 игроков онлайн на 2 из 3 серверов. В очередях никого (по данным 1 сервера).");
    expect(text).toContain("Серверы: офлайн — 1.");
    expect(text).toMatch(/Beta онлайн SA-MP английский SA-MP 30 не сообщает – –/i);
    expect(text).toContain("Показать 3 сервера");
    expect(html).toContain('<option value="" selected>Сначала высокий онлайн</option>');
    expect(html).toContain('href="/ru/servers?sort=online"');
    expect(html).toContain('href="/ru/servers/a"');
  });

  it("shows whatever stands in a record as text", async () => {
    await addServer(site.db, { id: "<b>", name: EVIL, game: EVIL, language: EVIL, address: EVIL });
    const html = await page("/servers");
    expect(html).not.toContain(EVIL);
    expect(html).toContain("&lt;script&gt;");
    expect(html).toContain('href="/servers/%3Cb%3E"');
  });

  it("marks a user's own favorites, and lets a visitor log in for theirs", async () => {
    await addThree();
    const { agent, id } = await site.logIn();
    await site.db("server_favorites").insert({ user_id: id, server_id: "b" });
    const { text, headers } = await agent.get("/servers").expect(200);
    const states = [...text.matchAll(/name="server_id" value="(\w)">[\s\S]*?aria-pressed="(\w+)"/g)];
    expect(states.map(([, server, pressed]) => [server, pressed])).toEqual([
      ["b", "true"],
      ["a", "false"],
      ["c", "false"],
    ]);
    expect(headers["cache-control"]).toBe("private, no-cache");
    expect(await page("/servers")).toContain('href="/login?next=%2Fservers"');
  });
});
