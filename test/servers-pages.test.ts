import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { time } from "../src/http/format.ts";
import { useTestApp } from "./helpers/app.ts";
import { addRecords, addServer, bucketBefore, MINUTE_MS } from "./helpers/servers.ts";

const site = useTestApp();
const EVIL = `<script>alert("x")</script>`;
const checked_at = new Date();

beforeEach(async () => {
  await site.db("servers").delete();
});

async function page(path: string, status = 200): Promise<string> {
  const { text } = await request(site.app).get(path).expect(status);
  return text;
}

/** Names of the listed servers, from top to bottom. */
function listed(html: string): string[] {
  return [...html.matchAll(/<th scope="row" class="server-name">\s*<a href="[^"]*">([^<]*)<\/a>/g)].map(
    (match) => match[1] ?? "",
  );
}

/** A page's text as a reader sees it. */
function readable(html: string): string {
  return html.replace(/<title>.*?<\/title>|<[^>]+>/g, " ").replace(/\s+/g, " ");
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
    expect(listed(html)).toEqual(["Alpha", "Beta", "Gamma"]);
    const rows = html.split("<tr>").slice(-3).map(readable);
    expect(rows[0]).toMatch(/Alpha online pl MTA 5 \/ 50 0/);
    expect(rows[1]).toMatch(/Beta online en SA-MP 30 not told/);
    expect(rows[2]).toMatch(/Gamma offline ru SA-MP – –/);
    expect(html).toContain('<meter class="online-bar" min="0" max="50" value="5"');
  });

  it("totals what is known and says of how many, and when that was measured", async () => {
    await addThree();
    const text = readable(await page("/servers"));
    expect(text).toContain("35 players online on 2 of 3 servers, 0 waiting in the one queue that is known.");
    expect(text).toContain("Servers offline: 1.");
    expect(text).toContain(`Newest figures of ${time(checked_at)}`);
  });

  it("makes no 0 of a total that nobody knows", async () => {
    await addServer(site.db, { id: "a" });
    const text = readable(await page("/servers"));
    expect(text).toContain("No server’s count of players is known now.");
    expect(text).toContain("Servers unknown: 1.");
  });

  it("marks a full server as full", async () => {
    await addServer(site.db, { id: "a", status: "online", online: 60, max_online: 50, checked_at });
    const html = await page("/servers");
    expect(html).toContain('<span class="badge is-full">full</span>');
    expect(html).toContain('max="50" value="50"');
    expect(readable(html)).toContain("60 / 50");
  });

  it("draws a sparkline for each", async () => {
    await addThree();
    const start = await bucketBefore(site.db, 6);
    await addRecords(site.db, "a", [{ at: new Date(start), online: 41 }]);
    const html = await page("/servers");
    expect(html.match(/<svg class="sparkline"/g)).toHaveLength(3);
    expect(html).toContain('aria-label="Last 24 hours: at most 41 online"');
  });

  it.each([
    ["name", ["Alpha", "Beta", "Gamma"]],
    ["-name", ["Gamma", "Beta", "Alpha"]],
    ["online", ["Alpha", "Beta", "Gamma"]],
    ["-online", ["Beta", "Alpha", "Gamma"]],
    ["-game", ["Beta", "Gamma", "Alpha"]],
  ])("sorts by %s", async (sort, names) => {
    await addThree();
    const html = await page(`/servers?sort=${sort}`);
    expect(listed(html)).toEqual(names);
    expect(html).toContain(`aria-sort="${sort.startsWith("-") ? "descending" : "ascending"}"`);
  });

  it.each(["id", "online desc", "1;drop table servers", "-position", "constructor"])(
    "refuses to sort by %j",
    async (sort) => {
      await addThree();
      expect(await page(`/servers?sort=${encodeURIComponent(sort)}`, 400)).toContain("must be one of");
    },
  );

  it("filters, and keeps filter and order in each other's links", async () => {
    await addThree();
    const html = await page("/servers?game=SA-MP&sort=-online");
    expect(listed(html)).toEqual(["Beta", "Gamma"]);
    expect(html).toContain("<option selected>SA-MP</option>");
    expect(html).toContain('<input type="hidden" name="sort" value="-online">');
    expect(html).toContain('href="/servers?game=SA-MP&amp;sort=online"');
    expect(html).toContain('href="/servers?game=SA-MP&amp;sort=name"');
    expect(html).toContain('href="/servers?sort=-online">Show all');
    expect(listed(await page("/servers?language=ru"))).toEqual(["Gamma"]);
    expect(listed(await page("/servers?game=&language="))).toEqual(["Alpha", "Beta", "Gamma"]);
  });

  it("shows figures of long ago with their time, and leaves them out of the totals", async () => {
    await addThree();
    await site.db("servers").where({ id: "b" }).update({ checked_at: "2026-03-01T10:00:00Z" });
    const text = readable(await page("/servers"));
    expect(text).toContain("Beta online en figures of 1 Mar 2026, 10:00 UTC SA-MP 30");
    expect(text).toContain("5 players online on 1 of 3 servers");
    expect(text).not.toContain("Alpha online pl figures of");
  });

  it("says so when a filter leaves nothing", async () => {
    await addThree();
    const text = readable(await page("/servers?game=Chess"));
    expect(text).toContain("No server matches this filter.");
    expect(text).toContain("on 2 of 3 servers");
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
      ["a", "false"],
      ["b", "true"],
      ["c", "false"],
    ]);
    expect(headers["cache-control"]).toBe("private, no-cache");
    expect(await page("/servers")).toContain('href="/login?next=%2Fservers"');
  });

  it("is the same, to the byte, while nothing changes, and sets a visitor no cookie", async () => {
    await addThree();
    const [first, second] = [
      await request(site.app).get("/servers"),
      await request(site.app).get("/servers"),
    ];
    expect(second.headers.etag).toBe(first.headers.etag);
    expect(first.headers["set-cookie"]).toBeUndefined();
    await request(site.app)
      .get("/servers")
      .set("If-None-Match", first.headers.etag ?? "")
      .expect(304);
  });
});

describe("a server's page", () => {
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
    expect(text).toContain(`Online 5 / 50 Queue 0 Checked ${time(checked_at)}`);
    expect(text).toContain("Peak 8 Average 6.5 Up-time 66.7 %");
    expect(text).toContain("Open yes Map name Bayside");
    expect(html).toContain('<code class="connect-address">127.0.0.1:22003</code>');
    expect(html).toContain('<a href="https://example.invalid/" rel="nofollow noopener ugc">');
    expect(html).toContain("<title>Alpha · Servers · Almanac</title>");
  });

  it("has the chart's figures in a table, with the reason where one is missing", async () => {
    await addServer(site.db, { id: "a" });
    const start = await bucketBefore(site.db, 6);
    await addRecords(site.db, "a", [
      { at: new Date(start), online: 1234, queue: 7 },
      { at: new Date(start + 5 * MINUTE_MS), status: "offline" },
    ]);
    const html = await page("/servers/a");
    const [online = "", queue = ""] = html.split('<table class="table hours">').slice(1);
    const cells = (table: string) =>
      [...table.matchAll(/<td class="num[^"]*">([^<]*)<\/td>/g)].map((match) => match[1]);
    expect(cells(online).filter((cell) => cell === "1,234")).toHaveLength(1);
    expect(cells(online).filter((cell) => cell === "offline")).toHaveLength(1);
    expect(cells(online).filter((cell) => cell === "–")).toHaveLength(286);
    expect(cells(queue).filter((cell) => cell === "7")).toHaveLength(1);
    expect(html).toContain('<svg class="chart"');
  });

  it("has no table of queues where the server tells none", async () => {
    await addServer(site.db, { id: "a" });
    const start = await bucketBefore(site.db, 6);
    await addRecords(site.db, "a", [{ at: new Date(start), online: 5, queue: null }]);
    expect((await page("/servers/a")).match(/<table class="table hours">/g)).toHaveLength(1);
  });

  it("says that a server was never measured, with no figure made up", async () => {
    await addServer(site.db, { id: "a" });
    const html = await page("/servers/a");
    const text = readable(html);
    expect(text).toContain("Nothing was measured in these 24 hours.");
    expect(html).not.toMatch(/class="chart"|<details/);
    expect(text).toContain("Online – Queue – Checked never");
    expect(text).toContain("Peak – Average – Up-time –");
    expect(text).toContain("No address is known.");
  });

  it("says when an offline server was last online", async () => {
    await addServer(site.db, {
      id: "a",
      status: "offline",
      checked_at,
      last_online_at: new Date("2026-02-01T08:30:00Z"),
    });
    expect(readable(await page("/servers/a"))).toContain("Last online 1 Feb 2026, 08:30 UTC");
  });

  it("links nothing that could run script", async () => {
    await addServer(site.db, { id: "a", url: "javascript:alert(1)" });
    const html = await page("/servers/a");
    expect(html).not.toContain('href="javascript:');
    expect(html).toContain("<code>javascript:alert(1)</code>");
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
    expect(html.match(/<script(?! type="module" src=)/g)).toBeNull();
  });

  it("is found by any id that a game may use", async () => {
    for (const id of ["a/b", "ключ", "100%", "a?b#c", ".."]) {
      await addServer(site.db, { id, name: `Named ${id}` });
      expect(listed(await page("/servers")).length).toBeGreaterThan(0);
      expect(await page(`/servers/${encodeURIComponent(id).replace(/\./g, "%2E")}`)).toContain("<h1>Named ");
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
