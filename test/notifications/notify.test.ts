import { beforeEach, describe, expect, it } from "vitest";
import { toggleFavorite } from "../../src/accounts/favorites/queries.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import {
  listInbox,
  NOTIFICATIONS_LISTED,
  removeOldNotifications,
} from "../../src/notifications/inbox-queries.ts";
import { addNotifyJobs, notifyOfDiscount } from "../../src/notifications/notify.ts";
import { markNotified } from "../../src/notifications/notify-queries.ts";
import { useTestApp } from "../helpers/app.ts";
import { changeUnnoticed } from "../helpers/database.ts";
import { queuedJobs } from "../helpers/jobs.ts";
import { beginAnew, notifyAll } from "../helpers/notify.ts";
import { addDiscount, addDonateItem, hours } from "../helpers/things.ts";

const site = useTestApp();

let item = "";
let userId = 0;

/** A user who has a new item of 100 EUR as a favorite, while nothing else is discounted. */
beforeEach(async () => {
  ({ userId, item } = await beginAnew(site));
  expect(await toggleFavorite(site.db, userId, "donate", item)).toBe(true);
});

async function notificationsOf(user = userId) {
  return site.db("notifications").where({ user_id: user }).orderBy("id", "desc");
}

async function pricesOf(user = userId) {
  return (await notificationsOf(user)).map(({ new_price }) => new_price);
}

const changeDiscount = (columns: Record<string, unknown>, id = "sale") =>
  site.db("discounts").where({ id }).update(columns);

describe("a discount of a favorite", () => {
  it("notifies with old and new price and its end", async () => {
    await addDiscount(site.db, "sale", item, { percent: "33.3", ends_at: hours(site.db, 5) });
    expect(await notifyAll(site.db)).toBe(1);
    const { ends_at } = await site.db("discounts").where({ id: "sale" }).first();
    expect(await notificationsOf()).toMatchObject([
      {
        item_key: item,
        item_name: `Shop ${item}`,
        old_price: "100.00",
        new_price: "66.70",
        currency: "EUR",
        ends_at,
        read_at: null,
        run: 1,
      },
    ]);
  });

  it("notifies once, for any number of repeated and concurrent jobs", async () => {
    await addDiscount(site.db, "sale", item);
    const made = await Promise.allSettled(Array.from({ length: 8 }, () => notifyOfDiscount(site.db, "sale")));
    // Some may give up waiting for the others; none may tell again.
    const counts = made.map((result) => (result.status === "fulfilled" ? result.value : 0));
    expect(counts.reduce((sum, count) => sum + count)).toBe(1);
    expect(await notifyOfDiscount(site.db, "sale")).toBe(0);
    expect(await notificationsOf()).toHaveLength(1);
  });

  it("notifies everybody who has the item, page by page, and nobody else", async () => {
    const users = [userId];
    for (let count = 0; count < 6; count += 1) {
      const { id } = await site.createUser();
      await toggleFavorite(site.db, id, "donate", item);
      users.push(id);
    }
    const stranger = await site.createUser();
    await addDiscount(site.db, "sale", item);
    expect(await notifyOfDiscount(site.db, "sale", { page: 2 })).toBe(7);
    for (const user of users) expect(await notificationsOf(user)).toHaveLength(1);
    expect(await notificationsOf(stranger.id)).toEqual([]);
  });

  it("notifies neither before its start nor after its end, by the database's clock", async () => {
    await addDiscount(site.db, "coming", item, { starts_at: hours(site.db, 1) });
    await addDiscount(site.db, "past", item, { starts_at: hours(site.db, -2), ends_at: hours(site.db, -1) });
    expect(await notifyAll(site.db)).toBe(0);
    expect(await notifyOfDiscount(site.db, "coming")).toBe(0);
    expect(await notifyOfDiscount(site.db, "past")).toBe(0);
    await changeDiscount({ starts_at: site.db.fn.now() }, "coming");
    expect(await notifyAll(site.db)).toBe(1);
  });

  it("notifies beside another concurrent one, each with its own price", async () => {
    await addDiscount(site.db, "a", item, { percent: "10" });
    await addDiscount(site.db, "b", item, { price: "42.50" });
    expect(await notifyAll(site.db)).toBe(2);
    expect((await pricesOf()).sort()).toEqual(["42.50", "90.00"]);
  });

  it.each([
    ["0.05", "EUR", "50", "0.03"],
    ["9.99", "EUR", "33.33", "6.66"],
    ["500.00", "JPY", "33.33", "333.00"],
    ["999999999999.99", "EUR", "0.01", "999899999999.99"],
    ["19.99", "EUR", "100", "0.00"],
  ])("of %s %s by %s percent makes %s, as the shop shows it", async (price, currency, percent, expected) => {
    await site.db("donate_items").where({ id: item }).update({ price, currency });
    await addDiscount(site.db, "sale", item, { percent });
    await notifyAll(site.db);
    expect(await pricesOf()).toEqual([expected]);
    const { agent } = await site.logIn();
    const page = await agent.get(`/donate/${encodeURIComponent(item)}`).expect(200);
    expect(page.text.replace(/(\d),(\d)/g, "$1$2")).toContain(`${expected.replace(/\.00$/, "")}`);
  });

  it("does not notify while its price is unknown or not lower", async () => {
    await addDiscount(site.db, "dearer", item, { price: "120.00" });
    await addDiscount(site.db, "same", item, { price: "100.00" });
    expect(await notifyAll(site.db)).toBe(0);
    await site.db("discounts").delete();
    await site.db("donate_items").where({ id: item }).update({ price: null });
    await addDiscount(site.db, "percent of nothing", item);
    expect(await notifyAll(site.db)).toBe(0);
    await addDiscount(site.db, "new price", item, { price: "10.00" });
    expect(await notifyAll(site.db)).toBe(1);
    expect(await notificationsOf()).toMatchObject([{ old_price: null, new_price: "10.00" }]);
    await site.db("donate_items").where({ id: item }).update({ price: "100.00" });
    expect(await notifyAll(site.db)).toBe(1);
  });
});

describe("a discount that has notified its users", () => {
  beforeEach(async () => {
    await addDiscount(site.db, "sale", item, { title: "Sale", ends_at: hours(site.db, 2) });
    expect(await notifyAll(site.db)).toBe(1);
  });

  it("does not notify again when its text, its end, its price or its start changes while it runs", async () => {
    expect(await addNotifyJobs(site.db)).toBe(0);
    const changes = [
      { title: "A new text" },
      { ends_at: hours(site.db, 9) },
      { percent: "50" },
      { percent: null, price: "10.00" },
      { starts_at: hours(site.db, -3) },
      { ends_at: null },
    ];
    for (const change of changes) {
      await changeDiscount(change);
      expect(await notifyAll(site.db)).toBe(0);
    }
    expect(await pricesOf()).toEqual(["75.00"]);
  });

  it("notifies later users, when a change makes another check worthwhile", async () => {
    const { id } = await site.createUser();
    await site.db("donate_favorites").insert({ user_id: id, item_key: item });
    expect(await notifyAll(site.db)).toBe(0);
    await changeDiscount({ percent: "30" });
    expect(await notifyAll(site.db)).toBe(1);
    expect(await pricesOf(id)).toEqual(["70.00"]);
    expect(await pricesOf()).toEqual(["75.00"]);
  });

  it("notifies again after its end when it returns under the same id", async () => {
    await changeDiscount({ starts_at: hours(site.db, -3), ends_at: hours(site.db, -1) });
    expect(await notifyAll(site.db)).toBe(0);
    await changeDiscount({ starts_at: hours(site.db, 0), ends_at: hours(site.db, 1) });
    expect(await notifyAll(site.db)).toBe(1);
    expect((await notificationsOf()).map(({ run }) => run)).toEqual([2, 1]);
    expect(await notifyAll(site.db)).toBe(0);
  });

  it("notifies again if it got its next period before the previous one had ended", async () => {
    await changeDiscount({ starts_at: hours(site.db, 24), ends_at: hours(site.db, 48) });
    expect(await notifyAll(site.db)).toBe(0);
    await changeDiscount({ starts_at: site.db.fn.now() });
    expect(await notifyAll(site.db)).toBe(1);
    expect((await notificationsOf()).map(({ run }) => run)).toEqual([2, 1]);
  });

  it("notifies again if it ended during the import of its next period", async () => {
    await changeDiscount({ ends_at: site.db.raw("clock_timestamp() + interval '200 milliseconds'") });
    await site.db.transaction(async (transaction) => {
      await transaction.raw("select now(), pg_sleep(0.3)");
      const period = { starts_at: transaction.raw("clock_timestamp()"), ends_at: hours(site.db, 48) };
      await transaction("discounts").where({ id: "sale" }).update(period);
    });
    expect(await notifyAll(site.db)).toBe(1);
  });

  it("does not notify again if it was only postponed, or replanned before its start", async () => {
    await changeDiscount({ starts_at: hours(site.db, 1) });
    await changeDiscount({ starts_at: hours(site.db, 3), ends_at: hours(site.db, 5) });
    await changeDiscount({ starts_at: hours(site.db, -1) });
    expect(await notifyAll(site.db)).toBe(0);
    expect(await notificationsOf()).toHaveLength(1);
  });

  it("does not count as notified where it became another one in the last moment", async () => {
    const [before] = await site.db("discounts").where({ id: "sale" }).select();
    await changeDiscount({ starts_at: hours(site.db, -3), ends_at: hours(site.db, -1) });
    await changeDiscount({ starts_at: hours(site.db, 0), ends_at: hours(site.db, 1) });
    await site.db.transaction((transaction) => markNotified(transaction, before));
    expect(await notifyAll(site.db)).toBe(1);
  });

  it("notifies those who came while the item had no price, once it has one again", async () => {
    await site.db("donate_items").where({ id: item }).update({ price: null });
    const { id } = await site.createUser();
    await toggleFavorite(site.db, id, "donate", item);
    expect(await notificationsOf(id)).toEqual([]);
    await site.db("donate_items").where({ id: item }).update({ price: "80.00" });
    expect(await notifyAll(site.db)).toBe(1);
    expect(await pricesOf(id)).toEqual(["60.00"]);
  });
});

describe("a discount that has notified, was removed and is back", () => {
  const period = { starts_at: new Date(Date.now() - 3_600_000), ends_at: new Date(Date.now() + 7_200_000) };

  beforeEach(async () => {
    await addDiscount(site.db, "sale", item, period);
    expect(await notifyAll(site.db)).toBe(1);
    await site.db("discounts").where({ id: "sale" }).delete();
  });

  it("does not notify again, and its notification shows a running discount", async () => {
    expect(await listInbox(site.db, userId)).toMatchObject([{ gone: true, state: "ended" }]);
    await addDiscount(site.db, "sale", item, period);
    expect(await notifyAll(site.db)).toBe(0);
    expect(await listInbox(site.db, userId)).toMatchObject([
      { gone: false, state: "running", price_now: "75.00" },
    ]);
  });

  it("does not notify again by its next update either", async () => {
    await addDiscount(site.db, "sale", item, period);
    await changeDiscount({ percent: "30", ends_at: hours(site.db, 9) });
    await site.db("discounts").where({ id: "sale" }).delete();
    await addDiscount(site.db, "sale", item, { ...period, ends_at: hours(site.db, 9) });
    expect(await notifyAll(site.db)).toBe(0);
  });

  it.each([
    ["open", null],
    ["with an end", new Date(Date.now() + 86_400_000)],
  ])("notifies again in a new period, %s", async (_end, ends_at) => {
    await addDiscount(site.db, "sale", item, { starts_at: site.db.raw("clock_timestamp()"), ends_at });
    expect(await notifyAll(site.db)).toBe(1);
    expect((await notificationsOf()).map(({ run }) => run)).toEqual([2, 1]);
  });

  it("notifies those who have its new item", async () => {
    await addDonateItem(site.db, `${item} other`);
    await toggleFavorite(site.db, userId, "donate", `${item} other`);
    await addDiscount(site.db, "sale", `${item} other`, period);
    expect(await notifyAll(site.db)).toBe(1);
  });

  it("is known by what was stored of it, not by what was only tried", async () => {
    await addDiscount(site.db, "sale", item, period);
    const other = { id: "sale", item_key: item, percent: "5", starts_at: hours(site.db, 9) };
    await site.db("discounts").insert(other).onConflict("id").ignore();
    expect(await site.db("discount_runs").where({ discount_id: "sale" })).toMatchObject([
      { run: 1, ...period },
    ]);
  });
});

describe("an import of discounts", () => {
  const record = (more: object = {}) => ({
    id: "sale",
    item_key: item,
    title: "Sale",
    percent: 25,
    starts_at: new Date(Date.now() - 60_000).toISOString(),
    ends_at: new Date(Date.now() + 3_600_000).toISOString(),
    ...more,
  });
  const importAll = (...records: object[]) => importRecords(site.db, "discounts", records);

  it("without one by mistake, and with it again, notifies nobody again", async () => {
    const all = [record(), record({ id: "other", percent: 10 })];
    await importAll(...all);
    expect(await notifyAll(site.db)).toBe(2);
    await importRecords(site.db, "discounts", all.slice(1), { prune: true, force: true });
    await importAll(...all);
    expect(await notifyAll(site.db)).toBe(0);
    expect(await notificationsOf()).toHaveLength(2);
  });

  it("that withdraws one before its start notifies nobody of it", async () => {
    const starts_at = new Date(Date.now() + 1_800_000).toISOString();
    await importAll(record({ starts_at }), record({ id: "stays", starts_at, percent: 10 }));
    await importRecords(site.db, "discounts", [record({ id: "stays", starts_at, percent: 10 })], {
      prune: true,
      force: true,
    });
    await changeUnnoticed(site.db, (db) => db("discounts").update({ starts_at: db.fn.now() }));
    expect(await notifyAll(site.db)).toBe(1);
    expect(await pricesOf()).toEqual(["90.00"]);
  });
});

describe("adding an item while a discount of it runs", () => {
  it("notifies at once, by the toggle itself", async () => {
    await addDiscount(site.db, "sale", item);
    const { id, agent } = await site.logIn();
    await agent.post("/api/donate_favorites/toggle").send({ item_key: item }).expect(200);
    expect(await pricesOf(id)).toEqual(["75.00"]);
    expect((await agent.get("/")).text).toMatch(/class="count" >1</);
  });

  it("notifies of each running one, only of that item, and only that user", async () => {
    await addDonateItem(site.db, `${item} other`);
    await addDiscount(site.db, "other", `${item} other`);
    await addDiscount(site.db, "sale", item);
    await addDiscount(site.db, "better", item, { price: "5.00" });
    const { id } = await site.createUser();
    await toggleFavorite(site.db, id, "donate", item);
    expect((await pricesOf(id)).sort()).toEqual(["5.00", "75.00"]);
    expect(await notificationsOf()).toEqual([]);
  });

  it("notifies once, even if it is removed and added again while users are being notified", async () => {
    await addDiscount(site.db, "sale", item);
    const { id } = await site.createUser();
    for (let round = 0; round < 3; round += 1) await toggleFavorite(site.db, id, "donate", item);
    const toggles = Array.from({ length: 10 }, () => toggleFavorite(site.db, id, "donate", item));
    await Promise.all([...toggles, notifyOfDiscount(site.db, "sale"), notifyOfDiscount(site.db, "sale")]);
    expect(await notificationsOf(id)).toHaveLength(1);
  });

  it("notifies nobody when nothing runs, or no price is lower", async () => {
    await addDiscount(site.db, "coming", item, { starts_at: hours(site.db, 1) });
    await addDiscount(site.db, "dearer", item, { price: "120.00" });
    const { id } = await site.createUser();
    await toggleFavorite(site.db, id, "donate", item);
    expect(await notificationsOf(id)).toEqual([]);
  });
});

describe("looking for discounts to tell", () => {
  it("adds one job for each that runs, lowers the price and has not notified", async () => {
    await addDiscount(site.db, "sale", item);
    await addDiscount(site.db, "dearer", item, { price: "120.00" });
    await addDiscount(site.db, "coming", item, { starts_at: hours(site.db, 1) });
    expect(await addNotifyJobs(site.db)).toBe(1);
    const jobs = await queuedJobs(site.db);
    expect(jobs).toMatchObject([{ task_identifier: "tell_discount", key: "tell:sale" }]);
    // A waiting job is not added again, for any number of checks.
    expect(await addNotifyJobs(site.db)).toBe(0);
    expect(await queuedJobs(site.db)).toEqual(jobs);
  });

  it("marks discounts of items without favorites as done, until that may change", async () => {
    await addDonateItem(site.db, `${item} unloved`);
    await addDiscount(site.db, "unloved", `${item} unloved`);
    await addDiscount(site.db, "coming", `${item} unloved`, { starts_at: hours(site.db, 1) });
    await addDiscount(site.db, "sale", item);
    expect(await addNotifyJobs(site.db)).toBe(1);
    const untold = () => site.db("discounts").whereNull("told_at").orderBy("id").pluck("id");
    expect(await untold()).toEqual(["coming", "sale"]);
    await changeDiscount({ percent: "30" }, "unloved");
    expect(await untold()).toEqual(["coming", "sale", "unloved"]);
  });

  it("makes one that failed due again at once, and leaves alone one that is at work", async () => {
    await addDiscount(site.db, "sale", item);
    await addNotifyJobs(site.db);
    await site.db.raw(
      "update graphile_worker._private_jobs set attempts = 7, run_at = now() + interval '1 hour'",
    );
    await addNotifyJobs(site.db);
    const [retried] = await queuedJobs(site.db);
    expect(retried?.attempts).toBe(0);
    expect(retried?.run_at.getTime()).toBeLessThan(Date.now() + 1_000);
    await site.db("job_pools").insert({ id: "pool" });
    await site.db.raw("update graphile_worker._private_jobs set locked_by = 'pool', locked_at = now()");
    expect(await addNotifyJobs(site.db)).toBe(0);
    expect(await queuedJobs(site.db)).toHaveLength(1);
  });

  it("does not wait for a process that died while it notified", async () => {
    await addDiscount(site.db, "sale", item);
    await addNotifyJobs(site.db);
    await site.db.raw("update graphile_worker._private_jobs set locked_by = 'dead', locked_at = now()");
    const seen_at = site.db.raw("now() - interval '16 seconds'");
    await site.db("job_pools").insert({ id: "dead", seen_at });
    expect(await addNotifyJobs(site.db)).toBe(1);
    const [job] = (await queuedJobs(site.db)).filter(({ key }) => key === "tell:sale");
    expect(job?.locked_by).toBeNull();
  });
});

describe("notifications", () => {
  it("stay readable after their discount and their item are gone", async () => {
    await addDiscount(site.db, "sale", item);
    await notifyAll(site.db);
    await site.db("donate_items").where({ id: item }).delete();
    expect(await notificationsOf()).toMatchObject([
      { item_key: null, item_name: `Shop ${item}`, new_price: "75.00" },
    ]);
  });

  it("past the newest that are listed are removed, unless somebody could be notified again", async () => {
    const ids = ["running", "just over", "long over", "again", "removed"];
    for (const id of ids) {
      await addDiscount(site.db, id, item, { starts_at: hours(site.db, -300), ends_at: hours(site.db, 1) });
    }
    await notifyAll(site.db);
    await changeDiscount({ ends_at: hours(site.db, -24) }, "just over");
    await changeDiscount({ ends_at: hours(site.db, -200) }, "long over");
    await changeDiscount({ ends_at: hours(site.db, -1) }, "again");
    await changeDiscount({ starts_at: hours(site.db, 0), ends_at: hours(site.db, 1) }, "again");
    await site.db("discounts").where({ id: "removed" }).delete();
    await notifyAll(site.db);
    const filler = { user_id: userId, item_name: "filler", new_price: "1.00", currency: "EUR" };
    await site.db("notifications").insert(Array.from({ length: NOTIFICATIONS_LISTED }, () => filler));
    expect(await removeOldNotifications(site.db)).toBe(2);
    const left = await site.db("notifications").where({ user_id: userId }).whereNotNull("discount_id");
    expect(left.map(({ discount_id, run }) => `${discount_id} ${run}`).sort()).toEqual([
      "again 2",
      "just over 1",
      "removed 1",
      "running 1",
    ]);
    await site.db("discounts").update({ told_at: null });
    await changeDiscount({ ends_at: hours(site.db, 1) }, "just over");
    expect(await notifyAll(site.db)).toBe(0);
  });
});
