import { beforeEach, describe, expect, it } from "vitest";
import { toggleFavorite } from "../../src/accounts/favorites/queries.ts";
import type { Attempt } from "../../src/db/jobs.ts";
import type { DueDelivery } from "../../src/notifications/channels/channel.ts";
import { addLostJobs, dropEnded } from "../../src/notifications/deliveries-queries.ts";
import {
  BusyError,
  DELIVERY_ATTEMPTS,
  RecipientGoneError,
  RefusedForGoodError,
} from "../../src/notifications/retries.ts";
import { useTestApp } from "../helpers/app.ts";
import { openPool } from "../helpers/database.ts";
import { cutOff, queuedJobs, runJobs } from "../helpers/jobs.ts";
import { addReader, type Channels, notifyAll, senderTasks } from "../helpers/notify.ts";
import { addDiscount, addDonateItem, hours } from "../helpers/things.ts";

const site = useTestApp();

let item = "";
let items = 0;

beforeEach(async () => {
  await site.db("notifications").delete();
  await site.db("discounts").delete();
  await site.db.raw("delete from graphile_worker._private_jobs");
  items += 1;
  item = `item ${items}`;
  await addDonateItem(site.db, item);
});

/** A user who has the item as a favorite. */
async function addFan(channels: Channels) {
  const user = await addReader(site, channels);
  await toggleFavorite(site.db, user.id, "donate", item);
  return user;
}

const deliveries = () => site.db("deliveries").orderBy("id");
const ATTEMPT: Attempt = { number: 1, isLast: false, signal: new AbortController().signal };

/** Does the job of every delivery once, by a sender that answers as told; resolves to what it was given. */
async function deliver(answer: (due: DueDelivery) => Promise<void> = async () => undefined) {
  const seen: DueDelivery[] = [];
  const send = async (due: DueDelivery) => {
    seen.push(due);
    await answer(due);
  };
  const tasks = senderTasks(site.db, { email: send, push: send });
  const failures: unknown[] = [];
  for (const { id, channel } of await deliveries()) {
    await tasks[`deliver_by_${channel}`]?.({ deliveryId: id }, ATTEMPT).catch((error) =>
      failures.push(error),
    );
  }
  return { seen, failures };
}

const fail = (error: Error) => async () => {
  throw error;
};

/** Somebody with the item as a favorite who has been notified of a discount of it. */
async function tellFan(channels: Channels, discount: object = {}) {
  const fan = await addFan(channels);
  await addDiscount(site.db, "sale", item, { ...discount });
  await notifyAll(site.db);
  return fan;
}

describe("a notification", () => {
  it.each<[string, Channels, string[]]>([
    ["nothing but the inbox", {}, []],
    ["a mail for each", { email: "each" }, ["email"]],
    ["a daily mail", { email: "daily" }, ["digest"]],
    ["no mail without a confirmed address", { email: "each", address: null }, []],
    ["push to each browser", { push: ["a.test", "b.test"] }, ["push", "push"]],
  ])("goes out as its user asked: %s", async (_name, channels, expected) => {
    await tellFan(channels);
    expect((await deliveries()).map(({ channel, state }) => `${channel} ${state}`)).toEqual(
      expected.map((channel) => `${channel} waiting`),
    );
    expect(await queuedJobs(site.db)).toHaveLength(expected.length);
  });

  it("goes out likewise when it is made by adding the favorite", async () => {
    await addDiscount(site.db, "sale", item);
    await addFan({ email: "each", push: ["d.test"] });
    const [mail, push] = await deliveries();
    expect([mail?.channel, push?.channel]).toEqual(["email", "push"]);
    expect(await queuedJobs(site.db)).toMatchObject([
      { key: `delivery:${mail?.id}`, task_identifier: "deliver_by_email" },
      { key: `delivery:${push?.id}`, task_identifier: "deliver_by_push" },
    ]);
  });

  it("of a daily mail waits for the user's hour, where the user is", async () => {
    await tellFan({ email: "daily", digestHour: 7, timeZone: "Asia/Kathmandu" });
    const [job] = await queuedJobs(site.db);
    expect(job?.run_at.toISOString()).toMatch(/T01:15:00\.000Z$/);
    expect(job?.run_at.getTime()).toBeGreaterThan(Date.now());
  });

  it("of a daily mail goes with one that is due, and does not put it off", async () => {
    await tellFan({ email: "daily" });
    await site.db.raw("update graphile_worker._private_jobs set run_at = now() - interval '1 second'");
    await addDiscount(site.db, "another", item, { price: "10.00" });
    await notifyAll(site.db);
    expect(await deliveries()).toHaveLength(2);
    const jobs = await queuedJobs(site.db);
    expect(jobs).toHaveLength(1);
    expect(jobs[0]?.run_at.getTime()).toBeLessThan(Date.now());
  });
});

describe("a delivery", () => {
  it("is given everything as it is now, and is sent once", async () => {
    const { id, name } = await tellFan(
      { email: "each", push: ["push.test"], timeZone: "Europe/Berlin" },
      { title: "Before", ends_at: hours(site.db, 1) },
    );
    await site.db("discounts").update({ title: "Now", percent: "50", ends_at: hours(site.db, 2) });
    await site
      .db("donate_items")
      .where({ id: item })
      .update({ name: "New name", names: { ru: "Имя" } });
    const { ends_at: endsAt } = await site.db("discounts").first("ends_at");
    const { seen } = await deliver();
    const notification = {
      id: expect.any(Number),
      itemKey: item,
      itemName: "New name",
      itemNames: { ru: "Имя" },
      picture: null,
      image: null,
      title: "Now",
      titles: {},
      isRegular: false,
      low: null,
      wish: null,
      oldPrice: "100.00",
      newPrice: "50.00",
      currency: "EUR",
      endsAt,
    };
    const user = {
      ...{ id, name, email: `${name}@example.test`, language: null, timeZone: "Europe/Berlin" },
      ...{ quietFrom: null, quietUntil: null },
    };
    const endpoint = `https://push.test/${id}/0`;
    const subscription = { id: expect.any(Number), endpoint, p256dh: "key", auth: "secret" };
    expect(seen).toEqual([
      { id: expect.any(Number), channel: "email", user, subscription: null, notification },
      { id: expect.any(Number), channel: "push", user, subscription, notification },
    ]);
    const settled = { state: "sent", attempts: 1, reason: null, settled_at: expect.any(Date) };
    expect(await deliveries()).toMatchObject([settled, settled]);
    expect((await deliver()).seen).toEqual([]);
  });

  it.each<[string, (userId: number) => Promise<unknown>, string]>([
    [
      "over",
      () => site.db("discounts").update({ starts_at: hours(site.db, -3), ends_at: hours(site.db, -1) }),
      "the discount is over",
    ],
    ["withdrawn", () => site.db("discounts").delete(), "the discount was withdrawn"],
    [
      "over, and its record another one by now",
      async () => {
        await site.db("discounts").update({ starts_at: hours(site.db, -3), ends_at: hours(site.db, -1) });
        await site.db("discounts").update({ starts_at: hours(site.db, -1), ends_at: null });
      },
      "the discount was withdrawn",
    ],
    [
      "gone with its item",
      () => site.db("donate_items").where({ id: item }).delete(),
      "the discount was withdrawn",
    ],
    [
      "no lower price any more",
      () => site.db("discounts").update({ percent: null, price: "200" }),
      "the discount does not lower the price any more",
    ],
    [
      "of an item with another currency",
      () => site.db("donate_items").where({ id: item }).update({ currency: "COINS", price: "0.50" }),
      "the item's currency changed",
    ],
    [
      "not asked for any more",
      (id) => site.db("notification_settings").where({ user_id: id }).update({ email: "off" }),
      "the user switched this channel off, or was disabled",
    ],
    [
      "of a disabled account",
      (id) => site.db("users").where({ id }).update({ disabled_at: new Date() }),
      "the user switched this channel off, or was disabled",
    ],
    [
      "without an address",
      (id) => site.db("users").where({ id }).update({ confirmed_email: null }),
      "the user has no confirmed address any more",
    ],
  ])("that is %s is dropped, with the reason", async (_name, change, reason) => {
    const { id } = await tellFan({ email: "each" });
    await change(id);
    expect((await deliver()).seen).toEqual([]);
    expect(await deliveries()).toMatchObject([{ state: "dropped", reason, attempts: 0 }]);
  });

  it("is not made for a disabled account", async () => {
    const { id } = await addFan({ push: ["e.test"], email: "each" });
    await site.db("users").where({ id }).update({ disabled_at: new Date() });
    await addDiscount(site.db, "sale", item);
    await notifyAll(site.db);
    expect(await deliveries()).toEqual([]);
  });

  it("of push is dropped where the user switched that off", async () => {
    const { id } = await tellFan({ push: ["e.test"], email: "each" });
    await site.db("notification_settings").where({ user_id: id }).update({ push: false });
    expect((await deliver()).seen.map(({ channel }) => channel)).toEqual(["email"]);
  });

  it("is still sent to who has changed to daily mails", async () => {
    const { id } = await tellFan({ email: "each" });
    await site.db("notification_settings").where({ user_id: id }).update({ email: "daily" });
    expect((await deliver()).seen).toHaveLength(1);
  });

  it("whose discount was put off waits for the new start", async () => {
    await tellFan({ email: "each" });
    await site.db("discounts").update({ starts_at: hours(site.db, 1) });
    expect((await deliver()).seen).toEqual([]);
    const { starts_at } = await site.db("discounts").first("starts_at");
    expect(await deliveries()).toMatchObject([{ state: "waiting" }]);
    const [job] = await queuedJobs(site.db);
    expect(Math.abs((job?.run_at.getTime() ?? 0) - starts_at.getTime())).toBeLessThan(2);
  });

  it("whose discount was put off for long looks again every hour, as that may be pulled forward", async () => {
    await tellFan({ email: "each" });
    await site.db("discounts").update({ starts_at: hours(site.db, 24 * 7) });
    await deliver();
    const [job] = await queuedJobs(site.db);
    const waitS = ((job?.run_at.getTime() ?? 0) - Date.now()) / 1000;
    expect(waitS).toBeGreaterThan(3_500);
    expect(waitS).toBeLessThanOrEqual(3_600);
  });

  it("that fails waits, keeps the reason and is tried again until its last attempt", async () => {
    await tellFan({ email: "each" });
    const { failures } = await deliver(fail(new Error("451 try again later")));
    expect(failures).toEqual([]);
    const waiting = { state: "waiting", attempts: 1, reason: "451 try again later", settled_at: null };
    expect(await deliveries()).toMatchObject([waiting]);
    for (let attempt = 2; attempt < DELIVERY_ATTEMPTS; attempt += 1)
      await deliver(fail(new Error("451 again")));
    expect(await deliveries()).toMatchObject([{ state: "waiting", attempts: DELIVERY_ATTEMPTS - 1 }]);
    const last = await deliver(fail(new Error("451 the last time")));
    expect(last.failures).toEqual([]);
    const dead = { state: "dead", attempts: DELIVERY_ATTEMPTS, reason: "451 the last time" };
    expect(await deliveries()).toMatchObject([dead]);
  });

  it("is retried by one job after the pause that a busy receiver requests", async () => {
    await tellFan({ email: "each" });
    expect((await deliver(fail(new BusyError("429 slow down", 600)))).failures).toEqual([]);
    expect(await deliveries()).toMatchObject([{ state: "waiting", attempts: 1, reason: "429 slow down" }]);
    const [job, ...more] = await queuedJobs(site.db);
    expect(more).toEqual([]);
    expect(Math.abs((job?.run_at.getTime() ?? 0) - Date.now() - 600_000)).toBeLessThan(5_000);
  });

  it("that fails with an answer that no database takes is counted once and tried again", async () => {
    await tellFan({ email: "each", push: ["h.test"] });
    const answer = `\0 502 bad\r\nanswer ${"\u{1f4a5}".repeat(1_000)}`;
    const email = fail(new Error(answer));
    const push = fail(new RefusedForGoodError(answer));
    runJobs(site.db, senderTasks(site.db, { email, push }));
    await expect.poll(async () => (await deliveries()).map(({ attempts }) => attempts)).toEqual([1, 1]);
    expect(await deliveries()).toMatchObject([{ state: "waiting" }, { state: "dead" }]);
    for (const { reason } of await deliveries()) {
      expect(reason).toMatch(/^502 bad answer \u{1f4a5}+$/u);
      expect([...reason]).toHaveLength(500);
    }
    const held = async () =>
      (await queuedJobs(site.db)).map(({ attempts, locked_by }) => [attempts, locked_by]);
    await expect.poll(held).toEqual([[0, null]]);
  });

  it("that is refused for good is given up at once; one whose receiver is gone is dropped", async () => {
    await tellFan({ email: "each", push: ["f.test"] });
    const { failures } = await deliver(async ({ channel }) => {
      if (channel === "email") throw new RefusedForGoodError("550 no such mailbox");
      throw new RecipientGoneError("410 gone");
    });
    expect(failures).toEqual([]);
    expect(await deliveries()).toMatchObject([
      { channel: "email", state: "dead", reason: "550 no such mailbox", attempts: 1 },
      { channel: "push", state: "dropped", reason: "410 gone", attempts: 1 },
    ]);
  });

  it("that is gone with its notification is no failure", async () => {
    const { seen, failures } = await deliver();
    expect([seen, failures]).toEqual([[], []]);
    const { deliver_by_push } = senderTasks(site.db, { email: fail(new Error()), push: fail(new Error()) });
    await expect(deliver_by_push?.({ deliveryId: 999_999 }, ATTEMPT)).resolves.toBeUndefined();
    await expect(deliver_by_push?.({ delivery: 1 }, ATTEMPT)).rejects.toThrow("deliveryId");
  });
});

describe("what was sent while the database is away", () => {
  it("is noted once it is back, and not sent again", async () => {
    await addFan({ email: "each" });
    await addDiscount(site.db, "sale", item);
    const url = new URL(site.db.client.connectionSettings.connectionString).href;
    await notifyAll(site.db);
    const db = openPool(url);
    let away: Awaited<ReturnType<typeof cutOff>> | undefined;
    let sent = 0;
    const send = async () => {
      sent += 1;
      away ??= await cutOff(url);
    };
    runJobs(db, senderTasks(db, { email: send, push: send }));
    await expect.poll(() => away).toBeDefined();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await away?.back();
    await expect.poll(async () => (await deliveries())[0]?.state).toBe("sent");
    await expect.poll(() => queuedJobs(site.db)).toEqual([]);
    expect(sent).toBe(1);
  });
});

describe("a delivery whose job is lost", () => {
  it("gets another one after a while; one that has its job does not", async () => {
    await addFan({ email: "each", push: ["g.test"] });
    await tellFan({ email: "daily" });
    expect(await addLostJobs(site.db)).toBe(0);
    await site.db("deliveries").update({ created_at: hours(site.db, -1) });
    expect(await addLostJobs(site.db)).toBe(0);
    // One was given up by the queue because its workers died each time, and one is at work for the last time.
    await site.db.raw(
      "update graphile_worker._private_jobs set attempts = max_attempts where key like 'delivery:%'",
    );
    const [mail, push, digest] = await deliveries();
    await site.db.raw(
      "update graphile_worker._private_jobs set locked_at = now(), locked_by = 'pool' where key = ?",
      [`delivery:${push?.id}`],
    );
    await site.db.raw("delete from graphile_worker._private_jobs where key like 'digest:%'");
    expect(await addLostJobs(site.db)).toBe(2);
    const open = (await queuedJobs(site.db)).filter(({ attempts }) => attempts === 0).map(({ key }) => key);
    expect(open).toEqual([`delivery:${mail?.id}`, `digest:${digest?.user_id}`]);
    expect(await addLostJobs(site.db)).toBe(0);
  });
});

describe("what waits where nobody sends by its channel", () => {
  it("is dropped with its job once the discount is over or withdrawn, and what is on its way is left", async () => {
    const fan = await addFan({ email: "each", push: ["i.test"] });
    await tellFan({ email: "daily" });
    expect(await dropEnded(site.db)).toBe(0);
    const [mail, push, digest] = await deliveries();
    await site.db.raw(
      "update graphile_worker._private_jobs set locked_at = now(), locked_by = 'pool' where key = ?",
      [`delivery:${push?.id}`],
    );
    await site.db("discounts").update({ starts_at: hours(site.db, -3), ends_at: hours(site.db, -1) });
    await addDiscount(site.db, "another", item, { price: "10.00" });
    await notifyAll(site.db);
    expect(await dropEnded(site.db)).toBe(2);
    const dropped = { state: "dropped", reason: "the discount is over", settled_at: expect.any(Date) };
    const waiting = { state: "waiting", reason: null };
    expect(await deliveries()).toMatchObject([dropped, waiting, dropped, waiting, waiting, waiting]);
    const keys = (await queuedJobs(site.db)).map(({ key }) => key);
    expect(keys).not.toContain(`delivery:${mail?.id}`);
    expect(keys).toEqual(expect.arrayContaining([`delivery:${push?.id}`, `digest:${digest?.user_id}`]));

    await site.db("discounts").where({ id: "another" }).delete();
    expect(await dropEnded(site.db)).toBe(3);
    const withdrawn = await site.db("deliveries").where({ reason: "the discount was withdrawn" });
    expect(withdrawn.map(({ user_id }) => user_id)).toContain(fan.id);
  });
});
