import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { toggleDonateItem } from "../src/favorites/queries.ts";
import {
  listNotices,
  markRead,
  NOTICES_KEPT,
  notifyActiveDiscounts,
  removeOldNotices,
} from "../src/notifications/queries.ts";
import { useTestApp } from "./helpers/app.ts";
import { addDiscount, addDonateItem, hours } from "./helpers/things.ts";

const site = useTestApp();

let item = "";
let userId = 0;
let items = 0;

/** A user who has a new item of 100 EUR as a favorite, while nothing else is discounted. */
beforeEach(async () => {
  await site.db("discounts").delete();
  items += 1;
  item = `item ${items}`;
  await addDonateItem(site.db, item);
  ({ id: userId } = await site.createUser());
  expect(await toggleDonateItem(site.db, userId, item)).toBe(true);
});

async function noticesOf(user = userId) {
  return listNotices(site.db, user);
}

describe("a discount of a favorite", () => {
  it("is told with old and new price and its end", async () => {
    await addDiscount(site.db, "sale", item, { percent: "33.3", ends_at: hours(site.db, 5) });
    expect(await notifyActiveDiscounts(site.db)).toBe(1);
    const [notice] = await noticesOf();
    const { ends_at } = await site.db("discounts").where({ id: "sale" }).first();
    expect(notice).toMatchObject({
      item_key: item,
      item_name: `Shop ${item}`,
      old_price: "100.00",
      new_price: "66.70",
      currency: "EUR",
      ends_at,
      read_at: null,
    });
  });

  it("is told once, however often and by how many at once it is looked for", async () => {
    await addDiscount(site.db, "sale", item);
    const made = await Promise.all(Array.from({ length: 8 }, () => notifyActiveDiscounts(site.db)));
    expect(made.reduce((sum, count) => sum + count)).toBe(1);
    expect(await notifyActiveDiscounts(site.db)).toBe(0);
    expect(await noticesOf()).toHaveLength(1);
  });

  it("is told once when a second look begins before the first is committed", async () => {
    await addDiscount(site.db, "sale", item);
    let second = Promise.resolve(Number.NaN);
    await site.db.transaction(async (transaction) => {
      expect(await notifyActiveDiscounts(transaction)).toBe(1);
      second = notifyActiveDiscounts(site.db);
      await transaction.raw("select pg_sleep(0.3)");
    });
    expect(await second).toBe(0);
    expect(await noticesOf()).toHaveLength(1);
  });

  it("is told to everybody who has the item, and to nobody else", async () => {
    const [other, stranger] = [await site.createUser(), await site.createUser()];
    await toggleDonateItem(site.db, other.id, item);
    await addDiscount(site.db, "sale", item);
    expect(await notifyActiveDiscounts(site.db)).toBe(2);
    expect(await noticesOf(other.id)).toHaveLength(1);
    expect(await noticesOf(stranger.id)).toEqual([]);
  });

  it("is not told again after an import that changed nothing, or changed it while it runs", async () => {
    await addDiscount(site.db, "sale", item);
    await notifyActiveDiscounts(site.db);
    await site.db("discounts").where({ id: "sale" }).update({ percent: "25" });
    expect(await notifyActiveDiscounts(site.db)).toBe(0);
    await site
      .db("discounts")
      .where({ id: "sale" })
      .update({ percent: "50", ends_at: hours(site.db, 9) });
    expect(await notifyActiveDiscounts(site.db)).toBe(0);
    expect((await noticesOf()).map(({ new_price }) => new_price)).toEqual(["75.00"]);
  });

  it("is not told before its start nor after its end, by the database's clock", async () => {
    await addDiscount(site.db, "coming", item, { starts_at: hours(site.db, 1) });
    await addDiscount(site.db, "past", item, { starts_at: hours(site.db, -2), ends_at: hours(site.db, -1) });
    expect(await notifyActiveDiscounts(site.db)).toBe(0);
    await site.db("discounts").where({ id: "coming" }).update({ starts_at: site.db.fn.now() });
    expect(await notifyActiveDiscounts(site.db)).toBe(1);
  });

  it("is told beside another one that runs at the same time, each with its own price", async () => {
    await addDiscount(site.db, "a", item, { percent: "10" });
    await addDiscount(site.db, "b", item, { price: "42.50" });
    expect(await notifyActiveDiscounts(site.db)).toBe(2);
    expect((await noticesOf()).map(({ new_price }) => new_price).sort()).toEqual(["42.50", "90.00"]);
  });

  it.each([
    ["0.05", "50", "0.03"],
    ["9.99", "33.33", "6.66"],
    ["100.00", "12.5", "87.50"],
    ["999999999999.99", "0.01", "999899999999.99"],
    ["19.99", "100", "0.00"],
  ])("of %s by %s percent makes %s, halves rounded up", async (price, percent, expected) => {
    await site.db("donate_items").where({ id: item }).update({ price });
    await addDiscount(site.db, "sale", item, { percent });
    await notifyActiveDiscounts(site.db);
    expect((await noticesOf()).map(({ new_price }) => new_price)).toEqual([expected]);
  });

  it("is not told where its price is not known, or not lower", async () => {
    await addDiscount(site.db, "dearer", item, { price: "120.00" });
    await addDiscount(site.db, "same", item, { price: "100.00" });
    expect(await notifyActiveDiscounts(site.db)).toBe(0);
    await site.db("discounts").delete();
    await site.db("donate_items").where({ id: item }).update({ price: null });
    await addDiscount(site.db, "percent of nothing", item);
    expect(await notifyActiveDiscounts(site.db)).toBe(0);
    await addDiscount(site.db, "new price", item, { price: "10.00" });
    expect(await notifyActiveDiscounts(site.db)).toBe(1);
    expect(await noticesOf()).toMatchObject([{ old_price: null, new_price: "10.00" }]);
  });

  it("neither waits for a discount that is just being removed nor fails on it", async () => {
    await addDiscount(site.db, "removed", item);
    await site.db.transaction(async (removal) => {
      await removal("discounts").where({ id: "removed" }).delete();
      const notify = site.db.transaction(async (transaction) => {
        await transaction.raw("set local lock_timeout = '1s'");
        return notifyActiveDiscounts(transaction);
      });
      expect(await notify).toBe(0);
    });
    expect(await notifyActiveDiscounts(site.db)).toBe(0);
  });
});

describe("adding an item while a discount of it runs", () => {
  it("tells of it at once, by the toggle itself", async () => {
    await addDiscount(site.db, "sale", item);
    const { id, agent } = await site.logIn();
    await agent.post("/api/donate_favorites/toggle").send({ item_key: item }).expect(200);
    expect(await noticesOf(id)).toMatchObject([{ item_key: item, new_price: "75.00" }]);
    expect((await agent.get("/")).text).toMatch(/<span class="count">1</);
  });

  it("tells only of that item, and only that user", async () => {
    await addDonateItem(site.db, `${item} other`);
    await addDiscount(site.db, "other", `${item} other`);
    await addDiscount(site.db, "sale", item);
    const { id } = await site.createUser();
    await toggleDonateItem(site.db, id, item);
    expect(await noticesOf(id)).toHaveLength(1);
    expect(await noticesOf()).toEqual([]);
  });

  it("tells once, however often it is taken off and added again", async () => {
    await addDiscount(site.db, "sale", item);
    const { id } = await site.createUser();
    for (let round = 0; round < 3; round += 1) await toggleDonateItem(site.db, id, item);
    const toggles = Array.from({ length: 10 }, () => toggleDonateItem(site.db, id, item));
    await Promise.all([...toggles, notifyActiveDiscounts(site.db), notifyActiveDiscounts(site.db)]);
    expect(await noticesOf(id)).toHaveLength(1);
  });

  it("tells nothing when nothing runs", async () => {
    await addDiscount(site.db, "coming", item, { starts_at: hours(site.db, 1) });
    const { id } = await site.createUser();
    await toggleDonateItem(site.db, id, item);
    expect(await noticesOf(id)).toEqual([]);
  });
});

describe("notices", () => {
  it("stay readable after their discount and their item are gone", async () => {
    await addDiscount(site.db, "sale", item);
    await notifyActiveDiscounts(site.db);
    await site.db("donate_items").where({ id: item }).delete();
    expect(await noticesOf()).toMatchObject([
      { item_key: null, item_name: `Shop ${item}`, new_price: "75.00" },
    ]);
  });

  it("past the newest two hundred are removed, but not those of discounts that still run", async () => {
    await addDiscount(site.db, "running", item);
    await addDiscount(site.db, "over", item, { starts_at: hours(site.db, -3), ends_at: hours(site.db, 1) });
    await notifyActiveDiscounts(site.db);
    await site
      .db("discounts")
      .where({ id: "over" })
      .update({ ends_at: hours(site.db, -1) });
    const filler = { user_id: userId, item_name: "filler", new_price: "1.00", currency: "EUR" };
    await site.db("notifications").insert(Array.from({ length: NOTICES_KEPT }, () => filler));
    expect(await removeOldNotices(site.db)).toBe(1);
    expect(await notifyActiveDiscounts(site.db)).toBe(0);
    const left = await site
      .db("notifications")
      .where({ user_id: userId })
      .whereNotNull("discount_id")
      .pluck("discount_id");
    expect(left).toEqual(["running"]);
    expect(await noticesOf()).toHaveLength(NOTICES_KEPT);
  });
});

describe("the inbox", () => {
  async function readerWithNotices() {
    const reader = await site.logIn();
    await toggleDonateItem(site.db, reader.id, item);
    await addDiscount(site.db, "first", item, { percent: "10", ends_at: hours(site.db, 2) });
    await notifyActiveDiscounts(site.db);
    await addDiscount(site.db, "second", item, { percent: "20" });
    await notifyActiveDiscounts(site.db);
    return reader;
  }

  it("asks a visitor to log in", async () => {
    await request(site.app)
      .get("/notifications")
      .expect(303)
      .expect("Location", "/login?next=%2Fnotifications");
    await request(site.app).post("/notifications/read").expect(303).expect("Location", "/login");
  });

  it("says how to get notices where there are none", async () => {
    const { agent } = await site.logIn();
    expect((await agent.get("/notifications").expect(200)).text).toMatch(
      /class="empty">[\s\S]*?href="\/donate"/,
    );
  });

  it("lists the newest first, with prices, end and a link to the item", async () => {
    const { agent } = await readerWithNotices();
    const page = await agent.get("/notifications").expect(200);
    expect(page.text.indexOf("80.00 EUR")).toBeLessThan(page.text.indexOf("90.00 EUR"));
    expect(page.text.indexOf("80.00 EUR")).toBeGreaterThan(0);
    expect(page.text).toContain("100.00 EUR");
    expect(page.text).toContain(`href="/donate/${encodeURIComponent(item)}"`);
    expect(page.text).toMatch(/The discount ends on <time datetime="[^"]+Z">/);
    expect(page.text).toContain("The discount has no end yet.");
    expect(page.text.match(/data-unread="true"/g)).toHaveLength(2);
  });

  it("marks one as read, or all of them", async () => {
    const { id, agent } = await readerWithNotices();
    const [newest, oldest] = await noticesOf(id);
    const read = async () => (await noticesOf(id)).map(({ read_at }) => read_at !== null);
    await agent
      .post("/notifications/read")
      .type("form")
      .send({ id: oldest?.id })
      .expect(303)
      .expect("Location", "/notifications");
    expect(await read()).toEqual([false, true]);
    expect((await agent.get("/")).text).toMatch(/<span class="count">1</);
    const first = (await noticesOf(id))[1]?.read_at;
    await agent.post("/notifications/read").expect(303);
    expect(await read()).toEqual([true, true]);
    expect((await noticesOf(id))[1]?.read_at).toEqual(first);
    expect((await agent.get("/")).text).not.toContain('<span class="count">');
    expect(newest?.id).toBeGreaterThan(Number(oldest?.id));
  });

  it("lets nobody mark another's", async () => {
    const { id } = await readerWithNotices();
    const [notice] = await noticesOf(id);
    const stranger = await site.logIn();
    await stranger.agent.post("/notifications/read").type("form").send({ id: notice?.id }).expect(404);
    await stranger.agent.post("/notifications/read").expect(303);
    expect(await markRead(site.db, stranger.id, notice?.id)).toBe(0);
    expect((await noticesOf(id)).every(({ read_at }) => read_at === null)).toBe(true);
  });

  it.each(["0", "-1", "1.5", "x", "99999999999999999999", "1'--"])("refuses the id %s", async (id) => {
    const { agent } = await site.logIn();
    await agent.post("/notifications/read").type("form").send({ id }).expect(400);
  });

  it("shows names as text", async () => {
    await site.db("donate_items").where({ id: item }).update({ name: "<script>alert(1)</script>" });
    const { agent } = await readerWithNotices();
    const page = await agent.get("/notifications").expect(200);
    expect(page.text).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(page.text).not.toContain("<script>alert(1)");
  });
});
