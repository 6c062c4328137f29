import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { formatFor } from "../../src/web/request/format.ts";
import { useTestApp } from "../helpers/app.ts";
import { attributes, elements, plainSpaces, textOf } from "../helpers/html.ts";
import { addServer, HOUR_MS } from "../helpers/servers.ts";

const { time } = formatFor("en");

const site = useTestApp();
const { page } = site;
const checked_at = new Date();
const last_online_at = new Date(Date.now() - 3 * HOUR_MS - 1000);

beforeEach(async () => {
  await site.db("servers").delete();
  const room = { queue: 2, max_online: 50, checked_at };
  await addServer(site.db, { id: "a", status: "online", online: 5, ...room });
  await addServer(site.db, { id: "b", status: "online", online: 50, ...room });
  await addServer(site.db, { id: "c", status: "offline", online: 1120, ...room, last_online_at });
  await addServer(site.db, { id: "d" });
  await addServer(site.db, {
    id: "e",
    status: "online",
    online: 7,
    checked_at: last_online_at,
    last_online_at,
  });
});

describe("the parts that an open page asks for", () => {
  it("have the badge of every state, and figures as the list has them", async () => {
    const html = await page("/servers?live=1");
    const rows = elements(html, "div");
    expect(attributes(html, "data-status")).toEqual(["online", "online", "offline", "unknown", "unknown"]);
    expect(rows.map(textOf)).toEqual([
      "online 5 / 50 2",
      "online full 50 / 50 2",
      "offline 1,120 online 3 h ago –",
      "unknown – –",
      "unknown 7 online 3 h ago –",
    ]);
  });

  it("are of all servers, whatever the list is filtered by, with the totals, in the page's language", async () => {
    const html = await page("/ru/servers?live=1&not_full=1");
    expect(elements(html, "div")).toHaveLength(5);
    expect(elements(html, "p").slice(0, 2).map(textOf)).toEqual([
      "55 игроков онлайн на 2 из 5 серверов. В очередях: 4 (по данным 2 серверов). Серверы: офлайн — 1, состояние неизвестно — 2.",
      plainSpaces(formatFor("ru").time(checked_at)),
    ]);
  });

  it("are a server's own on its page, with what it told last where it is not online", async () => {
    await site.db("servers").where({ id: "c" }).update({ offline_since: checked_at });
    const now = plainSpaces(time(checked_at));
    const then = plainSpaces(time(last_online_at));
    expect(textOf(await page("/servers/c?live=1"))).toBe(
      `offline Online – Queue – Offline since ${now} ( just now ) Last online ${then} ( 3 h ago ) ` +
        `${now} Latest figures: 1,120 of 50 online, 2 in the queue, 3 h ago`,
    );
    expect(textOf(await page("/servers/d?live=1"))).toBe("unknown Online – Queue – never");
  });

  it("are those of now, in the reader's own time zone, whoever asked before", async () => {
    const { agent, id } = await site.logIn();
    await site.db("users").where({ id }).update({ time_zone: "Asia/Kathmandu" });
    const timeOf = async (asked: Promise<string>) => textOf(elements(await asked, "p")[1] ?? "");
    const own = () => agent.get("/servers?live=1").then(({ text }) => text);
    expect(await timeOf(page("/servers?live=1"))).toMatch(/ UTC$/);
    expect(await timeOf(own())).toMatch(/ UTC\+5:45$/);
    await site.db("servers").where({ id: "a" }).update({ online: 6 });
    expect(textOf(await page("/servers?live=1"))).toContain("online 6 / 50");
    expect(textOf(await own())).toContain("online 6 / 50");
  });

  it("are a part of a page only, kept nowhere, and of no server that there is not", async () => {
    const { text, headers } = await request(site.app).get("/servers?live=1").expect(200);
    expect(text).not.toMatch(/<html|<svg|favorite/);
    expect(headers["cache-control"]).toBe("no-store");
    await request(site.app).get("/servers/nobody?live=1").expect(404);
    await request(site.app).get("/servers/%00?live=1").expect(404);
    expect(await page("/servers?live=2")).toContain("<html");
  });
});
