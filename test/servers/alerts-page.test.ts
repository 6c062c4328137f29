import { beforeEach, describe, expect, it } from "vitest";
import { toggleFavorite } from "../../src/accounts/favorites/queries.ts";
import { paths } from "../../src/words/urls.ts";
import { addCrossing } from "../helpers/alerts.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { textOf } from "../helpers/html.ts";
import { addServer } from "../helpers/things.ts";

const site = useTestApp();
const PATH = "/servers/bay/alerts";
let agent: Agent;
let userId = 0;

beforeEach(async () => {
  await site.db("servers").delete();
  const columns = { status: "online", checked_at: new Date(), online: 5, max_online: 50 };
  await addServer(site.db, "bay", { name: "Bayside City", ...columns });
  ({ agent, id: userId } = await site.logIn());
});

const asked = () =>
  site.db("server_alerts").where({ user_id: userId }).orderBy("what").select("what", "value", "since");
const save = (fields: object, path = PATH) => agent.post(path).type("form").send(fields);

describe("the page of a server's alerts", () => {
  it("is offered only for a server whose figures still come", async () => {
    const link = 'href="/servers/bay/alerts"';
    const offers = async () => {
      const pages = await Promise.all(
        ["/servers/bay", "/favorites"].map((path) => agent.get(path).expect(200)),
      );
      return pages.map(({ text }) => text.includes(link));
    };
    await toggleFavorite(site.db, userId, "server", "bay", "yes");
    expect(await offers()).toEqual([true, true]);
    const notice = "We don’t get live figures for this server";
    expect((await agent.get(PATH).expect(200)).text).not.toContain(notice);
    await site.db("servers").update({ checked_at: site.db.raw("now() - interval '25 hours'") });
    await expect.poll(offers).toEqual([false, false]);
    expect((await agent.get(PATH).expect(200)).text).toContain(notice);
    // Users with alerts must be able to end them.
    await save({ up: "1" }).expect(303);
    await expect.poll(offers).toEqual([false, true]);
    await site.db("servers").update({ adapter: "json", address: "192.0.2.1:1" });
    await expect.poll(offers).toEqual([true, true]);
  });

  it("is linked from the server's page, and not found without a server", async () => {
    const { text } = await site.agent().get("/servers/bay").expect(200);
    expect(text).toContain(`href="${PATH}"`);
    await agent.get("/servers/nowhere/alerts").expect(404);
    await save({ up: "1" }, "/servers/nowhere/alerts").expect(404);
  });

  it("makes the server a favorite with just the chosen alerts", async () => {
    const { headers } = await save({ up: "1", queue: "5", online: "" }).expect(303);
    expect(headers.location).toBe(PATH);
    expect(await asked()).toMatchObject([
      { what: "queue", value: 5 },
      { what: "up", value: null },
    ]);
    const { text } = await agent.get(PATH).expect(200);
    expect(textOf(text)).toContain("Your alerts for Bayside City are saved.");
    expect(text).toMatch(/<input type="checkbox" value="1" checked id="up"/);
    expect(text).not.toMatch(/<input type="checkbox" value="1" checked id="slot"/);
    expect(text).toMatch(/<input type="text" value="5" id="queue"/);
    const favorites = await agent.get("/favorites").expect(200);
    expect(textOf(favorites.text)).toContain("Alerts: back online, queue under 5");
    expect(await site.db("server_favorites").where({ user_id: userId })).toHaveLength(1);
  });

  it("takes an alert of going offline, with a delay that applies to outages", async () => {
    await save({ down: "1", up: "1", outage_min: "10" }).expect(303);
    const stored = await site.db("server_alerts").where({ user_id: userId }).orderBy("what");
    expect(stored.map(({ what, outage_min }) => [what, outage_min])).toEqual([
      ["down", 10],
      ["up", 10],
    ]);
    const { text } = await agent.get(PATH).expect(200);
    expect(text).toMatch(/<input type="checkbox" value="1" checked id="down"/);
    expect(text).toMatch(/<option value="10" selected>10 minutes or longer/);
    expect(textOf((await agent.get("/favorites")).text)).toContain("Alerts: offline, back online");
    await save({ down: "1", up: "1", outage_min: "2" }).expect(303);
    const after = await site.db("server_alerts").where({ user_id: userId }).orderBy("what");
    expect(after.map(({ outage_min }) => outage_min)).toEqual([2, 2]);
    expect(after.map(({ since }) => since)).toEqual(stored.map(({ since }) => since));
    await save({ down: "1", outage_min: "11" }).expect(400);
    await save({ down: "1" }).expect(303);
    expect(await site.db("server_alerts").select("what", "outage_min")).toEqual([
      { what: "down", outage_min: 5 },
    ]);
  });

  it.each([
    [{ queue: "0" }, "The queue’s length must be a whole number from 1 to 9999."],
    [{ online: "-1" }, "The number of players must be a whole number from 0 to 99999."],
    [{ online: "50" }, "The number of players must be less than the server’s 50 slots."],
  ])("refuses %j, says why, and keeps what was typed", async (fields, message) => {
    const { text } = await save({ up: "1", ...fields }).expect(400);
    expect(textOf(text)).toContain(message);
    expect(text).toContain(`value="${Object.values(fields)[0]}"`);
    expect(text).toMatch(/<input type="checkbox" value="1" checked id="up"/);
    expect(await asked()).toEqual([]);
  });

  it("ends alerts with the favorite", async () => {
    await save({ up: "1" }).expect(303);
    await toggleFavorite(site.db, userId, "server", "bay", "no");
    expect(await asked()).toEqual([]);
  });

  it("names the channels that they come by", async () => {
    const text = async () => textOf((await agent.get(PATH)).text);
    expect(await text()).toContain("turn that on in the settings");
    await site.db("notification_settings").insert({ user_id: userId, email: "daily" });
    expect(await text()).toContain("They aren’t in the daily e-mail");
    await site.db("notification_settings").where({ user_id: userId }).update({ push: true });
    expect(await text()).toContain("sent the ways you chose");
  });
});

describe("an alert in the inbox", () => {
  async function tell(what: object): Promise<number> {
    const crossing_id = await addCrossing(site.db, "bay", what as never, {
      online: 12,
      queue: 0,
      max_online: 50,
    });
    const [row] = await site.db("notifications").insert({ user_id: userId, crossing_id }).returning("id");
    return row.id;
  }

  it.each([
    [{ what: "down" }, "Bayside City went offline"],
    [{ what: "up" }, "Bayside City is back online"],
    [{ what: "slot" }, "Bayside City has a free slot"],
    [{ what: "queue", value: 5 }, "Bayside City: queue under 5"],
    [{ what: "online", value: 1000 }, "Bayside City: over 1,000 online"],
  ])("says %j", async (what, title) => {
    await tell(what);
    const text = textOf((await agent.get("/notifications")).text);
    expect(text).toContain(title);
    expect(text).toContain("12 of 50 online, 0 in the queue");
  });

  it("leads to its server, is read then, and goes with it", async () => {
    const id = await tell({ what: "up" });
    const { headers } = await agent.get(paths.notification(id)).expect(303);
    expect(headers.location).toBe("/servers/bay");
    expect((await agent.get("/notifications")).text).toContain('data-unread="false"');
    await site.db("servers").delete();
    await agent.get("/notifications").expect(200);
    await agent.get(paths.notification(id)).expect(404);
  });

  it("is an entry of the private feed, among discounts", async () => {
    await agent.post("/notifications/settings/feed").type("form").send({ feed: "on" }).expect(303);
    await tell({ what: "up" });
    const { text } = await agent.get("/notifications/settings").expect(200);
    const feed = /\/notifications\/feed\/[^"<]+\.rss/.exec(text)?.[0] ?? "";
    const rss = await site.agent().get(feed).expect(200);
    expect(rss.text).toContain("<title>Bayside City is back online</title>");
    expect(rss.text).toContain("http://almanac.test/servers/bay</link>");
  });

  it("that could not be sent is on the operator's page under its server's name", async () => {
    const notification_id = await tell({ what: "up" });
    await site.db("deliveries").insert({
      ...{ notification_id, user_id: userId, channel: "email", state: "dead", reason: "refused" },
      settled_at: new Date(),
    });
    const { agent: operator } = await site.logIn(await site.createUser({ role: "operator" }));
    const { text } = await operator.get("/operator/deliveries").expect(200);
    expect(text).toContain('<a href="/servers/bay">Bayside City</a>');
  });
});

describe("quiet hours", () => {
  const QUIET = "/notifications/settings/quiet";
  const stored = () =>
    site.db("notification_settings").where({ user_id: userId }).first("quiet_from", "quiet_until");

  it("are saved, shown and taken back", async () => {
    await save({ quiet_from: "23", quiet_until: "7" }, QUIET).expect(303);
    expect(await stored()).toEqual({ quiet_from: 23, quiet_until: 7 });
    const { text } = await agent.get("/notifications/settings");
    expect(text).toMatch(/<option value="23" selected>23:00<\/option>/);
    await save({ quiet_from: "", quiet_until: "" }, QUIET).expect(303);
    expect(await stored()).toEqual({ quiet_from: null, quiet_until: null });
  });

  it.each([
    [{ quiet_from: "23" }, "Until is missing."],
    [{ quiet_until: "7" }, "From is missing."],
    [{ quiet_from: "7", quiet_until: "7" }, "Until can’t be the same hour."],
    [{ quiet_from: "24", quiet_until: "7" }, "From must be a whole number from 0 to 23."],
  ])("refuse %j", async (fields, message) => {
    const { text } = await save(fields, QUIET).expect(400);
    expect(textOf(text)).toContain(message);
    expect(await stored()).toBeUndefined();
  });
});
