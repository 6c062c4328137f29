import { beforeEach, describe, expect, it } from "vitest";
import { toggleFavorite } from "../../src/accounts/favorites/queries.ts";
import { fanOut } from "../../src/notifications/webhooks/fan-out.ts";
import { useTestApp } from "../helpers/app.ts";
import { playPolls } from "../helpers/played-polls.ts";
import { addPolled } from "../helpers/poller.ts";
import { addHook, listMade } from "../helpers/webhooks.ts";

const site = useTestApp();

beforeEach(async () => {
  for (const table of ["webhook_events", "webhooks", "servers"]) await site.db(table).delete();
});

const up = { online: 10, queue: null, max_online: 50 };

/** Polls of servers: online, then missed until they count as offline. */
async function playOutage(ids: string[]) {
  const steps = [up, up, "missed", "missed", "missed"] as const;
  await playPolls(site.db, new Map(ids.map((id) => [id, [...steps]])));
}

async function told() {
  const made = await listMade(site.db);
  return made.map(({ webhook_id, type, data }) => ({
    webhook_id,
    type,
    ids: (data as unknown as { servers: { id: string }[] }).servers.map(({ id }) => id),
  }));
}

describe("a server that goes down", () => {
  it("is sent once, with the others that do, and when it is back", async () => {
    const hook = await addHook(site.db);
    await addHook(site.db, { events: ["discount"] });
    await addPolled(site.db, ["a", "b"]);
    await playOutage(["a", "b"]);
    expect(await fanOut(site.db)).toBe(1);
    expect(await fanOut(site.db)).toBe(0);
    expect(await told()).toEqual([{ webhook_id: hook.id, type: "server.down", ids: ["a", "b"] }]);
    await playPolls(site.db, new Map([["a", [up]]]));
    await fanOut(site.db);
    expect((await told())[1]).toEqual({ webhook_id: hook.id, type: "server.up", ids: ["a"] });
  });

  it("reaches a user's webhook for favorites if it is one", async () => {
    const fan = await site.createUser();
    await addPolled(site.db, ["a", "b"]);
    await toggleFavorite(site.db, fan.id, "server", "b");
    const favorites = await addHook(site.db, { user_id: fan.id, scope: "favorites" });
    const all = await addHook(site.db, { user_id: fan.id });
    await playOutage(["a", "b"]);
    await fanOut(site.db);
    expect(await told()).toEqual([
      { webhook_id: all.id, type: "server.down", ids: ["a", "b"] },
      { webhook_id: favorites.id, type: "server.down", ids: ["b"] },
    ]);
  });

  /** Outages of servers by now: since so many minutes, and for how long. */
  async function playOutages(outages: Record<string, { since: number; for?: number }>) {
    const at = (minutes: number) => site.db.raw("now() - make_interval(secs => ?)", [minutes * 60]);
    for (const [id, outage] of Object.entries(outages)) {
      const [{ number }] = await site.db("servers").where({ id }).select("number");
      const crossing = { server_number: number, online: 1 };
      await site.db("server_crossings").insert({ ...crossing, what: "down", at: at(outage.since) });
      if (outage.for !== undefined)
        await site
          .db("server_crossings")
          .insert({ ...crossing, what: "up", at: at(outage.since - outage.for) });
    }
  }

  it("for a restart of three minutes is no news, neither down nor up, unless a webhook wants it", async () => {
    const { id: usual } = await addHook(site.db, { outage_min: 5 });
    const { id: eager } = await addHook(site.db, { outage_min: 2 });
    await addPolled(site.db, ["restarted", "away"]);
    await playOutages({ restarted: { since: 10, for: 3 }, away: { since: 30, for: 6 } });
    await fanOut(site.db);
    expect(await fanOut(site.db)).toBe(0);
    const ofHook = async (hook: number) => (await told()).filter(({ webhook_id }) => webhook_id === hook);
    expect(await ofHook(usual)).toEqual([
      { webhook_id: usual, type: "server.down", ids: ["away"] },
      { webhook_id: usual, type: "server.up", ids: ["away"] },
    ]);
    expect(await ofHook(eager)).toEqual([
      { webhook_id: eager, type: "server.down", ids: ["away", "restarted"] },
      { webhook_id: eager, type: "server.up", ids: ["away", "restarted"] },
    ]);
  });

  it("reaches each webhook once its delay has passed, once", async () => {
    const { id: usual } = await addHook(site.db, { outage_min: 5 });
    const { id: patient } = await addHook(site.db, { outage_min: 30 });
    await addPolled(site.db, ["a"]);
    await playOutages({ a: { since: 4 } });
    expect(await fanOut(site.db)).toBe(0);
    const pass = (minutes: number) =>
      site.db("server_crossings").update({ at: site.db.raw("at - make_interval(mins => ?)", [minutes]) });
    await pass(2);
    expect([await fanOut(site.db), await fanOut(site.db)]).toEqual([1, 0]);
    await pass(30);
    expect([await fanOut(site.db), await fanOut(site.db)]).toEqual([1, 0]);
    expect((await told()).map(({ webhook_id }) => webhook_id)).toEqual([usual, patient]);
    expect(await site.db("server_crossings").where({ webhooks_told: false })).toEqual([]);
  });

  it("in a webhook's quiet hours is not told to it, by its owner's time zone", async () => {
    const fan = await site.createUser();
    await site.db("users").where({ id: fan.id }).update({ time_zone: "Asia/Tokyo" });
    const hour = (zone: string, ahead: number) =>
      (Number(
        new Intl.DateTimeFormat("en", { hour: "numeric", hourCycle: "h23", timeZone: zone }).format(
          new Date(),
        ),
      ) +
        24 +
        ahead) %
      24;
    const window = (zone: string, from: number, until: number) => ({
      quiet_from: hour(zone, from),
      quiet_until: hour(zone, until),
    });
    await addHook(site.db, window("UTC", -1, 2));
    await addHook(site.db, { user_id: fan.id, ...window("Asia/Tokyo", -1, 2) });
    const { id: later } = await addHook(site.db, window("UTC", 2, 4));
    const { id: elsewhere } = await addHook(site.db, { user_id: fan.id, ...window("UTC", -1, 2) });
    await addPolled(site.db, ["a"]);
    await playOutages({ a: { since: 30 } });
    await fanOut(site.db);
    expect((await told()).map(({ webhook_id }) => webhook_id)).toEqual([later, elsewhere]);
  });
});
