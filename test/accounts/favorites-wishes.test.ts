import { beforeEach, describe, expect, it } from "vitest";
import { saveWish } from "../../src/accounts/favorites/queries.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { listInbox } from "../../src/notifications/inbox-queries.ts";
import { addNotifyJobs } from "../../src/notifications/notify.ts";
import { notifyOfWishes } from "../../src/notifications/wishes.ts";
import { countUnnotified } from "../../src/shop/discount-queries.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { attributes, mainOf, textOf } from "../helpers/html.ts";
import { addReader, notifyAll } from "../helpers/notify.ts";
import { refuseWrites } from "../helpers/refused-writes.ts";
import { addDiscount, addDonateItem, hours } from "../helpers/things.ts";

const site = useTestApp();
const ITEM = "elegy";

let user: { id: number; agent: Agent };

beforeEach(async () => {
  for (const table of ["notifications", "discounts", "discount_runs", "donate_items"])
    await site.db(table).delete();
  await site.db.raw("delete from graphile_worker._private_jobs");
  await addDonateItem(site.db, ITEM, { price: "10.00" });
  user = await site.logIn();
});

const wish = (price: string | null, id = user.id) => saveWish(site.db, id, ITEM, price);
const setPrice = (price: string | null) => site.db("donate_items").where({ id: ITEM }).update({ price });
const told = () =>
  site
    .db("notifications")
    .where({ user_id: user.id })
    .orderBy("id")
    .select("new_price", "old_price", "wish", "discount_id");
/** Looks as the jobs do, for discounts and for wishes. */
async function look(): Promise<number> {
  return (await notifyAll(site.db)) + (await notifyOfWishes(site.db));
}

describe("a wish", () => {
  it.each([
    ["EUR", "4000.00"],
    ["COINS", "4000"],
  ])("in %s is filled in as %s", async (currency, text) => {
    await site.db("donate_items").where({ id: ITEM }).update({ currency });
    await wish("4000.00");
    const form = await user.agent.get(`/donate/${ITEM}/wish`).expect(200);
    expect(form.text).toContain(`name="price" value="${text}"`);
  });

  it("notifies when a discount lowers the price to it, at or below", async () => {
    await wish("7.50");
    await addDiscount(site.db, "small", ITEM, { percent: "20" });
    expect(await look()).toBe(0);
    await addDiscount(site.db, "large", ITEM, { percent: "25" });
    expect(await look()).toBe(1);
    expect(await told()).toEqual([
      { new_price: "7.50", old_price: "10.00", wish: "7.50", discount_id: "large" },
    ]);
    expect(await look()).toBe(0);
  });

  it("notifies at a discount's start, not before", async () => {
    await wish("5");
    await addDiscount(site.db, "later", ITEM, { percent: "60", starts_at: hours(site.db, 1) });
    expect(await look()).toBe(0);
    await site.db("discounts").update({ starts_at: site.db.raw("now()") });
    expect(await look()).toBe(1);
  });

  it("notifies when an import lowers the regular price to it", async () => {
    await wish("8.00");
    const record = { id: ITEM, name: "Elegy", currency: "EUR" };
    await importRecords(site.db, "donate-items", [{ ...record, price: "8.01" }]);
    expect(await look()).toBe(0);
    await importRecords(site.db, "donate-items", [{ ...record, price: "8.00" }]);
    expect(await look()).toBe(1);
    expect(await told()).toEqual([{ new_price: "8.00", old_price: "8.01", wish: "8.00", discount_id: null }]);
  });

  it("notifies once for each time that the price comes down to it", async () => {
    await wish("8");
    for (let time = 1; time <= 3; time += 1) {
      await setPrice("7.00");
      expect(await look()).toBe(1);
      await setPrice("6.00");
      expect(await look()).toBe(0);
      await setPrice("9.00");
      expect(await look()).toBe(0);
    }
    expect(await told()).toHaveLength(3);
  });

  it("notifies again when the same discount comes down to it again", async () => {
    await wish("8");
    await addDiscount(site.db, "d", ITEM, { percent: "30" });
    await look();
    await site.db("discounts").update({ percent: "10" });
    expect(await look()).toBe(0);
    await site.db("discounts").update({ percent: "40" });
    expect(await look()).toBe(1);
    expect(await told()).toMatchObject([{ new_price: "7.00" }, { new_price: "6.00" }]);
  });

  it("compares prices as they are rounded, not before", async () => {
    await setPrice("3.33");
    // 33 % off is 2.2311, which costs 2.23.
    await wish("2.23");
    await addDiscount(site.db, "d", ITEM, { percent: "33" });
    expect(await look()).toBe(1);
    await site.db("discounts").delete();
    await look();
    await site.db("donate_items").update({ price: "333", currency: "JPY" });
    // 33 % off is 223.11, which costs 223.
    await wish("223");
    await addDiscount(site.db, "yen", ITEM, { percent: "33" });
    expect(await look()).toBe(1);
  });

  it("that the price meets already waits for the next time", async () => {
    expect(await wish("10")).toEqual({ isMet: true });
    expect(await look()).toBe(0);
    await setPrice("11");
    await look();
    await setPrice("10");
    expect(await look()).toBe(1);
  });

  it("in a currency that the item had before counts as none", async () => {
    await wish("8");
    await site.db("donate_items").update({ price: "900", currency: "RUB" });
    await addDiscount(site.db, "d", ITEM, { percent: "99" });
    expect(await look()).toBe(1);
    expect(await told()).toMatchObject([{ wish: null, discount_id: "d" }]);
  });

  it("becomes any discount with a blank price, and notifies of the running one", async () => {
    await wish("1");
    await addDiscount(site.db, "d", ITEM, { percent: "10" });
    expect(await look()).toBe(0);
    await wish(null);
    expect(await told()).toMatchObject([{ discount_id: "d", wish: null }]);
    expect(await look()).toBe(0);
  });

  it("notifies through the user's channels, with their jobs", async () => {
    const { id } = await addReader(site, { email: "each", push: ["push.test"] });
    await wish("8", id);
    await setPrice("7");
    await look();
    const channels = await site.db("deliveries").where({ user_id: id }).orderBy("channel").pluck("channel");
    expect(channels).toEqual(["email", "push"]);
    const { rows } = await site.db.raw(
      "select count(*)::int from graphile_worker.jobs where key like 'delivery:%'",
    );
    expect(rows).toEqual([{ count: 2 }]);
  });

  it("notifies once with several processes at the same moment, page by page", async () => {
    const users = await Promise.all(Array.from({ length: 7 }, () => site.createUser()));
    for (const { id } of users) await wish("8", id);
    await setPrice("7");
    const counts = await Promise.all([1, 2, 3].map(() => notifyOfWishes(site.db, { page: 2 })));
    expect(counts.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(7);
    await notifyOfWishes(site.db, { page: 2 });
    const rows = await site.db("notifications").groupBy("user_id").count();
    expect(rows.map(({ count }) => count)).toEqual(Array(7).fill(1));
  });

  it("is noted as told only together with its notification", async () => {
    await wish("8");
    await setPrice("7");
    const { accept } = await refuseWrites(site.db, "insert on notifications");
    await expect(notifyOfWishes(site.db)).rejects.toThrow("refused");
    await accept();
    expect(await look()).toBe(1);
  });

  it("makes no job of its own for a discount that nobody else waits for", async () => {
    await wish("1");
    await addDiscount(site.db, "d", ITEM, { percent: "10" });
    await addNotifyJobs(site.db);
    await notifyAll(site.db);
    expect(await site.db("discounts").whereNull("told_at")).toEqual([]);
  });
});

describe("the operator's preview of who will be notified", () => {
  it("counts wishes that the price comes down to, and those without one", async () => {
    await site.db("donate_favorites").insert({ user_id: user.id, item_key: ITEM });
    const [low, high, met] = await Promise.all([1, 2, 3].map(() => site.createUser()));
    await wish("5", low?.id);
    await wish("8", high?.id);
    await wish("12", met?.id);
    const item = { key: ITEM, currency: "EUR" };
    expect(await countUnnotified(site.db, item, "9.00", undefined)).toBe(1);
    expect(await countUnnotified(site.db, item, "8.00", undefined)).toBe(2);
    expect(await countUnnotified(site.db, item, "4.99", undefined)).toBe(3);
    for (const [percent, count] of [
      ["20", 2],
      ["50", 2],
    ] as const) {
      await site.db("discounts").delete();
      await addDiscount(site.db, `d${percent}`, ITEM, { percent });
      expect(await look()).toBe(count);
    }
  });
});

describe("the inbox", () => {
  it("records the wish that a price answers, and its outcome", async () => {
    await wish("8");
    await setPrice("7");
    await look();
    const read = async () => textOf(mainOf((await user.agent.get("/notifications").expect(200)).text));
    expect(await read()).toMatch(
      /7.00 EUR.*Your price alert: 8.00 EUR or less.*This is the regular price now/,
    );
    expect(await listInbox(site.db, user.id)).toMatchObject([{ state: "running", is_regular: true }]);
    await setPrice("9");
    expect(await read()).toContain("This price is no longer available");
    await site.db("donate_items").delete();
    expect(await listInbox(site.db, user.id)).toMatchObject([{ state: "ended", gone: true }]);
    await user.agent.get("/notifications").expect(200);
  });
});

describe("the form of a price alert", () => {
  const path = `/donate/${ITEM}/wish`;
  const send = (fields: Record<string, string>) => user.agent.post(path).type("form").send(fields);
  const stored = () => site.db("donate_favorites").where({ user_id: user.id }).first("wish", "wish_currency");
  const price = (html: string) => attributes(/<input name="price"[^>]*>/.exec(html)?.[0] ?? "", "value")[0];

  it("is on the item's page, with what the reader set and nobody else", async () => {
    const { headers } = await send({ price: "7.5", from: "item" }).expect(303);
    expect(headers.location).toBe(`/donate/${ITEM}`);
    expect(await stored()).toEqual({ wish: "7.50", wish_currency: "EUR" });
    const { text } = await user.agent.get(`/donate/${ITEM}`).expect(200);
    expect(textOf(text)).toMatch(/We’ll tell you when Shop elegy costs 7.50\sEUR or less\./);
    expect(price((await user.agent.get(`/donate/${ITEM}`).expect(200)).text)).toBe("7.50");
    const { agent: other } = await site.logIn();
    expect(price((await other.get(`/donate/${ITEM}`).expect(200)).text)).toBe("");
  });

  it("is on the page of favorites, and comes back there", async () => {
    await wish("7");
    const { text } = await user.agent.get("/favorites").expect(200);
    expect(price(text)).toBe("7.00");
    const { headers } = await send({ price: "6,5", from: "favorites" }).expect(303);
    expect(headers.location).toBe("/favorites");
    expect(await stored()).toMatchObject({ wish: "6.50" });
  });

  it("keeps an item as a favorite when its price alert is removed", async () => {
    await wish("7");
    await send({ price: " ", from: "item" }).expect(303);
    expect(await stored()).toEqual({ wish: null, wish_currency: null });
  });

  it.each([
    ["abc", "must be a number such as 12.50"],
    ["-1", "must be a number such as 12.50"],
    ["1.234", "more than two digits"],
    ["1,234", "is ambiguous"],
    ["9999999999999", "is too large"],
  ])("says what is wrong with %s, and keeps it", async (typed, message) => {
    const { text } = await send({ price: typed, from: "item" }).expect(400);
    expect(textOf(mainOf(text))).toContain(message);
    expect(price(text)).toBe(typed);
    expect(await stored()).toBeUndefined();
  });

  it("refuses a fraction of a currency that has none", async () => {
    await site.db("donate_items").update({ price: "300", currency: "JPY" });
    const { text } = await send({ price: "99.5", from: "item" }).expect(400);
    expect(textOf(mainOf(text))).toContain("must be a whole number: JPY has no decimals");
  });

  it("says that the price is there already", async () => {
    await send({ price: "10", from: "item" }).expect(303);
    const { text } = await user.agent.get(`/donate/${ITEM}`).expect(200);
    expect(textOf(text)).toMatch(/already costs 10.00\sEUR or less/);
  });

  it("says that an alert is met, as long as it is", async () => {
    await wish("10");
    const says = async (path: string) =>
      textOf((await user.agent.get(path).expect(200)).text).includes("Price alert met");
    expect([await says(path), await says("/favorites")]).toEqual([true, true]);
    await site.db("donate_items").update({ price: "10.01" });
    expect([await says(path), await says("/favorites")]).toEqual([false, false]);
  });

  it("is 404 for an item that is not there", async () => {
    await user.agent.post("/donate/nothing/wish").type("form").send({ price: "1" }).expect(404);
    await user.agent.get("/donate/nothing/wish").expect(404);
    const { text } = await user.agent.get(path).expect(200);
    expect(price(text)).toBe("");
  });
});
