import { beforeEach, describe, expect, it } from "vitest";
import { toggleFavorite } from "../src/favorites/queries.ts";
import { fanOut } from "../src/webhooks/fan-out.ts";
import { useTestApp } from "./helpers/app.ts";
import { playPolls } from "./helpers/played-polls.ts";
import { addPolled } from "./helpers/poller.ts";
import { addHook, listMade } from "./helpers/webhooks.ts";

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
  it("is told once, with the others that do, and when it is back", async () => {
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

  it("is told to a user's webhook for favorites if it is one", async () => {
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

  it("is not told of if that was days ago, or while nobody listened", async () => {
    await addPolled(site.db, ["a"]);
    await playOutage(["a"]);
    const hook = await addHook(site.db);
    await site.db("server_crossings").update({ at: site.db.raw("now() - interval '2 days'") });
    expect(await fanOut(site.db)).toBe(0);
    expect(await site.db("server_crossings").where({ webhooks_told: false })).toEqual([]);
    expect(hook.id).toBeGreaterThan(0);
  });
});
