import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyTables } from "../helpers/database.ts";
import { addItem, HOUR_MS } from "../helpers/donate.ts";
import { mainOf, textOf } from "../helpers/html.ts";
import { notifyAll } from "../helpers/notify.ts";

const site = useTestApp();

let fan: number;

beforeAll(async () => {
  fan = (await site.createUser()).id;
});

beforeEach(async () => {
  await emptyTables(site.db, "donate_items, discount_runs, notifications");
  await addItem(site.db, { id: "gold", name: "Gold", price: "9.99" });
  await site.db("donate_favorites").insert({ user_id: fan, item_key: "gold" });
});

/** The terms of a discount in a file of the game's own shop. */
interface Terms {
  title?: string;
  percent?: string;
  price?: string;
  starts: Date | null;
  ends: Date | null;
}

const minutes = (hours: number) => new Date(Math.floor(Date.now() / 60_000) * 60_000 + hours * HOUR_MS);
const discountOf = (id: string) => site.db("discounts").where({ id }).first();

function load(id: string, { title, percent, price, starts, ends }: Terms) {
  const starts_at = (starts ?? new Date()).toISOString();
  const record = { id, item_key: "gold", title, percent, price, starts_at, ends_at: ends?.toISOString() };
  return importRecords(site.db, "discounts", [record]);
}

/** A file has all fields of a record: what has begun keeps its start. */
async function change(id: string, terms: Terms): Promise<void> {
  const { starts_at } = await discountOf(id);
  await load(id, { ...terms, starts: terms.starts ?? starts_at });
}

/** A file ends a running discount. One that has not begun is pruned because the file lacks it. */
async function end(id: string): Promise<void> {
  const { starts_at, title, percent, price } = await discountOf(id);
  if (starts_at > new Date()) {
    await importRecords(site.db, "discounts", [], { prune: true, force: true });
  } else {
    const terms = { percent: percent ?? undefined, price: price ?? undefined };
    await load(id, { title, ...terms, starts: starts_at, ends: new Date() });
  }
}

/** What a buyer sees of the item's price. */
async function shown(): Promise<string> {
  const text = await site.page("/donate/gold");
  return textOf(/class="shop-price">([\s\S]*?)<\/p>/.exec(text)?.[1] ?? "");
}

/** Prices in the notifications of the item's fan, in order. */
async function told(): Promise<string[]> {
  await notifyAll(site.db);
  return site.db("notifications").where({ user_id: fan }).orderBy("id").pluck("new_price");
}

describe("an imported discount", () => {
  it("is neither shown nor announced to users before its start, and never if it is withdrawn", async () => {
    await load("one", { price: "5", starts: minutes(2), ends: minutes(5) });
    expect((await discountOf("one")).starts_at).toEqual(minutes(2));
    expect(await shown()).toBe("9.99 EUR");
    expect(await told()).toEqual([]);
    await end("one");
    expect(await site.db("discounts")).toEqual([]);
    expect(await told()).toEqual([]);
  });

  it("notifies once, and nobody again when its text, its price or its end changes while it runs", async () => {
    await load("one", { title: "One", percent: "25", starts: null, ends: minutes(5) });
    const row = { item_key: "gold", percent: "25.00", price: null, ends_at: minutes(5), run: 1, demo: false };
    expect(await discountOf("one")).toMatchObject(row);
    expect(await shown()).toBe("was 9.99 EUR now 7.49 EUR");
    expect(await told()).toEqual(["7.49"]);
    expect(await told()).toEqual(["7.49"]);
    await change("one", { title: "Two", percent: "25", starts: null, ends: minutes(5) });
    await change("one", { title: "Two", percent: "25", starts: null, ends: minutes(9) });
    await change("one", { title: "Two", price: "4", starts: null, ends: null });
    expect(await shown()).toBe("was 9.99 EUR now 4.00 EUR");
    expect(await told()).toEqual(["7.49"]);
    expect(await discountOf("one")).toMatchObject({ run: 1, title: "Two", price: "4.00", ends_at: null });
  });

  it("ends at once on request, and a new one notifies again", async () => {
    await load("one", { percent: "25", starts: null, ends: null });
    expect(await told()).toEqual(["7.49"]);
    await end("one");
    expect(await shown()).toBe("9.99 EUR");
    await load("two", { percent: "50", starts: null, ends: null });
    expect(await shown()).toBe("was 9.99 EUR now 5.00 EUR");
    expect(await told()).toEqual(["7.49", "5.00"]);
    const text = await site.page("/donate/gold");
    expect(textOf(mainOf(text))).toMatch(/Between 5.00 EUR and 9.99 EUR since .* UTC \. Now 5.00 EUR\./);
  });

  it("gives way to a lower price while both run", async () => {
    await load("other", { price: "6", starts: null, ends: null });
    await load("lower", { percent: "50", starts: null, ends: null });
    expect(await shown()).toBe("was 9.99 EUR now 5.00 EUR");
    await end("lower");
    expect(await shown()).toBe("was 9.99 EUR now 6.00 EUR");
  });

  it("runs and notifies again with a new period after its end", async () => {
    await load("one", { percent: "25", starts: null, ends: minutes(5) });
    expect(await told()).toEqual(["7.49"]);
    await site.db("discounts").update({ starts_at: minutes(-5), ends_at: minutes(-4) });
    await change("one", { percent: "10", starts: new Date(), ends: minutes(5) });
    expect(await site.db("discounts").first()).toMatchObject({ run: 2, percent: "10.00" });
    expect(await shown()).toBe("was 9.99 EUR now 8.99 EUR");
    expect(await told()).toEqual(["7.49", "8.99"]);
  });
});
