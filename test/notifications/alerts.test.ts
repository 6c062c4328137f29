import { beforeEach, describe, expect, it } from "vitest";
import { toggleFavorite } from "../../src/accounts/favorites/queries.ts";
import type { Attempt } from "../../src/db/jobs.ts";
import { addAlertJobs, alertOfCrossing } from "../../src/notifications/alerts/alert-jobs.ts";
import type { DueDelivery } from "../../src/notifications/channels/channel.ts";
import { dropEnded } from "../../src/notifications/deliveries-queries.ts";
import { removeOldNotifications } from "../../src/notifications/inbox-queries.ts";
import { addCrossing, wantAlerts } from "../helpers/alerts.ts";
import { useTestApp } from "../helpers/app.ts";
import { queuedJobs } from "../helpers/jobs.ts";
import { addReader, senderTasks } from "../helpers/notify.ts";
import { addServer } from "../helpers/things.ts";

const site = useTestApp();

beforeEach(async () => {
  await site.db("servers").delete();
  await site.db.raw("delete from graphile_worker._private_jobs");
  await addServer(site.db, "bay", {
    name: "Bayside City",
    status: "online",
    checked_at: new Date(),
    online: 60,
  });
});

const over50 = { what: "online", value: 50 } as const;
const deliveries = () => site.db("deliveries").orderBy("id");
const told = () => site.db("notifications").whereNotNull("crossing_id").orderBy("id");
const ATTEMPT: Attempt = { number: 1, isLast: false, signal: new AbortController().signal };

/** Does the job of every delivery by e-mail once; resolves to what was sent. */
async function deliver(answer: () => Promise<void> = async () => undefined): Promise<DueDelivery[]> {
  const seen: DueDelivery[] = [];
  const email = async (due: DueDelivery) => {
    seen.push(due);
    await answer();
  };
  const { deliver_by_email } = senderTasks(site.db, { email });
  for (const { id } of await deliveries()) await deliver_by_email?.({ deliveryId: id }, ATTEMPT);
  return seen;
}

const reasons = async () => (await deliveries()).map(({ state, reason }) => reason ?? state);

describe("a crossing", () => {
  it("notifies those with just this alert, by their channels, once", async () => {
    const fan = await addReader(site, { email: "each", push: ["a.test", "b.test"] });
    const daily = await addReader(site, { email: "daily" });
    const others = [await addReader(site, { email: "each" }), await addReader(site), await addReader(site)];
    await wantAlerts(site.db, [fan.id, daily.id], "bay", [over50]);
    await wantAlerts(site.db, [others[0]?.id ?? 0], "bay", [{ what: "online", value: 51 }, { what: "up" }]);
    const id = await addCrossing(site.db, "bay", over50, { online: 60 });
    expect(await alertOfCrossing(site.db, id)).toBe(2);
    expect(await alertOfCrossing(site.db, id)).toBe(0);
    expect((await told()).map(({ user_id }) => user_id)).toEqual([fan.id, daily.id]);
    // An alert is of no use in a mail of this evening.
    const ways = (await deliveries()).map(({ user_id, channel }) => [user_id, channel]);
    expect(ways).toEqual([
      [fan.id, "email"],
      [fan.id, "push"],
      [fan.id, "push"],
    ]);
    expect((await queuedJobs(site.db)).filter(({ key }) => key?.startsWith("delivery:"))).toHaveLength(3);
  });

  it("notifies page by page, again after a page that failed", async () => {
    const fans = [];
    for (let count = 0; count < 5; count++) fans.push((await addReader(site)).id);
    await wantAlerts(site.db, fans, "bay", [over50]);
    const id = await addCrossing(site.db, "bay", over50);
    const ended = AbortSignal.abort();
    await expect(alertOfCrossing(site.db, id, { signal: ended })).rejects.toThrow();
    expect(await alertOfCrossing(site.db, id, { page: 2 })).toBe(5);
    expect(await site.db("server_crossings").whereNull("alerted_at")).toEqual([]);
  });

  it("skips those who added it later, or have removed the favorite", async () => {
    const [late, gone] = [await addReader(site), await addReader(site)];
    await wantAlerts(site.db, [late.id, gone.id], "bay", [over50]);
    await site
      .db("server_alerts")
      .where({ user_id: late.id })
      .update({ since: site.db.raw("now() + interval '1 minute'") });
    await toggleFavorite(site.db, gone.id, "server", "bay", "no");
    expect(await alertOfCrossing(site.db, await addCrossing(site.db, "bay", over50))).toBe(0);
  });

  it("gets a job at once, only one, and none where nobody asked", async () => {
    const { id: fan } = await addReader(site);
    await wantAlerts(site.db, [fan], "bay", [over50]);
    await addCrossing(site.db, "bay", { what: "down" });
    await addCrossing(site.db, "bay", { what: "up" });
    const id = await addCrossing(site.db, "bay", over50);
    expect(await addAlertJobs(site.db)).toBe(1);
    expect(await addAlertJobs(site.db)).toBe(0);
    expect((await queuedJobs(site.db)).map(({ key }) => key)).toEqual([`alert:${id}`]);
  });

  it("goes to the inbox only after a quarter of an hour, and nowhere after a day", async () => {
    const { id: fan } = await addReader(site, { email: "each" });
    await wantAlerts(site.db, [fan], "bay", [over50]);
    await addCrossing(site.db, "bay", over50, { minutes: 1_500 });
    const id = await addCrossing(site.db, "bay", over50, { minutes: 16 });
    expect(await addAlertJobs(site.db)).toBe(1);
    expect(await alertOfCrossing(site.db, id)).toBe(1);
    expect(await deliveries()).toEqual([]);
  });

  it("stays marked while others are still to be notified, however many notifications its user has", async () => {
    const { id: fan } = await addReader(site);
    await wantAlerts(site.db, [fan], "bay", [over50]);
    const id = await addCrossing(site.db, "bay", over50);
    await alertOfCrossing(site.db, id);
    await site.db("server_crossings").where({ id }).update({ alerted_at: null });
    for (let count = 0; count < 201; count++)
      await addCrossing(site.db, "bay", { what: "up" }, { minutes: count });
    await site.db.raw(
      "insert into notifications (user_id, crossing_id, created_at) select ?, id, now() + interval '1 hour' from server_crossings where what = 'up'",
      [fan],
    );
    await site.db("server_crossings").where({ what: "up" }).update({ alerted_at: new Date() });
    expect(await removeOldNotifications(site.db)).toBe(1);
    expect(await alertOfCrossing(site.db, id)).toBe(0);
    await site.db("server_crossings").where({ id }).update({ alerted_at: new Date() });
    expect(await removeOldNotifications(site.db)).toBe(1);
  });
});

describe("an outage", () => {
  const open = () => site.db("server_crossings").whereNull("alerted_at").orderBy("id").pluck("what");
  const pass = (minutes: number) =>
    site.db("server_crossings").update({ at: site.db.raw("at - make_interval(mins => ?)", [minutes]) });

  /** Runs the jobs; resolves to the users whom they notify. */
  async function work(): Promise<number[]> {
    await addAlertJobs(site.db);
    await site.db.raw("delete from graphile_worker._private_jobs");
    const before = await told().pluck("id");
    for (const { id } of await site.db("server_crossings").whereNull("alerted_at").orderBy("id"))
      await alertOfCrossing(site.db, id);
    return told().whereNotIn("id", before).pluck("user_id");
  }

  it("notifies once it has lasted for the delay of each user, and once", async () => {
    await site.db("servers").update({ status: "offline" });
    const [eager, usual] = [await addReader(site), await addReader(site)];
    await wantAlerts(site.db, [eager.id], "bay", [{ what: "down", outage_min: 2 }]);
    await wantAlerts(site.db, [usual.id], "bay", [{ what: "down" }]);
    await addCrossing(site.db, "bay", { what: "down" }, { minutes: 1 });
    expect(await addAlertJobs(site.db)).toBe(0);
    expect([await work(), await open()]).toEqual([[], ["down"]]);
    await pass(2);
    expect([await work(), await work()]).toEqual([[eager.id], []]);
    await pass(3);
    expect([await work(), await work(), await open()]).toEqual([[usual.id], [], []]);
  });

  it("of three minutes notifies neither of its begin nor of its end", async () => {
    const [eager, usual] = [await addReader(site), await addReader(site)];
    await wantAlerts(site.db, [eager.id], "bay", [{ what: "up", outage_min: 2 }]);
    await wantAlerts(site.db, [usual.id], "bay", [{ what: "down" }, { what: "up" }]);
    await addCrossing(site.db, "bay", { what: "down" }, { minutes: 10 });
    await addCrossing(site.db, "bay", { what: "up" }, { minutes: 7 });
    expect([await work(), await open()]).toEqual([[eager.id], []]);
    await addCrossing(site.db, "bay", { what: "down" }, { minutes: 6 });
    await addCrossing(site.db, "bay", { what: "up" }, { minutes: 0 });
    expect((await work()).sort()).toEqual([usual.id, usual.id, eager.id].sort());
  });
});

describe("an alert on its way", () => {
  async function waiting(channels = {}, wanted: Parameters<typeof addCrossing>[2] = over50) {
    const fan = await addReader(site, { email: "each", ...channels });
    await wantAlerts(site.db, [fan.id], "bay", [wanted as never]);
    // An outage has lasted for the delay by now.
    const minutes = wanted.what === "down" ? 6 : 0;
    await alertOfCrossing(
      site.db,
      await addCrossing(site.db, "bay", wanted, { minutes, online: 60, max_online: 100 }),
    );
    return fan;
  }

  it("names its crossing", async () => {
    const { id } = await waiting();
    const [due] = await deliver();
    expect(due).toMatchObject({
      user: { id },
      notification: {
        alert: {
          serverId: "bay",
          serverName: "Bayside City",
          ...over50,
          online: 60,
          queue: null,
          maxOnline: 100,
        },
      },
    });
    expect(await reasons()).toEqual(["sent"]);
    expect(await deliver()).toEqual([]);
  });

  it.each<[string, Parameters<typeof addCrossing>[2], () => Promise<unknown>]>([
    ["the server is offline", { what: "up" }, () => site.db("servers").update({ status: "offline" })],
    ["the server is back online", { what: "down" }, () => site.db("servers").update({ status: "online" })],
    ["the server is full again", { what: "slot" }, () => site.db("servers").update({ full_polls: 1 })],
    ["the queue is longer again", { what: "queue", value: 5 }, () => site.db("servers").update({ queue: 5 })],
    ["there are fewer players again", over50, () => site.db("servers").update({ online: 50 })],
    ["the user switched this alert off", over50, () => site.db("server_alerts").delete()],
    ["the user switched this alert off", over50, () => site.db("server_favorites").delete()],
    [
      "the alert is too old",
      over50,
      () => site.db("server_crossings").update({ at: site.db.raw("at - interval '15 minutes'") }),
    ],
  ])("is not sent where %s", async (reason, wanted, change) => {
    await waiting({}, wanted);
    await change();
    expect(await deliver()).toEqual([]);
    expect(await reasons()).toEqual([reason]);
  });

  it("is tried again after a failure, before others, and swept once it is too old", async () => {
    await waiting();
    await deliver(async () => {
      throw new Error("busy");
    });
    const [{ id }] = await deliveries();
    const [job] = await site.db
      .withSchema("graphile_worker")
      .from("jobs")
      .where({ key: `delivery:${id}` });
    expect(job).toMatchObject({ priority: 5 });
    await site.db("server_crossings").update({ at: site.db.raw("at - interval '15 minutes'") });
    expect(await dropEnded(site.db)).toBe(1);
    expect(await reasons()).toEqual(["the alert is too old"]);
  });

  it("stays in the inbox alone in its user's quiet hours", async () => {
    const { id } = await waiting({ timeZone: "Asia/Kathmandu" });
    const hour = Number(
      new Intl.DateTimeFormat("en", {
        hour: "numeric",
        hourCycle: "h23",
        timeZone: "Asia/Kathmandu",
      }).format(),
    );
    const quiet = (from: number) =>
      site
        .db("notification_settings")
        .where({ user_id: id })
        .update({ quiet_from: from % 24, quiet_until: (from + 2) % 24 });
    await quiet(hour + 23);
    expect(await deliver()).toEqual([]);
    expect(await reasons()).toEqual(["the user has quiet hours"]);
    expect(await told()).toHaveLength(1);
    await site.db("deliveries").update({ state: "waiting", settled_at: null });
    await quiet(hour + 2);
    expect(await deliver()).toHaveLength(1);
  });
});
